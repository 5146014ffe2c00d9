/* How mechanisms start. Open trees of all joints against kinematics written here, body by body; loops with more
 * motions than values given against a least change written here; and what must not matter: the formulation,
 * the mesh, masses, axes, units, the order of bodies, which side of a joint comes first. */
#include "support/run_model.h"

static const char *const form[] = {"corotational", "minimal", "elastodynamic", "rfe", "ffr"};
enum { FORMS = 5 };
#define START "analysis: {type: dynamics, until: 1e-9, output_step: 1e-9}\n"

/* ---- vectors and rigid displacements ---- */

typedef struct vec {
    double x[3];
} vec;
typedef struct place { /* x -> R x + t, with the velocity v + w x (R x + t) */
    double R[3][3];
    vec t, v, w;
} place;

static vec add(vec a, double s, vec b)
{
    for (int i = 0; i < 3; i++) a.x[i] += s * b.x[i];
    return a;
}
static double dot(vec a, vec b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }
static vec cross(vec a, vec b)
{
    return (vec){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                  a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}
static vec scale(double s, vec a) { return add((vec){{0}}, s, a); }
static vec unit(vec a) { return scale(1 / sqrt(dot(a, a)), a); }
static vec turn(const place *p, vec a)
{
    vec b = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) b.x[i] += p->R[i][j] * a.x[j];
    return b;
}
static vec to(const place *p, vec a) { return add(turn(p, a), 1, p->t); }
static vec speed(const place *p, vec a) { return add(p->v, 1, cross(p->w, to(p, a))); }
static const place ground = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static void rotate_by(double R[3][3], vec n, double a)
{
    double c = cos(a), s = sin(a);
    for (int i = 0; i < 3; i++) {
        vec e = {{i == 0, i == 1, i == 2}}, ne = cross(n, e);
        for (int k = 0; k < 3; k++)
            R[k][i] = c * e.x[k] + s * ne.x[k] + (1 - c) * dot(n, e) * n.x[k];
    }
}

static void product(double A[3][3], double B[3][3], double C[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[i][j] = A[i][0] * B[0][j] + A[i][1] * B[1][j] + A[i][2] * B[2][j];
}

/* ---- random trees ---- */

enum { REVOLUTE, PRISMATIC, CYLINDRICAL, SPHERICAL, UNIVERSAL, PLANAR, INLINE, DISTANCE, FIXED };
static const char *const type_name[] = {"revolute",  "prismatic", "cylindrical",
                                        "spherical", "universal", "planar",
                                        "inline",    "distance",  "fixed"};
enum { BODIES = 9 };

typedef struct joint {
    int type, parent, swapped;
    vec at[2], axis, axis2;               /* drawn points on parent and child */
    double angle[2], slide[2], angle2[2]; /* value, rate; 0 also where nothing is written */
    int has[3][2];
} joint;
typedef struct tree {
    unsigned seed;
    int n, order[BODIES], beam[BODIES];
    vec at[BODIES], mark[BODIES], tip[BODIES];
    joint j[BODIES];
    place is[BODIES];
} tree;

static double pick(unsigned *seed) /* -1..1 */
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 23) - 1;
}
static vec some(unsigned *s, double size)
{
    vec a;
    for (int i = 0; i < 3; i++) a.x[i] = size * pick(s);
    return a;
}
static void value(unsigned *s, double *x, int *has)
{
    for (int k = 0; k < 2; k++) {
        double r = 2 * pick(s);
        has[k] = pick(s) > -0.3;
        x[k] = has[k] ? r : 0;
    }
}

/* Where b is against a, as if a were as drawn and at rest. */
static place relative(const joint *j)
{
    place p = ground;
    vec B = j->at[!j->swapped];
    double first[3][3], second[3][3];
    rotate_by(first, j->axis, j->angle[0]);
    p.w = scale(j->angle[1], j->axis);
    memcpy(p.R, first, sizeof first);
    if (j->type == UNIVERSAL) {
        place half = ground;
        memcpy(half.R, first, sizeof first);
        rotate_by(second, j->axis2, j->angle2[0]);
        product(first, second, p.R);
        p.w = add(p.w, j->angle2[1], turn(&half, j->axis2));
    }
    p.t = add(add(B, -1, turn(&p, B)), j->slide[0], j->axis);
    p.v = add(scale(j->slide[1], j->axis), -1, cross(p.w, add(B, j->slide[0], j->axis)));
    return p;
}

static place inverse(const place *p)
{
    place q = ground;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) q.R[i][k] = p->R[k][i];
    q.t = scale(-1, turn(&q, p->t));
    q.w = scale(-1, turn(&q, p->w));
    q.v = scale(-1, turn(&q, add(p->v, 1, cross(p->w, p->t))));
    return q;
}

