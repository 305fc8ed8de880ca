/* sim/cli/tracein.c -- options first: their mistakes need no trace to be read. */
#include "sim/cli/tracein.h"

#include "sim/cli/notices.h"
#include "sim/cli/settings.h"
#include "traces/reader.h"

bool trace_in_read(const Invocation *inv, TraceIn *in, Err *err)
{
    int64_t seed = 1;
    in->params = settings_known(inv->arena);
    if (!invocation_integer(inv, "seed", 0, MAX_SEED, &seed, err) || !selecting_read(inv, &in->selecting, err) ||
        !settings_apply(inv, &in->params, err))
        return false;
    in->seed = (uint64_t)seed;
    if (!trace_read(inv->operand[0], invocation_value(inv, "format"), &in->params, inv->arena, &in->whole, err) ||
        !selecting_check(&in->selecting, &in->whole, err))
        return false;
    if (!invocation_has(inv, "quiet")) notice_trace(&in->whole, invocation_has(inv, "verbose"));
    return true;
}
