/* The three-stage Radau IIA method: collocation at c = (4 - r)/10, (4 + r)/10, 1 with r = sqrt 6. */
#include "solve/radau.h"

#include <math.h>

/* Row k of the matrix: integrals from 0 to c_k of the Lagrange polynomials. The eigenvectors are those
 * of Hairer and Wanner's RADAU5. */
const radau_method *radau_formulas(void)
{
    static const radau_method m = {
        .c = {0.15505102572168219, 0.64494897427831781, 1},
        .A = {{0.19681547722366044, -0.065535425850198386, 0.023770974348220152},
              {0.39442431473908727, 0.29207341166522846, -0.041548752125997930},
              {0.37640306270046728, 0.51248582618842161, 0.11111111111111111}},
        .T = {{0.091232394870892943, -0.14125529502095421, -0.030029194105147424},
              {0.24171793270710702, 0.20412935229379993, 0.38294211275726194},
              {0.96604818261509294, 1, 0}},
        .Ti = {{4.3255798900631553, 0.33919925181580987, 0.54177053993587487},
               {-4.1787185915519047, -0.32768282076106239, 0.47662355450055045},
               {-0.50287263494578688, 2.5719269498556054, -0.59603920482822492}},
        .real = 3.6378342527444962,
        .re = 2.6810828736277523,
        .im = 3.0504301992474105,
        .e = {-10.048809399827416, 1.3821427331607489, -1.0 / 3},
    };
    return &m;
}

void radau_interpolate(int at, double x, double w[4])
{
    const double *c = radau_formulas()->c, node[4] = {0, c[0], c[1], c[2]};
    w[0] = 0;
    for (int i = 4 - at; i < 4; i++) {
        w[i] = 1;
        for (int j = 4 - at; j < 4; j++)
            if (j != i) w[i] *= (x - node[j]) / (node[i] - node[j]);
    }
}

/* Gauss' rule with two points is exact for the cubic. */
void radau_integrate(double x, double w[4])
{
    const double g = 0.28867513459481288; /* 1/(2 sqrt 3) */
    double below[4], above[4];
    radau_interpolate(4, (0.5 - g) * x, below);
    radau_interpolate(4, (0.5 + g) * x, above);
    for (int i = 0; i < 4; i++) w[i] = 0.5 * x * (below[i] + above[i]);
}