/* p, and q seen from there: the velocity of q's points is turned, and carried with p. */
static place behind(const place *p, const place *q)
{
    place r;
    double R[3][3], A[3][3], B[3][3];
    memcpy(A, p->R, sizeof A), memcpy(B, q->R, sizeof B);
    product(A, B, R);
    memcpy(r.R, R, sizeof R);
    r.t = add(turn(p, q->t), 1, p->t);
    r.w = add(p->w, 1, turn(p, q->w));
    vec at = to(p, q->t); /* where q's origin is; q moves it by v + w x t */
    vec v = turn(p, add(q->v, 1, cross(q->w, q->t)));
    r.v = add(add(add(p->v, 1, cross(p->w, at)), 1, v), -1, cross(r.w, at));
    return r;
}

static void make_joint(tree *t, int i)
{
    joint *j = &t->j[i];
    unsigned *s = &t->seed;
    *j = (joint){.type = (int)(4.4999 * (1 + pick(s))), .swapped = pick(s) > 0.2};
    j->parent = (int)(0.49999 * (1 + pick(s)) * (i + 1)) - 1;
    j->axis = unit(some(s, 1));
    j->axis2 = unit(cross(j->axis, (vec){{0.3, 0.5, 0.8}}));
    j->at[0] = j->at[1] = add(t->at[i], 1, some(s, 0.3));
    if (j->type == PRISMATIC || j->type == PLANAR || j->type == DISTANCE)
        j->at[1] = add(j->at[1], 1, some(s, 0.4));
    if (j->type == CYLINDRICAL || j->type == INLINE)
        j->at[1] = add(j->at[1], 0.4 * pick(s), j->axis);
    if (j->type == REVOLUTE || j->type == CYLINDRICAL || j->type == UNIVERSAL || j->type == PLANAR)
        value(s, j->angle, j->has[0]);
    if (j->type == PRISMATIC || j->type == CYLINDRICAL || j->type == INLINE)
        value(s, j->slide, j->has[1]);
    if (j->type == UNIVERSAL) value(s, j->angle2, j->has[2]);
    place rel = relative(j), back = inverse(&rel);
    t->is[i] = behind(j->parent < 0 ? &ground : &t->is[j->parent], j->swapped ? &back : &rel);
}

static tree make_tree(unsigned seed)
{
    tree t = {.seed = seed * 7919u + 12345u};
    t.n = 3 + (int)(seed % 7);
    for (int i = 0; i < t.n; i++) {
        t.at[i] = some(&t.seed, 2);
        t.mark[i] = add(t.at[i], 1, some(&t.seed, 0.5));
        t.tip[i] = add(t.mark[i], 0.7, unit(some(&t.seed, 1)));
        t.beam[i] = seed % 2 && pick(&t.seed) > 0;
        make_joint(&t, i);
        int k = (int)(0.49999 * (1 + pick(&t.seed)) * (i + 1));
        memmove(t.order + k + 1, t.order + k, sizeof(int) * (size_t)(i - k));
        t.order[k] = i;
    }
    return t;
}

static void put(FILE *f, const char *before, vec a, const char *after)
{
    fprintf(f, "%s[%.17g, %.17g, %.17g]%s", before, a.x[0], a.x[1], a.x[2], after);
}

static void write_bodies(FILE *f, const tree *t)
{
    for (int k = 0; k < t->n; k++) {
        int i = t->order[k];
        fprintf(f, "  b%d: {type: rigid, mass: 1.3, inertia: [0.2, 0.3, 0.35], ", i);
        put(f, "position: ", t->at[i], ", com: [0.1, 0.2, 0.05], frames: {");
        put(f, "m: ", add(t->mark[i], -1, t->at[i]), "");
        for (int j = 0; j < t->n; j++) {
            char name[32];
            snprintf(name, sizeof name, ", j%d: ", j);
            if (j == i) put(f, name, add(t->j[j].at[1], -1, t->at[i]), "");
            if (t->j[j].parent == i) put(f, name, add(t->j[j].at[0], -1, t->at[i]), "");
        }
        fprintf(f, "}}\n");
        if (!t->beam[i]) continue;
        fprintf(f, "  r%d: {type: beam, section: s, elements: 3, ", i);
        put(f, "from: ", t->mark[i], "");
        put(f, ", to: ", t->tip[i], "}\n");
    }
}

