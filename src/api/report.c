/* Reports, drawings and files of ParaView, and the models to start from. */
#include "api/api.h"

#include "form/form.h"
#include "view/embed.h"
#include "view/report.h"
#include "view/vtk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the page ---- */

typedef struct page {
    const char *text;
    size_t size;
    char *own; /* memory of a page that was read */
} page;

/* $LIMBER_VIEWER names a page that takes the place of the built-in one. */
static const char *named_page(void)
{
    const char *name = getenv("LIMBER_VIEWER");
    return name && *name ? name : NULL;
}

static int read_page(const char *path, page *p, char *err, size_t size)
{
    FILE *in = fopen(path, "rb");
    long length = -1;
    if (in && !fseek(in, 0, SEEK_END)) length = ftell(in);
    if (length >= 0 && length < 100000000 && !fseek(in, 0, SEEK_SET))
        p->own = lm_alloc((size_t)length + 1);
    int bad = !p->own || fread(p->own, 1, (size_t)length, in) != (size_t)length;
    if (bad)
        snprintf(err, size, "cannot read the page %s of LIMBER_VIEWER: %s", path,
                 errno ? strerror(errno) : "it is no file of a sensible size");
    if (in) fclose(in);
    p->text = p->own;
    p->size = bad ? 0 : (size_t)length;
    return bad ? -1 : 0;
}

static limber_status open_page(page *p, char *err, size_t size)
{
    *p = (page){0};
    errno = 0;
    if (named_page()) return read_page(named_page(), p, err, size) ? LIMBER_INPUT : LIMBER_OK;
    if (lm_report_refuse(err, size)) return LIMBER_UNSUPPORTED;
    p->text = lm_embedded_page.text;
    p->size = (size_t)(lm_embedded_page.end - lm_embedded_page.text);
    return LIMBER_OK;
}

int lm_report_refuse(char *err, size_t size)
{
    if (named_page() || lm_embedded_page.end > lm_embedded_page.text) return 0;
    snprintf(err, size,
             "this build of limber has no page for reports: install nodejs and npm, then configure "
             "and build it again; or let LIMBER_VIEWER name the page of another build");
    return -1;
}

/* ---- reports ---- */

limber_view_options limber_view_options_default(void) { return (limber_view_options){0}; }

static limber_status add_files(lm_report *r, const char *const *results, int count,
                               const limber_view_options *o, char *err, size_t size)
{
    limber_status st = LIMBER_OK;
    for (int i = 0; i < count && !st; i++) {
        lm_result_how how = {.model = i == 0 && o->model ? &o->model->m : NULL,
                             .allow_outside = o->allow_outside_includes};
        st = lm_report_add(r, results[i], &how, err, size);
    }
    return st;
}

limber_status limber_report(const char *const *results, int count, const char *html,
                            const limber_view_options *options, limber_messages *msg)
{
    limber_view_options defaults = limber_view_options_default();
    char err[900] = "";
    page p;
    lm_report *r = NULL;
    limber_status st = count < 1 ? LIMBER_INPUT : open_page(&p, err, sizeof err);
    if (count < 1) return st;
    for (int i = 0; i < count && !st; i++)
        if (lm_target_refuse("report", html, results[i], NULL, err, sizeof err)) st = LIMBER_IO;
    if (!st && !(r = lm_report_new(count, p.size))) st = LIMBER_MEMORY;
    if (!st) st = add_files(r, results, count, options ? options : &defaults, err, sizeof err);
    if (!st) st = lm_report_write(r, p.text, p.size, html, err, sizeof err);
    if (st) lm_error(&msg->diag, ((lm_loc){0}), "%s", err[0] ? err : limber_status_text(st));
    lm_report_free(r);
    lm_free(p.own);
    return st;
}

/* ---- drawings ---- */

