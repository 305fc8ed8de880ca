/* policies/optstop.c -- the two rules, one epoch at a time. */
#include "policies/optstop.h"

#include <math.h>
#include <string.h>

#include "sim/base/err.h"

const Param optstop_params[] = {
    NUMBER_PARAM("accuracy_share", "0.3", 0.001, 1, "weight of the newest epoch in the smoothed accuracy"),
    NUMBER_PARAM("enough", "0.99", 0, 1, "curve: stop at this share of the accuracy predicted for the last epoch"),
    INTEGER_PARAM("kill_hopeless", "0", 0, 1, "curve: stop a job whose required accuracy is out of reach"),
    NUMBER_PARAM("confidence", "0.95", 0.5, 1, "curve: how sure of that it must be"),
    CHOICE_PARAM("domhan_set", "fast", "fast|all", "curve: four families of learning curves or all eleven"),
    NUMBER_PARAM("watch_share", "0.37", 0, 1, "best: share of the epochs after the quick drop that are only watched"),
    NUMBER_PARAM("smooth", "0.3", 0, 1, "best: weight of the newest loss in the smoothed loss; 0 does not smooth"),
    INTEGER_PARAM("least_epochs", "3", 2, 1000, "best: epochs before the quick drop may be over"),
    {0},
};

OptStopRule optstop_rule(const Params *params, OptStopVariant variant)
{
    return (OptStopRule){
        .variant = variant,
        .accuracy_share = params_number(params, "optstop", "accuracy_share"),
        .enough = params_number(params, "optstop", "enough"),
        .kill_hopeless = params_integer(params, "optstop", "kill_hopeless"),
        .confidence = params_number(params, "optstop", "confidence"),
        .families = strcmp(params_text(params, "optstop", "domhan_set"), "all") ? CURVE_FAST : CURVE_ALL,
        .watch_share = params_number(params, "optstop", "watch_share"),
        .smooth = params_number(params, "optstop", "smooth"),
        .least_epochs = params_integer(params, "optstop", "least_epochs"),
    };
}

void optstop_open(OptStop *stop, const OptStopRule *rule, int epochs_max, double required)
{
    MUST(epochs_max >= 1 && epochs_max <= CURVE_MOST_EPOCHS);
    *stop = (OptStop){.rule = rule, .epochs_max = epochs_max, .required = required};
}

/* ---- curve ---- */

static OptStopVerdict judge_curve(OptStop *stop, CurveTable *table)
{
    const OptStopRule *rule = stop->rule;
    CurveWatch *watch = &stop->watch.curve;
    const CurveFit *fit = curve_watch(watch, table, stop->epochs_max);
    if (!fit) return OPTSTOP_GO_ON;
    if (rule->kill_hopeless && 1 - curve_confidence(fit, stop->epochs_max, stop->required) > rule->confidence)
        return OPTSTOP_HOPELESS;
    return stop->accuracy.value >= rule->enough * curve_predict(fit, stop->epochs_max) ? OPTSTOP_ENOUGH : OPTSTOP_GO_ON;
}

/* ---- best ---- */

/* What the published code finds in its list of all losses: local minima and the run of rises that ends here.  `n`
 * counts this loss. */
static void follow(LossWatch *watch, int n, double loss)
{
    double before = watch->last[0], two_before = watch->last[1];
    if (n >= 3 && before < two_before && before < loss) {
        if (watch->n_minima++ == 0) watch->first_minimum = before;
        watch->last_minimum = before;
    }
    watch->n_rises = n >= 2 && loss > before ? watch->n_rises + 1 : 0;
    watch->last[1] = before;
    watch->last[0] = loss;
}

static OptStopVerdict observe_loss(OptStop *stop, double loss)
{
    const OptStopRule *rule = stop->rule;
    LossWatch *watch = &stop->watch.loss;
    int n = stop->n_epochs, last = n - 1;
    if (rule->smooth > 0) loss = ewma_add(&watch->smoothed, rule->smooth, loss);
    follow(watch, n, loss);

    if (watch->phase == LOSS_QUICK_DROP && n >= rule->least_epochs && watch->n_rises > 0) {
        watch->phase = LOSS_FLUCTUATION;
        watch->pivot = n - 2;
        watch->best = watch->last[1];
    }
    if (watch->phase == LOSS_QUICK_DROP) return OPTSTOP_GO_ON;

    if ((watch->n_minima > 1 && watch->last_minimum > watch->first_minimum) || watch->n_rises > 5)
        watch->phase = LOSS_OVERFITTING; /* for good */
    if (watch->phase == LOSS_OVERFITTING) return OPTSTOP_OVERFITTING;

    int n_watched = (int)floor(rule->watch_share * (stop->epochs_max - watch->pivot - 1));
    bool better = loss < watch->best;
    if (better) watch->best = loss;
    return better && last - watch->pivot > n_watched ? OPTSTOP_ENOUGH : OPTSTOP_GO_ON;
}

static OptStopVerdict observe(OptStop *stop, double loss, double accuracy)
{
    MUST(isfinite(loss) && isfinite(accuracy));
    stop->n_epochs++;
    ewma_add(&stop->accuracy, stop->rule->accuracy_share, accuracy);
    if (stop->rule->variant == OPTSTOP_BEST) return observe_loss(stop, loss);
    curve_observe(&stop->watch.curve.history, accuracy);
    return OPTSTOP_GO_ON;
}

OptStopVerdict optstop_observe(OptStop *stop, CurveTable *table, double loss, double accuracy)
{
    OptStopVerdict verdict = observe(stop, loss, accuracy);
    return stop->rule->variant == OPTSTOP_CURVE ? judge_curve(stop, table) : verdict;
}

void optstop_note(OptStop *stop, double loss, double accuracy)
{
    observe(stop, loss, accuracy);
}
