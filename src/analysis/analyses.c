/* The list of analyses: what each is called, how it runs, what is refused, what it leaves. */
#include "analysis/refuse.h"

#include "analysis/campbell.h"
#include "analysis/linearize.h"
#include "analysis/modes.h"
#include "analysis/periodic.h"

#include <string.h>

typedef limber_status analysis_function(lm_run *run, const lm_spec_analysis *a);

static const struct {
    const char *name;
    analysis_function *run;
    analysis_function *refuse; /* NULL: nothing */
    int hands_on;
} analyses[LM_ANALYSES] = {
    [LM_ANALYSIS_DYNAMICS] = {"dynamics", lm_dynamics, lm_refuse_dynamics, 1},
    [LM_ANALYSIS_STATICS] = {"statics", lm_statics, NULL, 1},
    [LM_ANALYSIS_MODES] = {"modes", lm_modes_analysis, lm_refuse_modes, 0},
    [LM_ANALYSIS_LINEARIZE] = {"linearize", lm_linearize, NULL, 0},
    [LM_ANALYSIS_CAMPBELL] = {"campbell", lm_campbell_analysis, lm_refuse_campbell, 0},
    [LM_ANALYSIS_PERIODIC] = {"periodic", lm_periodic_analysis, lm_refuse_periodic, 1},
};

const char *lm_analysis_name(lm_analysis_type type) { return analyses[type].name; }
int lm_analysis_hands_on(lm_analysis_type type) { return analyses[type].hands_on; }

int lm_analysis_find(const char *name)
{
    for (int i = 0; i < LM_ANALYSES; i++)
        if (strcmp(name, analyses[i].name) == 0) return i;
    return -1;
}

limber_status lm_analyse(lm_run *run, const lm_spec_analysis *a)
{
    return analyses[a->type].run(run, a);
}

limber_status lm_refuse_analysis(lm_run *run, const lm_spec_analysis *a)
{
    return analyses[a->type].refuse ? analyses[a->type].refuse(run, a) : LIMBER_OK;
}

limber_status lm_refuse_analyses(lm_run *run)
{
    const lm_spec *spec = run->model->spec;
    limber_status st = LIMBER_OK;
    for (int i = 0; i < spec->analyses.n; i++) {
        limber_status one = lm_refuse_analysis(run, &spec->analyses.at[i]);
        if (!st) st = one;
    }
    return st;
}