static int state_facts(const limber_check_info *i, limber_status st, lm_report_fact f[5])
{
    int n = 0;
    f[n] = (lm_report_fact){.label = "model", .verdict = st ? "bad" : "good"};
    snprintf(f[n++].value, sizeof f->value, "%s", st ? limber_status_text(st) : "ready to run");
    f[n] = (lm_report_fact){.label = "contents", .verdict = ""};
    snprintf(f[n++].value, sizeof f->value, "%d bodies, %d joints, %d forces, %d loads", i->bodies,
             i->joints, i->forces, i->loads);
    if (!i->mechanics) return n;
    f[n] = (lm_report_fact){.label = "mobility", .verdict = ""};
    snprintf(f[n++].value, sizeof f->value, "%d", i->mobility);
    f[n] = (lm_report_fact){.label = "constraints", .verdict = i->redundant ? "fair" : "good"};
    snprintf(f[n++].value, sizeof f->value, "%d, %d of them redundant", i->constraints,
             i->redundant);
    return n;
}

/* Names of the poses; without a system those of the bodies. */
static const char **pose_names(const lm_model *m, const lm_system *sys, lm_arena *a)
{
    const char **names = LM_NEW_N(a, const char *, m->nnodes);
    char text[200];
    for (int i = 0; i < m->nnodes && names; i++) {
        if (sys) sys->form->describe_pose(sys, i, text, sizeof text);
        names[i] = sys ? lm_arena_str(a, text) : m->bodies[m->nodes[i].body].name;
        if (!names[i]) return NULL;
    }
    return names;
}

static limber_status draw(lm_report *r, const lm_model *m, lm_system *sys, const double *q,
                          const limber_check_info *info, limber_status checked)
{
    lm_arena arena = {0};
    lm_report_fact facts[5];
    const char *slash = strrchr(m->spec->file, '/');
    lm_drawing d = {.model = m,
                    .name = slash ? slash + 1 : m->spec->file,
                    .facts = facts,
                    .nfacts = state_facts(info, checked, facts)};
    double *pose = LM_NEW_N(&arena, double, 7 * m->nnodes);
    d.pose_names = pose_names(m, sys, &arena);
    d.pose = q && sys ? pose : NULL;
    if (d.pose && pose) sys->form->poses(sys, q, pose);
    limber_status st = pose && d.pose_names ? lm_report_draw(r, &d) : LIMBER_MEMORY;
    lm_arena_free(&arena);
    return st;
}

limber_status lm_draw(const lm_model *m, lm_system *sys, const double *q,
                      const limber_check_info *info, limber_status checked, const char *html,
                      lm_diag *diag)
{
    char err[900] = "";
    page p;
    lm_report *r = NULL;
    limber_status st = open_page(&p, err, sizeof err);
    if (!st && lm_target_refuse("drawing", html, NULL, m->spec->file, err, sizeof err))
        st = LIMBER_IO;
    if (!st && !(r = lm_report_new(1, p.size))) st = LIMBER_MEMORY;
    if (!st) st = draw(r, m, sys, q, info, checked);
    if (!st) st = lm_report_write(r, p.text, p.size, html, err, sizeof err);
    if (st) lm_error(diag, ((lm_loc){0}), "%s", err[0] ? err : limber_status_text(st));
    lm_report_free(r);
    lm_free(p.own);
    return st;
}

/* ---- ParaView ---- */

limber_status limber_export_vtk(const char *results, const char *folder,
                                const limber_view_options *options, limber_messages *msg)
{
    limber_view_options defaults = limber_view_options_default();
    const limber_view_options *o = options ? options : &defaults;
    lm_result_how how = {.model = o->model ? &o->model->m : NULL,
                         .allow_outside = o->allow_outside_includes};
    char err[900] = "";
    limber_status st = LIMBER_IO;
    if (!lm_folder_refuse(folder, err, sizeof err))
        st = lm_vtk_write(results, folder, &how, err, sizeof err);
    if (st) lm_error(&msg->diag, ((lm_loc){0}), "%s", err[0] ? err : limber_status_text(st));
    return st;
}

/* ---- templates ---- */

int limber_template_count(void) { return lm_embedded_ntemplates; }
const char *limber_template_name(int i) { return lm_embedded_templates[i].name; }
const char *limber_template_text(int i) { return lm_embedded_templates[i].text; }