static void write_joint(FILE *f, const tree *t, int i)
{
    const joint *j = &t->j[i];
    char parent[120], child[32];
    snprintf(child, sizeof child, "b%d.j%d", i, i);
    snprintf(parent, sizeof parent, "b%d.j%d", j->parent, i);
    if (j->parent < 0)
        snprintf(parent, sizeof parent, "\"ground.at(%.17g, %.17g, %.17g)\"", j->at[0].x[0],
                 j->at[0].x[1], j->at[0].x[2]);
    fprintf(f, "  j%d: {type: %s, between: [%s, %s]", i, type_name[j->type],
            j->swapped ? child : parent, j->swapped ? parent : child);
    if (j->type == UNIVERSAL) put(f, ", axes: [", j->axis, ", "), put(f, "", j->axis2, "]");
    if (j->type != UNIVERSAL && j->type != SPHERICAL && j->type != DISTANCE && j->type != FIXED)
        put(f, ", axis: ", j->axis, "");
    fprintf(f, "}\n");
    if (t->beam[i]) fprintf(f, "  w%d: {type: fixed, between: [b%d.m, r%d.start]}\n", i, i, i);
}

static void write_initial(FILE *f, const joint *j, int i)
{
    const char *angle = j->type == UNIVERSAL ? "angle1" : "angle";
    const char *const name[3] = {angle, "displacement", "angle2"};
    const double *const x[3] = {j->angle, j->slide, j->angle2};
    int several = j->type == CYLINDRICAL || j->type == UNIVERSAL || j->type == PLANAR, rates = 0;
    fprintf(f, "  j%d: {", i);
    for (int k = 0; k < 3; k++) {
        if (j->has[k][0]) fprintf(f, "%s: %.17g, ", name[k], x[k][0]);
        rates |= j->has[k][1];
    }
    if (rates && several) fprintf(f, "rate: {");
    for (int k = 0; k < 3; k++)
        if (j->has[k][1]) fprintf(f, "%s: %.17g, ", several ? name[k] : "rate", x[k][1]);
    fprintf(f, "%s}\n", rates && several ? "}" : "");
}

static char *write_tree(const tree *t)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    fprintf(f, "limber: 1\nmaterials: {al: {E: 7e10, nu: 0.3, rho: 2700}}\n"
               "sections: {s: {material: al, shape: rectangle, height: 0.02, width: 0.03}}\n"
               "bodies:\n");
    write_bodies(f, t);
    fprintf(f, "joints:\n");
    for (int k = t->n - 1; k >= 0; k--) write_joint(f, t, t->order[k]);
    fprintf(f, "initial:\n  project: false\n");
    for (int i = 0; i < t->n; i++)
        for (int k = 0, any = 0; k < 6 && !any; k++)
            if (t->j[i].has[k / 2][k % 2]) write_initial(f, &t->j[i], i), any = 1;
    fprintf(f, START "outputs:\n");
    for (int i = 0; i < t->n; i++) {
        fprintf(f, "  x%d: pos(b%d.m)\n  v%d: vel(b%d.m)\n  w%d: omega(b%d)\n  y%d: pos(", i, i, i,
                i, i, i, i);
        fprintf(f, t->beam[i] ? "r%d.end" : "b%d.j%d", i, i);
        fprintf(f, ")\n  u%d: vel(", i);
        fprintf(f, t->beam[i] ? "r%d.end" : "b%d.j%d", i, i);
        fprintf(f, ")\n");
    }
    fclose(f);
    return text;
}

static void check_vec(const table *r, const char *what, int i, vec x)
{
    for (int k = 0; k < 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "%s%d.%c", what, i, "xyz"[k]);
        assert_near(table_first(r, name), x.x[k], 1e-10);
    }
}

static void trees(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 14; seed++) {
        tree t = make_tree(seed);
        char *text = write_tree(&t);
        for (int f = 0; f < FORMS; f++) {
            table r = run_model(&(run_how){.text = text, .formulation = form[f]});
            for (int i = 0; i < t.n; i++) {
                vec end = t.beam[i] ? t.tip[i] : t.j[i].at[1];
                check_vec(&r, "x", i, to(&t.is[i], t.mark[i]));
                check_vec(&r, "v", i, speed(&t.is[i], t.mark[i]));
                check_vec(&r, "w", i, t.is[i].w);
                check_vec(&r, "y", i, to(&t.is[i], end));
                check_vec(&r, "u", i, speed(&t.is[i], end));
            }
            table_free(&r);
        }
        free(text);
    }
}

/* ---- the least change in loops ---- */

/* min 1/2 |r(x)|^2 with c(x) = 0, by Newton's method on F = (r^T dr + lam^T dc, c); derivatives by differences of
 * fourth order. */
enum { MOST = 8 };
typedef struct problem {
    int n, nr, nc;
    void (*eval)(const struct problem *p, const double *x, double *r, double *c);
    double given, scale;
} problem;

