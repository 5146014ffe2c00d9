/* Structures of a mechanism and the parts it falls into when one is taken away, against a search that takes it
 * away: random graphs of welds and ball joints, on the ground and in space. */
#include "support/modes.h"

#include "api/api.h"
#include "form/damping_net.h"

enum { MOST = 9 };

static int below(int n) { return rand() % n; }

/* Bodies of masses 1, 2, 4, ..: a sum tells its terms. */
static void write_graph(writer *w, int nbodies, int njoints, int grounded)
{
    print(w, "limber: 1\nbodies:\n");
    for (int b = 0; b < nbodies; b++)
        print(w, "  b%d: {type: rigid, mass: %d, inertia: [1, 1, 1], position: [%d, 0, 0]}\n", b,
              1 << b, b);
    print(w, "joints:\n");
    for (int j = 0; j < njoints; j++) {
        int a = below(nbodies), b = below(nbodies - 1), weld = below(4) == 0;
        b += b >= a;
        print(w, "  j%d: {type: %s, between: [b%d, b%d], at: [0, 0, 0]}\n", j,
              weld ? "fixed" : "spherical", a, b);
    }
    for (int j = 0; j < grounded; j++)
        print(w, "  g%d: {type: spherical, between: [ground, b%d], at: [0, 1, 0]}\n", j,
              below(nbodies));
}

/* ---- the search ---- */

static int structure_at(const damping_net *net, int joint, int side)
{
    int node = net->m->pairs[net->m->joints[joint].pair].node[side];
    return net->of[node < 0 ? net->m->nbodies : net->m->nodes[node].body];
}

/* of[s]: the component of structure s without `own`; those of the ground and `own` count too. */
static void components(const damping_net *net, int own, int of[MOST + 1])
{
    for (int s = 0; s <= net->n; s++) of[s] = s;
    for (int pass = 0; pass <= net->n; pass++)
        for (int j = 0; j < net->m->njoints; j++) {
            int a = structure_at(net, j, 0), b = structure_at(net, j, 1);
            if (a == own || b == own) continue;
            int low = of[a] < of[b] ? of[a] : of[b];
            of[a] = of[b] = low;
        }
}

static double mass_of_component(const damping_net *net, int own, const int of[MOST + 1], int which)
{
    double sum = 0;
    for (int s = 0; s < net->n; s++)
        if (s != own && of[s] == which) sum += net->mass[s];
    return sum;
}

/* The component that holds a structure: with the ground, or the heaviest that is heavier than it; -1: none. */
static int holder(const damping_net *net, int own, const int of[MOST + 1])
{
    int best = -1;
    double most = net->mass[own];
    for (int k = net->first[own]; k < net->first[own + 1]; k++) {
        int joint = net->joint[k];
        int c = of[structure_at(net, joint, !damping_net_side(net, own, joint))];
        double mass = mass_of_component(net, own, of, c);
        if (c == of[net->n]) return c;
        if (mass > most) best = c, most = mass;
    }
    return best;
}

static void check(const damping_net *net, int own)
{
    int of[MOST + 1], n = net->first[own + 1] - net->first[own];
    const int *joint = net->joint + net->first[own];
    components(net, own, of);
    int by = holder(net, own, of), got = damping_net_holder(net, own), found = 0;
    for (int k = 0; k < n; k++) {
        int part = damping_net_part(net, own, joint[k]);
        int c = of[structure_at(net, joint[k], !damping_net_side(net, own, joint[k]))];
        assert_float_equal(damping_net_mass(net, own, part), mass_of_component(net, own, of, c), 0);
        for (int i = 0; i < k; i++) {
            int other = of[structure_at(net, joint[i], !damping_net_side(net, own, joint[i]))];
            assert_int_equal(damping_net_part(net, own, joint[i]) == part, other == c);
        }
        if (c == by) assert_int_equal(part, got);
        found |= part == got;
    }
    assert_int_equal(found, by >= 0);
}

static void parts(void **state)
{
    (void)state;
    srand(5);
    for (int trial = 0; trial < 400; trial++) {
        static char room[4000];
        writer w = {.at = room, .room = sizeof room};
        limber_messages *msg = limber_messages_new();
        lm_arena arena = {0};
        damping_net net;
        int nbodies = 3 + below(MOST - 2);
        write_graph(&w, nbodies, 1 + below(nbodies + 3), below(3));
        limber_model *model = modes_parse(room, msg);
        assert_int_equal(damping_net_make(&model->m, model->m.njoints, &arena, &net), 0);
        for (int own = 0; own < net.n; own++) check(&net, own);
        lm_arena_free(&arena);
        limber_model_free(model);
        limber_messages_free(msg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
