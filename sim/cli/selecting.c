/* sim/cli/selecting.c -- from text to a Selection, one sentence for each value that is wrong. */
#include "sim/cli/selecting.h"

#include "sim/cli/spans.h"

static bool read_positions(const Invocation *inv, Selection *s, Err *err)
{
    const char *text = invocation_value(inv, "jobs");
    if (text && !span_parse_positions(text, &s->first, &s->last))
        return err_set(err, ERR_USAGE, "%s: expected A:B, positions counted from 0 with A <= B; an end may be left out",
                       invocation_spelling(inv, "jobs"));
    return true;
}

static bool read_window(const Invocation *inv, Selecting *selecting, Err *err)
{
    const char *text = invocation_value(inv, "window");
    Selection *s = &selecting->selection;
    if (text && !span_parse_times(text, &s->window_from, &s->window_to, &selecting->dated))
        return err_set(err, ERR_USAGE,
                       "%s: expected T0:T1 with T0 <= T1, each in seconds or as \"YYYY-MM-DD hh:mm:ss\"",
                       invocation_spelling(inv, "window"));
    return true;
}

bool selecting_read(const Invocation *inv, Selecting *selecting, Err *err)
{
    Selection *s = &selecting->selection;
    *selecting = (Selecting){.selection = SELECT_ALL};
    return read_positions(inv, s, err) && read_window(inv, selecting, err) &&
           invocation_integer(inv, "sample", 1, INT32_MAX, &s->sample, err) &&
           invocation_number(inv, "load", 1e-6, 1e6, &s->load, err) &&
           invocation_number(inv, "arrival-scale", 0, 1e6, &s->arrival_scale, err);
}

bool tell_no_dates(const char *option, const Workload *workload, Err *err)
{
    return err_set(err, ERR_USAGE, "--%s: %s counts seconds from an origin of its own, so dates mean nothing there",
                   option, workload->source);
}

bool selecting_check(const Selecting *selecting, const Workload *workload, Err *err)
{
    return !selecting->dated || workload->calendar || tell_no_dates("window", workload, err);
}