static void slopes(const problem *p, const double *x, double D[2 * MOST][MOST])
{
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    const double h = 1e-3;
    double y[MOST], f[2 * MOST];
    for (int k = 0; k < p->n; k++) {
        for (int i = 0; i < 2 * MOST; i++) D[i][k] = 0;
        for (int e = 0; e < 4; e++) {
            memcpy(y, x, sizeof y);
            y[k] += at[e] * h;
            p->eval(p, y, f, f + MOST);
            for (int i = 0; i < 2 * MOST; i++) D[i][k] += weight[e] * f[i] / (12 * h);
        }
    }
}

static void conditions(const problem *p, const double *x, double *F)
{
    double D[2 * MOST][MOST], f[2 * MOST] = {0};
    slopes(p, x, D);
    p->eval(p, x, f, f + MOST);
    for (int k = 0; k < p->n; k++) {
        F[k] = 0;
        for (int i = 0; i < p->nr; i++) F[k] += f[i] * D[i][k];
        for (int i = 0; i < p->nc; i++) F[k] += x[p->n + i] * D[MOST + i][k];
    }
    for (int i = 0; i < p->nc; i++) F[p->n + i] = f[MOST + i];
}

static void eliminate(int n, double A[2 * MOST][2 * MOST], double *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
        for (int j = 0; j < n; j++) {
            double a = A[k][j];
            A[k][j] = A[best][j], A[best][j] = a;
        }
        double y = b[k];
        b[k] = b[best], b[best] = y;
        for (int i = 0; i < n; i++) {
            double f = i == k ? 0 : A[i][k] / A[k][k];
            for (int j = k; j < n && i != k; j++) A[i][j] -= f * A[k][j];
            if (i != k) b[i] -= f * b[k];
        }
    }
    for (int k = 0; k < n; k++) b[k] /= A[k][k];
}

/* x [2 MOST]: unknowns and multipliers. */
static void least(const problem *p, double *x)
{
    int n = p->n + p->nc;
    double A[2 * MOST][2 * MOST], F[2 * MOST], G[2 * MOST], y[2 * MOST];
    for (int it = 0; it < 12; it++) {
        conditions(p, x, F);
        for (int k = 0; k < n; k++) {
            memcpy(y, x, sizeof y), y[k] += 1e-5;
            conditions(p, y, G);
            for (int i = 0; i < n; i++) A[i][k] = G[i] / 2e-5;
            y[k] = x[k] - 1e-5;
            conditions(p, y, G);
            for (int i = 0; i < n; i++) A[i][k] -= G[i] / 2e-5;
        }
        eliminate(n, A, F);
        for (int k = 0; k < n; k++) x[k] -= F[k];
    }
}

/* A plane loop of two motions: cranks a and d on the ground, e slides along a, c joins e and d. */
typedef struct plane {
    double m, kg;        /* units */
    double turned, x, y; /* the drawing */
    int swapped, mesh;
    double mass;
} plane;
static const double A0[2] = {0, 0}, P0[2] = {0.1, 0.5}, C0[2] = {0.5, 0.9}, D0[2] = {1.1, 0.6},
                    E0[2] = {1, 0};
#define ANGLE 0.5
#define RATE  1.7

static void spin2(double a, const double from[2], const double at[2], double out[2])
{
    double x = at[0] - from[0], y = at[1] - from[1];
    out[0] = cos(a) * x - sin(a) * y, out[1] = sin(a) * x + cos(a) * y;
}

/* x: slide (over the length), angle of c against the slider, angle of d. r: these, and that of D. */
static void plane_loop(const problem *p, const double *x, double *r, double *c)
{
    double a = p->given, axis[2], arm[2], second[2], crank[2], way = x[0] * p->scale;
    double l = hypot(P0[0], P0[1]);
    double along[2] = {P0[0] / l, P0[1] / l}, zero[2] = {0, 0};
    spin2(a, zero, along, axis);
    spin2(a, A0, C0, arm);
    spin2(a + x[1], C0, D0, second);
    spin2(x[2], E0, D0, crank);
    r[0] = x[0], r[1] = x[1], r[2] = x[2], r[3] = a + x[1] - x[2];
    for (int i = 0; i < 2; i++) c[i] = arm[i] + way * axis[i] + second[i] - E0[i] - crank[i];
}

