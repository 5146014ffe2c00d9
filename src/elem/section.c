#include "elem/section.h"

#include <math.h>

#define PI 3.14159265358979323846

static double poisson(const lm_elastic *m) { return m->E / (2 * m->G) - 1; }

lm_section lm_section_general(const lm_elastic *m, double A, double Iy, double Iz, double J,
                              double ky, double kz)
{
    return (lm_section){.EA = m->E * A,
                        .EIy = m->E * Iy,
                        .EIz = m->E * Iz,
                        .GJ = m->G * J,
                        .GAy = ky * m->G * A,
                        .GAz = kz * m->G * A,
                        .rhoA = m->rho * A,
                        .rhoIy = m->rho * Iy,
                        .rhoIz = m->rho * Iz,
                        .A = A,
                        .Wy = NAN,
                        .Wz = NAN};
}

lm_section lm_section_stiffness(lm_section s)
{
    s.A = s.Wy = s.Wz = NAN;
    s.round = 0;
    return s;
}

/* Saint-Venant's series for sides a >= b,
 *   J = a b^3 (1/3 - 64 b/(pi^5 a) sum over odd n of tanh(n pi a/(2b)) / n^5),
 * with tanh x = 1 - 2/(exp(2x) + 1) and the sum of 1/n^5 over odd n = 31/32 zeta(5): what is left
 * falls with exp(-n pi), and the terms up to n = 11 are all that rounding lets see. */
double lm_torsion_rectangle(double side1, double side2)
{
    const double zeta5 = 1.03692775514336992633;
    double a = fmax(side1, side2), b = fmin(side1, side2), sum = 31.0 / 32.0 * zeta5;
    for (int n = 1; n <= 11; n += 2) sum -= 2 / (pow(n, 5) * (exp(n * PI * a / b) + 1));
    return a * b * b * b * (1.0 / 3.0 - 64 * b / (pow(PI, 5) * a) * sum);
}

/* Shear factor: Cowper (1966), 10 (1 + nu) / (12 + 11 nu). */
lm_section lm_section_rectangle(const lm_elastic *m, double height, double width)
{
    double h = height, w = width, nu = poisson(m), k = 10 * (1 + nu) / (12 + 11 * nu);
    double Iy = h * w * w * w / 12, Iz = w * h * h * h / 12;
    lm_section s = lm_section_general(m, h * w, Iy, Iz, lm_torsion_rectangle(h, w), k, k);
    s.Wy = Iy / (w / 2);
    s.Wz = Iz / (h / 2);
    return s;
}

/* R^2 - r^2 and R^4 - r^4 from the wall, without cancellation. Shear factor: Cowper's of the hollow
 * circle, p = (r/R)^2,
 *   k = 6 (1 + nu)(1 + p)^2 / ((7 + 6 nu)(1 + p)^2 + (20 + 12 nu) p);
 * r = 0 is the circle. */
lm_section lm_section_tube(const lm_elastic *m, double radius, double thickness)
{
    double R = radius, r = R - thickness, nu = poisson(m), p = (r / R) * (r / R);
    double square = thickness * (R + r), q = (1 + p) * (1 + p);
    double k = 6 * (1 + nu) * q / ((7 + 6 * nu) * q + (20 + 12 * nu) * p);
    double I = PI / 4 * square * (R * R + r * r);
    lm_section s = lm_section_general(m, PI * square, I, I, 2 * I, k, k);
    s.Wy = s.Wz = I / R;
    s.round = 1;
    return s;
}

lm_section lm_section_circle(const lm_elastic *m, double radius)
{
    return lm_section_tube(m, radius, radius);
}

/* Second moment of a box for bending over its height: two webs, and what of the flanges lies
 * between them. */
static double box_moment(double h, double w, double t)
{
    double inner = w - 2 * t, arm = (h - t) / 2;
    return t * h * h * h / 6 + 2 * inner * t * (t * t / 12 + arm * arm);
}

/* Shear factor of a box for shear along its height: k = I^2 / (A S), S the integral over the
 * section of the squared shear stress for V = I. The flanges between the webs carry the flow
 * z t (h-t)/2 to the webs, the webs carry the first moment Q(y) of all that lies above y:
 *   S = int Q^2/(2t) dy + t (h-t)^2 inner^3 / 24 .
 * For a thin wall this is Cowper's factor of the box at nu = 0, without a hole (inner width 0) it
 * is 5/6. The dependence on nu is Cowper's too, D0 (1 + nu) / (D0 + nu D1), with m = the flange
 * between the webs over the height of the web; it is that of the rectangle at m = 0. */
static double box_shear(double nu, double h, double w, double t)
{
    double inner = w - 2 * t, arm = (h - t) / 2, a = h / 2 - t, c = inner * arm + h * h / 4;
    double webs = t * (c * c * a - 2 * c * pow(a, 3) / 3 + pow(a, 5) / 5);
    double corners = w * w / (4 * t) * pow(t, 3) * (h * h / 3 - h * t / 2 + t * t / 5);
    double flanges = t * arm * arm * pow(inner, 3) / 6;
    double I = box_moment(h, w, t), A = 2 * t * (h + w - 2 * t);
    double m = inner / (h - t);
    double D0 = 12 + m * (72 + m * (150 + m * (120 + m * 30)));
    double D1 = 11 + m * (66 + m * (135 + m * 100));
    return I * I / (A * (webs + corners + flanges)) * (1 + nu) * D0 / (D0 + nu * D1);
}

/* Torsion: Bredt's formula along the middle of the wall, J = 4 Am^2 t / U. */
lm_section lm_section_box(const lm_elastic *m, double height, double width, double thickness)
{
    double h = height, w = width, t = thickness, nu = poisson(m);
    double Iy = box_moment(w, h, t), Iz = box_moment(h, w, t);
    double a = h - t, b = w - t, J = 2 * t * (a * b) * (a * b) / (a + b);
    lm_section s = lm_section_general(m, 2 * t * (h + w - 2 * t), Iy, Iz, J, box_shear(nu, h, w, t),
                                      box_shear(nu, w, h, t));
    s.Wy = Iy / (w / 2);
    s.Wz = Iz / (h / 2);
    return s;
}

double lm_section_stress(const lm_section *s, double N, double My, double Mz)
{
    double bending = s->round ? hypot(My, Mz) / s->Wy : fabs(My) / s->Wy + fabs(Mz) / s->Wz;
    return fabs(N) / s->A + bending;
}
