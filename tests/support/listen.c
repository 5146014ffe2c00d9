#include "support/listen.h"

limber_status run_listen(const run_how *how, char said[SAID])
{
    char path[512], results[512];
    limber_messages *msg = limber_messages_new();
    limber_load_options load = limber_load_options_default();
    limber_model *model = NULL;
    limber_summary sum;
    const char *models = getenv("MODELS");
    while (load.set_count < RUN_SETS && how->set[load.set_count]) load.set_count++;
    load.set = how->set;
    snprintf(path, sizeof path, "%s/%s.yaml", models ? models : "models",
             how->model ? how->model : "");
    char *text = run_model_text(how);
    limber_status st =
        limber_model_parse(text, strlen(text), how->model ? path : "m", &load, &model, msg);
    free(text);
    if (st != LIMBER_OK) limber_messages_print(msg, stderr);
    assert_int_equal(st, LIMBER_OK);
    limber_run_options opt = limber_run_options_default();
    opt.formulation = how->formulation;
    snprintf(results, sizeof results, "%s/%s", getenv("SCRATCH"), how->results ? how->results : "");
    if (how->results) opt.results = results;
    st = limber_run(model, &opt, &sum, msg);
    snprintf(said, SAID, "%s", sum.reason);
    for (int i = 0; i < limber_messages_count(msg); i++) {
        size_t at = strlen(said);
        snprintf(said + at, SAID - at, "%s\n", limber_messages_get(msg, i).text);
    }
    limber_model_free(model);
    limber_messages_free(msg);
    return st;
}

double number_after(const char *said, const char *words)
{
    const char *at = strstr(said, words);
    if (!at) fail_msg("'%s' is not in: %s", words, said);
    return strtod(at + strlen(words), NULL);
}

void assert_says(const char *said, const char *words)
{
    if (!strstr(said, words)) fail_msg("'%s' is not in: %s", words, said);
}