/* The same for rates, at the coordinates found. */
static double found[3];
static void plane_rates(const problem *p, const double *x, double *r, double *c)
{
    const double h = 1e-3, at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    problem moved = *p;
    double y[MOST], f[MOST], g[MOST];
    c[0] = c[1] = 0;
    for (int e = 0; e < 4; e++) {
        moved.given = ANGLE + at[e] * h * RATE;
        for (int i = 0; i < 3; i++) y[i] = found[i] + at[e] * h * x[i];
        plane_loop(&moved, y, f, g);
        for (int i = 0; i < 2; i++) c[i] += weight[e] * g[i] / (12 * h);
    }
    r[0] = x[0], r[1] = x[1], r[2] = x[2], r[3] = RATE + x[1] - x[2];
}

static void drawn_at(FILE *f, const plane *w, const char *before, const double at[2],
                     const double *from)
{
    double zero[2] = {0, 0}, out[2];
    spin2(w->turned, from ? from : zero, at, out);
    fprintf(f, "%s[%.17g, %.17g, 0]", before, w->m * (out[0] + (from ? 0 : w->x)),
            w->m * (out[1] + (from ? 0 : w->y)));
}

static char *write_plane(const plane *w)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    double along[2] = {P0[0] / hypot(P0[0], P0[1]), P0[1] / hypot(P0[0], P0[1])}, zero[2] = {0, 0};
    double J = w->kg * w->m * w->m;
    assert_non_null(f);
    fprintf(f,
            "limber: 1\nmaterials: {al: {E: %.17g, nu: 0.3, rho: %.17g}}\n"
            "sections: {s: {material: al, shape: rectangle, height: %.17g, width: %.17g}}\n",
            7e10 * w->kg / w->m, 2700 * w->kg / (w->m * w->m * w->m), 0.02 * w->m, 0.03 * w->m);
    fprintf(f, "bodies:\n  c: {type: beam, section: s, elements: %d", w->mesh);
    drawn_at(f, w, ", from: ", C0, NULL), drawn_at(f, w, ", to: ", D0, NULL);
    fprintf(f, "}\n  e: {type: rigid, mass: %.17g, inertia: [%.17g, %.17g, %.17g]", w->mass * w->kg,
            0.1 * J, 0.1 * J, 0.1 * J);
    drawn_at(f, w, ", position: ", P0, NULL), drawn_at(f, w, ", frames: {c: ", C0, P0);
    fprintf(f, "}}\n  a: {type: rigid, mass: %.17g, inertia: [%.17g, %.17g, %.17g]", 2 * w->kg,
            0.1 * J, 0.1 * J, 0.1 * J);
    drawn_at(f, w, ", position: ", A0, NULL), drawn_at(f, w, ", frames: {p: ", P0, A0);
    fprintf(f, "}}\n  d: {type: rigid, mass: %.17g, inertia: [%.17g, %.17g, %.17g]", 3 * w->kg,
            0.1 * J, 0.2 * J, 0.1 * J);
    drawn_at(f, w, ", position: ", E0, NULL), drawn_at(f, w, ", frames: {c: ", D0, E0);
    fprintf(f,
            "}}\njoints:\n  A: {type: revolute, between: [ground, a], axis: z}\n"
            "  P: {type: prismatic, between: [%s]",
            w->swapped ? "e, a.p" : "a.p, e");
    drawn_at(f, &(plane){.m = 1, .turned = w->turned}, ", axis: ", along, zero);
    fprintf(f,
            "}\n  C: {type: revolute, between: [%s], axis: z}\n"
            "  D: {type: revolute, between: [%s], axis: z}\n"
            "  E: {type: revolute, between: [ground, d], axis: z}\n",
            w->swapped ? "c.start, e.c" : "e.c, c.start", w->swapped ? "c.end, d.c" : "d.c, c.end");
    fprintf(f,
            "initial: {A: {angle: 0.5, rate: 1.7}}\n" START
            "outputs: {a: joint(A), p: joint(P)/%.17g, c: joint(C), d: joint(D), e: joint(E), ra: "
            "rate(A), rp: rate(P)/%.17g, rc: rate(C), rd: rate(D), re: rate(E), K: "
            "energy.kinetic, El: energy.elastic}\n",
            w->m, w->m);
    fclose(f);
    return text;
}

