/* One read from start to end. */
#include "model/reader.h"

#include <limber/status.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static void set_table_names(lm_reader *r)
{
    static const struct {
        size_t table;
        const char *noun, *plural, *values;
    } list[] = {
        {offsetof(lm_reader, materials), "material", "materials", NULL},
        {offsetof(lm_reader, sections), "section", "sections", NULL},
        {offsetof(lm_reader, coordinates), "coordinate", "coordinates", NULL},
        {offsetof(lm_reader, states), "state", "states", NULL},
        {offsetof(lm_reader, surfaces), "surface", "surfaces", NULL},
        {offsetof(lm_reader, blocks), "block", "blocks", NULL},
        {offsetof(lm_reader, power), "power element", "power elements", NULL},
        {offsetof(lm_reader, products), "frame", "frames", "products of frames"},
        {offsetof(lm_reader, bodies), "body", "bodies", NULL},
        {offsetof(lm_reader, joints), "joint", "joints", NULL},
        {offsetof(lm_reader, loads), "load", "loads", NULL},
        {offsetof(lm_reader, forces), "force element", "forces", NULL},
        {offsetof(lm_reader, outputs), "output", "outputs", "expressions"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        lm_table *t = (lm_table *)((char *)r + list[i].table);
        t->noun = list[i].noun;
        t->plural = list[i].plural;
        t->values = list[i].values;
    }
}

/* The top level of a file: its keys, and the values that need only parameters. */
static void read_top(lm_reader *r, const lm_file *file, lm_object_id id, lm_document *doc)
{
    uint64_t given;
    lm_where where = {lm_schema_object(id)->noun, NULL, {file->name, 1, 1}, NULL};
    r->where = &where;
    lm_read_object(r, id, file->root, doc, &given);
    r->where = NULL;
}

static void expand_names(lm_reader *r)
{
    const lm_yaml *root = r->files.at[0].root;
    lm_expand_value(r, root, "coordinates", &r->coordinates);
    lm_expand_value(r, root, "states", &r->states);
    lm_expand_value(r, root, "surfaces", &r->surfaces);
    lm_expand_value(r, root, "blocks", &r->blocks);
    lm_expand_value(r, root, "power", &r->power);
    for (int i = 0; i < r->files.n; i++) {
        if (!r->files.at[i].root) continue;
        lm_expand_value(r, r->files.at[i].root, "materials", &r->materials);
        lm_expand_value(r, r->files.at[i].root, "sections", &r->sections);
    }
    lm_expand_value(r, root, "frames", &r->products);
    lm_expand_value(r, root, "bodies", &r->bodies);
    lm_expand_value(r, root, "joints", &r->joints);
    lm_expand_value(r, root, "loads", &r->loads);
    lm_expand_value(r, root, "forces", &r->forces);
    lm_expand_value(r, root, "outputs", &r->outputs);
}

static void read_parts(lm_reader *r)
{
    const lm_yaml *root = r->files.at[0].root;
    lm_read_materials(r);
    lm_read_sections(r);
    lm_read_coordinates(r);
    lm_read_states(r);
    lm_read_blocks(r);
    lm_read_products(r);
    lm_read_bodies(r);
    lm_read_joints(r);
    lm_read_efforts(r);
    lm_read_loads(r);
    lm_read_forces(r);
    lm_read_power(r);
    lm_read_updates(r);
    lm_read_signals(r);
    lm_read_initial(r, lm_yaml_get(root, "initial", NULL));
    lm_draw_motions(r);
    lm_read_outputs(r);
    lm_compile_power(r);
    lm_finish_variables(r);
    if (r->diag->errors == 0) lm_integrate_variables(r);
    if (r->diag->errors == 0) lm_find_timed_delays(r);
    lm_read_formulation(r, lm_yaml_get(root, "formulation", NULL));
    lm_read_analyses(r, lm_yaml_get(root, "analysis", NULL));
    lm_check_samples(r);
}

static void read_all(lm_reader *r, const char *path, const char *text, size_t size)
{
    lm_spec *spec = r->spec;
    lm_document doc = {.title = ""};
    set_table_names(r);
    if (lm_load(r, path, text, size)) return;
    lm_read_params(r);
    read_top(r, &r->files.at[0], LM_OBJECT_MODEL, &doc);
    for (int i = 1; i < r->files.n; i++) {
        lm_document part = {0};
        if (r->files.at[i].root) read_top(r, &r->files.at[i], LM_OBJECT_INCLUDED, &part);
    }
    spec->title = doc.title;
    spec->assemble = doc.assemble;
    memcpy(spec->gravity, doc.gravity, sizeof spec->gravity);
    lm_use_components(r);
    expand_names(r);
    read_parts(r);
    lm_note_uses(r);
}

static void clean_up(lm_reader *r)
{
    lm_yaml_parser_free(&r->yaml);
    if (r->stream) fclose(r->stream);
    r->stream = NULL;
    lm_arena_free(&r->scratch);
}

/* Everything that changes lives in *r, not in locals: the arenas may jump back. */
static int guarded(lm_reader *r, const char *path, const char *text, size_t size)
{
    if (setjmp(r->fail)) {
        clean_up(r);
        return LIMBER_MEMORY;
    }
    r->spec = LM_NEW(r->arena, lm_spec);
    r->spec->arena = r->arena;
    r->spec->file = path = lm_arena_str(r->arena, path);
    r->spec->title = "";
    read_all(r, path, text, size);
    clean_up(r);
    return LIMBER_OK;
}

static int read_model(lm_arena *arena, lm_diag *diag, const char *path, const char *text,
                      size_t size, const lm_read_options *options, lm_spec **spec)
{
    lm_reader r = {.arena = arena, .diag = diag, .options = options};
    jmp_buf *handler = arena->on_fail;
    size_t limit = arena->limit;
    int errors = diag->errors;
    if (!limit) arena->limit = arena->used + LM_READ_MEMORY;
    arena->on_fail = r.scratch.on_fail = &r.fail;
    r.scratch.limit = LM_READ_MEMORY;
    locale_t c_numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = (locale_t)0;
    if (c_numbers) before = uselocale(c_numbers); /* numbers have points in every locale */
    int status = guarded(&r, path, text, size);
    if (c_numbers) {
        uselocale(before);
        freelocale(c_numbers);
    }
    if (status == LIMBER_MEMORY && arena->used + ((size_t)1 << 26) > arena->limit)
        lm_error(diag, ((lm_loc){path, 0, 0}),
                 "the model takes more than %zu MiB of memory to read", arena->limit >> 20);
    arena->on_fail = handler;
    arena->limit = limit;
    lm_diag_sort(diag);
    if (status == LIMBER_OK && diag->out_of_memory) status = LIMBER_MEMORY;
    if (status == LIMBER_OK && diag->errors > errors) status = r.status ? r.status : LIMBER_INPUT;
    *spec = status == LIMBER_OK ? r.spec : NULL;
    return status;
}

int lm_read_file(lm_arena *arena, lm_diag *diag, const char *path, const lm_read_options *options,
                 lm_spec **spec)
{
    return read_model(arena, diag, path, NULL, 0, options, spec);
}

int lm_read_text(lm_arena *arena, lm_diag *diag, const char *text, size_t size, const char *name,
                 const lm_read_options *options, lm_spec **spec)
{
    return read_model(arena, diag, name ? name : "model", text ? text : "", text ? size : 0,
                      options, spec);
}
