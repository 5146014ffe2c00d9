/* Messages, and loading models. */
#include "api/api.h"

#include "form/damping_frame.h"
#include "form/form.h"
#include "form/sharing.h"

#include <string.h>

limber_messages *limber_messages_new(void) { return lm_alloc(sizeof(limber_messages)); }

void limber_messages_free(limber_messages *msg)
{
    if (!msg) return;
    lm_diag_free(&msg->diag);
    lm_free(msg);
}

int limber_messages_count(const limber_messages *msg) { return msg->diag.list.n; }
int limber_messages_errors(const limber_messages *msg) { return msg->diag.errors; }

limber_message limber_messages_get(const limber_messages *msg, int i)
{
    const lm_message *m = &msg->diag.list.at[i];
    return (limber_message){
        (limber_severity)m->severity, m->loc.file, m->loc.line, m->loc.col, m->text, m->analysis};
}

void limber_messages_print(const limber_messages *msg, FILE *out)
{
    static const char *const word[] = {"error", "warning", "note"};
    for (int i = 0; i < msg->diag.list.n; i++) {
        const lm_message *m = &msg->diag.list.at[i];
        if (m->loc.file) fprintf(out, "%s:", m->loc.file);
        if (m->loc.file && m->loc.line) fprintf(out, "%d:%d:", m->loc.line, m->loc.col);
        fprintf(out, "%s%s: %s\n", m->loc.file ? " " : "", word[m->severity], m->text);
    }
    if (msg->diag.errors)
        fprintf(out, "%d error%s\n", msg->diag.errors, msg->diag.errors == 1 ? "" : "s");
}

limber_load_options limber_load_options_default(void) { return (limber_load_options){0}; }

/* Another method is one that the refined tolerance would not have chosen; all else is changed before. */
static int put_in_other_terms(limber_model *model, lm_spec *spec, const limber_load_options *o,
                              const char *name, lm_diag *diag)
{
    int method = o->change == LIMBER_CHANGE_METHOD, bad = 0;
    if (!method) bad = lm_vary(spec, o->change, model->changed, sizeof model->changed) < 0;
    if (!bad && lm_refine(spec, o->refine_mesh, o->refine_time)) {
        lm_error(diag, (lm_loc){.file = name}, "the refined beams have too many elements");
        return LIMBER_INPUT;
    }
    if (method) bad = lm_vary(spec, o->change, model->changed, sizeof model->changed) < 0;
    return bad ? LIMBER_MEMORY : LIMBER_OK;
}

/* Read, then compile; the model owns the arena that both fill. */
static limber_status load(const char *text, size_t size, const char *name,
                          const limber_load_options *options, limber_model **out, lm_diag *diag)
{
    lm_read_options ro = {0};
    lm_spec *spec = NULL;
    limber_model *model = lm_alloc(sizeof *model);
    int before = diag->list.n;
    *out = NULL;
    if (!model) return LIMBER_MEMORY;
    if (options)
        ro = (lm_read_options){options->set, options->set_count, options->allow_outside_includes,
                               options->kinematics};
    int st = text ? lm_read_text(&model->m.arena, diag, text, size, name, &ro, &spec)
                  : lm_read_file(&model->m.arena, diag, name, &ro, &spec);
    if (!st && options) st = put_in_other_terms(model, spec, options, name, diag);
    if (!st) st = lm_compile_safely(&model->m, spec, diag);
    for (int i = before; i < diag->list.n && !st; i++)
        lm_diag_add_message(&model->said, &diag->list.at[i]);
    lm_diag_sort(diag);
    if (diag->out_of_memory || model->said.out_of_memory) st = LIMBER_MEMORY;
    if (st) {
        limber_model_free(model);
        return (limber_status)st;
    }
    *out = model;
    return LIMBER_OK;
}

limber_status limber_model_load(const char *path, const limber_load_options *options,
                                limber_model **model, limber_messages *msg)
{
    return load(NULL, 0, path, options, model, &msg->diag);
}

limber_status limber_model_parse(const char *text, size_t size, const char *name,
                                 const limber_load_options *options, limber_model **model,
                                 limber_messages *msg)
{
    return load(text, size, name, options, model, &msg->diag);
}

void limber_model_free(limber_model *model)
{
    if (!model) return;
    lm_arena arena = model->m.arena;
    lm_arena_free(&arena);
    lm_diag_free(&model->said);
    lm_free(model);
}

const char *limber_model_title(const limber_model *model) { return model->m.spec->title; }

const char *limber_model_formulation(const limber_model *model)
{
    return lm_form_name(model->m.spec->formulation.type);
}

const char *limber_model_change(const limber_model *model) { return model->changed; }

void limber_model_pieces(const limber_model *model,
                         void (*each)(void *context, const limber_piece *piece), void *context)
{
    lm_pieces(&model->m, each, context);
}

int limber_model_output_count(const limber_model *model) { return model->m.spec->outputs.n; }
const char *limber_model_output_name(const limber_model *model, int i)
{
    return model->m.spec->outputs.at[i].item.name;
}

int limber_model_state_count(const limber_model *model) { return model->m.spec->states.n; }
const char *limber_model_state_name(const limber_model *model, int i)
{
    return model->m.spec->states.at[i].item.name;
}

int limber_model_state_index(const limber_model *model, const char *name)
{
    for (int i = 0; i < model->m.spec->states.n; i++)
        if (strcmp(model->m.spec->states.at[i].item.name, name) == 0) return i;
    return -1;
}

void limber_model_on_step(limber_model *model, int (*function)(void *context, limber_step *step),
                          void *context)
{
    model->m.on_step = function;
    model->m.on_step_context = context;
}

void limber_schema_json(FILE *out) { lm_schema_json(out); }
void limber_schema_markdown(FILE *out) { lm_schema_markdown(out); }

int limber_formulation_count(void) { return LM_FORMULATIONS; }

const char *limber_nearest_name(const char *word, const char *const *names, int n)
{
    return lm_nearest(word, names, n);
}

const char *limber_formulation_name(int number)
{
    if (number < 0 || number >= LM_FORMULATIONS) return NULL;
    return lm_form_name((lm_formulation_type)number);
}

/* The formulation by name, or the model's; NULL after an error. */
static const lm_form *choose_form(const lm_model *m, const char *name, lm_diag *diag)
{
    const char *names[LM_FORMULATIONS];
    lm_formulation_type type = m->spec->formulation.type;
    lm_loc loc =
        m->spec->formulation.given ? m->spec->formulation.loc : (lm_loc){m->spec->file, 0, 0};
    int found = !name;
    for (int i = 0; i < LM_FORMULATIONS; i++) {
        names[i] = lm_form_name((lm_formulation_type)i);
        if (name && strcmp(name, names[i]) == 0) type = (lm_formulation_type)i, found = 1;
    }
    if (name) loc = (lm_loc){"--formulation", 0, 0};
    if (!found) {
        const char *near = lm_nearest(name, names, LM_FORMULATIONS);
        lm_error(diag, loc, "unknown formulation '%s'%s%s%s", name, near ? "; did you mean '" : "",
                 near ? near : "", near ? "'?" : "");
        return NULL;
    }
    return lm_form_get(type);
}

limber_status lm_create_system(const lm_model *m, const char *formulation, lm_diag *diag,
                               lm_system **out)
{
    const lm_form *form = choose_form(m, formulation, diag);
    if (!form) return LIMBER_UNSUPPORTED;
    int known = form == lm_form_get(LM_FORM_ELASTODYNAMIC);
    if (damping_check(m, known, diag)) return LIMBER_MEMORY;
    return lm_system_create(form, m, diag, out);
}