static void check_plane(const plane *w, const char *formulation, const double *x, const double *v,
                        double *K)
{
    char *text = write_plane(w);
    table r = run_model(&(run_how){.text = text, .formulation = formulation});
    double s = w->swapped ? -1 : 1;
    assert_near(table_first(&r, "a"), ANGLE, 1e-12);
    assert_near(table_first(&r, "ra"), RATE, 1e-12);
    assert_near(s * table_first(&r, "p"), x[0], 1e-9);
    assert_near(s * table_first(&r, "c"), x[1], 1e-9);
    assert_near(s * table_first(&r, "d"), ANGLE + x[1] - x[2], 1e-9);
    assert_near(table_first(&r, "e"), x[2], 1e-9);
    assert_near(s * table_first(&r, "rp"), v[0], 1e-8);
    assert_near(s * table_first(&r, "rc"), v[1], 1e-8);
    assert_near(s * table_first(&r, "rd"), RATE + v[1] - v[2], 1e-8);
    assert_near(table_first(&r, "re"), v[2], 1e-8);
    assert_under(table_first(&r, "El") / (w->kg * w->m * w->m), 1e-12);
    *K = table_first(&r, "K") / (w->kg * w->m * w->m);
    table_free(&r);
    free(text);
}

static void loops(void **state)
{
    double L = hypot(D0[0], D0[1]); /* A and D are the farthest */
    double x[2 * MOST] = {0}, v[2 * MOST] = {0}, K, first = 0;
    problem p = {3, 4, 2, plane_loop, 0, L}, rates = {3, 4, 2, plane_rates, 0, L};
    (void)state;
    for (int k = 1; k <= 20; k++) p.given = ANGLE * k / 20, least(&p, x);
    memcpy(found, x, sizeof found);
    least(&rates, v);
    x[0] *= L, v[0] *= L;
    const plane plain = {.m = 1, .kg = 1, .mesh = 2, .mass = 1};
    for (int f = 0; f < FORMS; f++) {
        check_plane(&plain, form[f], x, v, &K);
        if (f == 0) first = K;
        assert_near(K, first, 1e-9 * first);
    }
    plane w[] = {plain, plain, plain, plain};
    w[0].turned = 0.7, w[0].x = 12, w[0].y = -5;
    w[1].m = 1000, w[1].kg = 1e-3;
    w[2].swapped = 1;
    w[3].mesh = 7, w[3].mass = 40;
    for (int i = 0; i < 4; i++) {
        check_plane(&w[i], i % 2 ? "corotational" : "minimal", x, v, &K);
        if (i < 3) assert_near(K, first, 1e-9 * first);
    }
}

/* ---- a spatial loop: crank, coupler between balls, rocker ---- */

static const vec Sa = {{0.1, 0.3, 0.2}}, Sc = {{1.2, 0.5, 0.6}}, Cat = {{1, 0, 0.1}};
static const vec An = {{0, 0, 1}}, Cn = {{0.6, 0.8, 0}};
#define TURNED  0.8
#define TURNING 1.5

static vec rotation_vector(double A[3][3], double B[3][3]) /* of A^T B, in A's axes */
{
    double R[3][3], At[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) At[i][j] = A[j][i];
    product(At, B, R);
    vec w = {{R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]}};
    double s = 0.5 * sqrt(dot(w, w)), c = 0.5 * (R[0][0] + R[1][1] + R[2][2] - 1);
    return scale(s > 1e-9 ? atan2(s, c) / (2 * s) : 0.5, w);
}

static void turns(const double *x, double given, double R[3][3][3])
{
    vec psi = {{x[1], x[2], x[3]}};
    double size = sqrt(dot(psi, psi));
    rotate_by(R[0], An, given);
    rotate_by(R[1], size > 0 ? scale(1 / size, psi) : An, size);
    rotate_by(R[2], Cn, x[0]);
}

static vec times(double R[3][3], vec a)
{
    place p = ground;
    memcpy(p.R, R, sizeof p.R);
    return turn(&p, a);
}

static void space_loop(const problem *p, const double *x, double *r, double *c)
{
    double R[3][3][3];
    turns(x, p->given, R);
    vec one = rotation_vector(R[0], R[1]), two = rotation_vector(R[1], R[2]);
    vec gap = add(times(R[0], Sa), 1, times(R[1], add(Sc, -1, Sa)));
    gap = add(add(gap, -1, Cat), -1, times(R[2], add(Sc, -1, Cat)));
    r[0] = x[0];
    for (int i = 0; i < 3; i++) r[1 + i] = one.x[i], r[4 + i] = two.x[i], c[i] = gap.x[i];
}

static double found_in_space[4];
static void space_rates(const problem *p, const double *x, double *r, double *c)
{
    double R[3][3][3];
    (void)p;
    turns(found_in_space, TURNED, R);
    vec a = scale(TURNING, An), b = {{x[1], x[2], x[3]}}, d = scale(x[0], Cn);
    vec gap = add(cross(a, times(R[0], Sa)), 1, cross(b, times(R[1], add(Sc, -1, Sa))));
    gap = add(gap, -1, cross(d, times(R[2], add(Sc, -1, Cat))));
    r[0] = x[0];
    for (int i = 0; i < 3; i++)
        r[1 + i] = b.x[i] - a.x[i], r[4 + i] = d.x[i] - b.x[i], c[i] = gap.x[i];
}

static void space(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  c: {type: rigid, mass: 3, inertia: [0.1, 0.2, 0.15], position: [1, 0, 0.1], frames: "
        "{s: [0.2, 0.5, 0.5]}}\n"
        "  b: {type: rigid, mass: 1, inertia: [0.1, 0.02, 0.09], position: [0.1, 0.3, 0.2], "
        "frames: {s: [1.1, 0.2, 0.4]}}\n"
        "  a: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.15], frames: {s: [0.1, 0.3, 0.2]}}\n"
        "joints:\n"
        "  D: {type: revolute, between: [ground, c], axis: [0.6, 0.8, 0]}\n"
        "  T: {type: spherical, between: [c.s, b.s]}\n"
        "  S: {type: spherical, between: [a.s, b]}\n"
        "  A: {type: revolute, between: [ground, a], axis: z}\n"
        "initial: {A: {angle: 0.8, rate: 1.5}}\n" START
        "outputs: {d: joint(D), rd: rate(D), w: omega(b), x: pos(b.s)}\n";
    double x[2 * MOST] = {0}, v[2 * MOST] = {0}, R[3][3][3];
    problem p = {4, 7, 3, space_loop, 0, 1}, rates = {4, 7, 3, space_rates, 0, 1};
    (void)state;
    for (int k = 1; k <= 20; k++) p.given = TURNED * k / 20, least(&p, x);
    memcpy(found_in_space, x, sizeof found_in_space);
    least(&rates, v);
    turns(x, TURNED, R);
    vec end = add(Cat, 1, times(R[2], add(Sc, -1, Cat)));
    for (int f = 0; f < FORMS; f++) {
        table r = run_model(&(run_how){.text = text, .formulation = form[f]});
        assert_near(table_first(&r, "d"), x[0], 1e-9);
        assert_near(table_first(&r, "rd"), v[0], 1e-8);
        for (int i = 0; i < 3; i++) {
            char name[8] = {'w', '.', "xyz"[i], 0};
            assert_near(table_first(&r, name), v[1 + i], 1e-8);
            name[0] = 'x';
            assert_near(table_first(&r, name), end.x[i], 1e-9);
        }
        table_free(&r);
    }
}

/* ---- loops keep their side, gaps close, nothing else moves ---- */

/* A parallelogram turned by almost half a turn goes on as one: the anti-parallelogram would have closed, too. */
static void parallelogram(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], frames: {e: [0, 0.5, 0]}}\n"
        "  b: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0.5, 0], frames: "
        "{e: [2, 0, 0]}}\n"
        "  c: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0], frames: {e: "
        "[0, 0.5, 0]}}\n"
        "joints:\n"
        "  A: {type: revolute, between: [ground, a], axis: z}\n"
        "  B: {type: revolute, between: [a.e, b], axis: z}\n"
        "  C: {type: revolute, between: [b.e, c.e], axis: z}\n"
        "  D: {type: revolute, between: [ground, c], axis: z}\n"
        "initial: {A: {angle: 1.45, rate: -3}}\n" START
        "outputs: {b: joint(B), c: joint(C), d: joint(D), rb: rate(B), rc: rate(C), rd: rate(D)}\n";
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        table r = run_model(&(run_how){.text = text, .formulation = form[f]});
        const char *const name[] = {"b", "c", "d", "rb", "rc", "rd"};
        const double is[] = {-1.45, 1.45, 1.45, 3, -3, -3};
        for (int i = 0; i < 6; i++) assert_near(table_first(&r, name[i]), is[i], 1e-10);
        table_free(&r);
    }
}

/* Two bodies that nothing holds: the one that the joint names first stays, whichever is listed first. */
static void nothing_holds(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  b: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\n"
        "  a: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], frames: {e: [1, 0, 0]}}\n"
        "joints: {j: {type: revolute, between: [a.e, b], axis: z}}\n"
        "initial: {j: {angle: 0.5, rate: 2}GIVEN}\n" START
        "outputs: {xa: pos(a.e).x, va: vel(a), wa: omega(a).z, wb: omega(b).z}\n";
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        run_how how = {.text = text, .formulation = form[f], .swap = {{"GIVEN", ""}}};
        table r = run_model(&how);
        assert_near(table_first(&r, "xa"), 1, 0);
        assert_near(table_first(&r, "wa"), 0, 1e-14);
        assert_near(table_first(&r, "wb"), 2, 1e-12);
        table_free(&r);
        /* all goes with a body whose velocity is given */
        how.swap[0][1] = ", velocity: {b: {linear: [0, 3, 0], angular: [0, 0, 0.5]}}";
        r = run_model(&how);
        assert_near(table_first(&r, "wa"), -1.5, 1e-12);
        assert_near(table_first(&r, "wb"), 0.5, 1e-12);
        assert_near(table_first(&r, "va.x"), 0, 1e-12);
        assert_near(table_first(&r, "va.y"), 3 + 1.5, 1e-12);
        table_free(&r);
    }
}

/* Joints drawn apart: what is not written is zero as drawn. */
static void drawn_apart(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies: {b: {type: rigid, mass: 1.3, inertia: [0.1, 0.2, 0.25], com: [0.1, 0.2, 0.3], "
        "frames: {f: [0.3, -0.4, 0.1]}}}\n"
        "joints: {j: {type: planar, between: [\"ground.at(0, 0, 0)\", b.f], axis: z}}\n"
        "initial: {j: {x: 0.3, rate: {y: 2}}}\n" START
        "outputs: {a: joint(j).angle, x: joint(j).x, y: joint(j).y, ra: rate(j).angle, rx: "
        "rate(j).x, ry: rate(j).y}\n";
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        table r = run_model(&(run_how){.text = text, .formulation = form[f]});
        const char *const name[] = {"a", "x", "y", "ra", "rx", "ry"};
        const double is[] = {0, 0.3, 0, 0, 0, 2};
        for (int i = 0; i < 6; i++) assert_near(table_first(&r, name[i]), is[i], 1e-14);
        table_free(&r);
    }
}

/* A relaxed spring in place of a joint starts relaxed, and goes along. */
static void compliant(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], frames: {e: [1, 0, 0]}}\n"
        "  b: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0], com: [0.5, "
        "0, 0]}\n"
        "joints:\n"
        "  j: {type: revolute, between: [ground, a], axis: z}\n"
        "  k: {type: revolute, between: [a.e, b], axis: z, compliant: {stiffness: [1e6, 1e6], "
        "damping: "
        "[10, 10]}}\n"
        "initial: {j: {angle: 0.7, rate: 2}, k: {angle: 0.4}}\n" START
        "outputs: {a: joint(k), w: omega(b).z, E: energy.elastic}\n";
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        table r = run_model(&(run_how){.text = text, .formulation = form[f]});
        assert_near(table_first(&r, "a"), 0.4, 1e-12);
        assert_near(table_first(&r, "w"), 2, 1e-12);
        assert_near(table_first(&r, "E"), 0, 1e-20);
        table_free(&r);
    }
}

/* Coordinates of the user: a slider-crank at its dead point. What is written holds, or is refused. */
static void written(void **state)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {r: 0.1, L: 0.3}\n"
        "coordinates: {a: {}, b: {}, x: {value: r + L}}\n"
        "frames: {crank: rotz(a), rod: \"crank * disp(r, 0, 0) * rotz(b)\", slider: \"disp(x, 0, "
        "0)\"}\n"
        "bodies:\n"
        "  c: {type: rigid, mass: 1, inertia: [0.01, 0.01, 0.01], motion: crank}\n"
        "  d: {type: rigid, mass: 1, inertia: [0.01, 0.01, 0.01], motion: rod, frames: {e: [L, 0, "
        "0]}}\n"
        "  s: {type: rigid, mass: 1, inertia: [0.01, 0.01, 0.01], motion: slider}\n"
        "joints: {j: {type: inline, between: [s, d.e], axis: z}}\n"
        "initial: {a: {rate: 2}}\n" START "outputs: {a: rate(a), b: rate(b), x: rate(x)}\n";
    run_how how = {.text = text};
    (void)state;
    table r = run_model(&how);
    assert_near(table_first(&r, "a"), 2, 1e-14);
    assert_near(table_first(&r, "b"), -2 * 0.4 / 0.3, 1e-14);
    assert_near(table_first(&r, "x"), 0, 1e-14);
    table_free(&r);
    how.swap[0][0] = "coordinates: {a: {}", how.swap[0][1] = "coordinates: {a: {rate: 3}";
    how.swap[1][0] = "initial: {a: {rate: 2}}\n", how.swap[1][1] = "";
    r = run_model(&how);
    assert_near(table_first(&r, "a"), 3, 1e-14);
    assert_near(table_first(&r, "b"), -3 * 0.4 / 0.3, 1e-14);
    table_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees),         cmocka_unit_test(loops),
        cmocka_unit_test(space),         cmocka_unit_test(parallelogram),
        cmocka_unit_test(nothing_holds), cmocka_unit_test(drawn_apart),
        cmocka_unit_test(compliant),     cmocka_unit_test(written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
