/* sim/cli/spans.h -- "A:B" in its three readings: positions, instants, seeds. */
#ifndef SIM_CLI_SPANS_H
#define SIM_CLI_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/simtime.h"

/* Positions A <= i < B, counted from 0; an empty end is open (0, INT64_MAX).  False: not that, or A > B. */
bool span_parse_positions(const char *text, int64_t *from, int64_t *to);

/* Instants A <= t < B, each in seconds or as a UTC date ("2017-10-03", "2017-10-03 12:30:00"); an empty end is open (0,
 * TIME_NEVER).  *dated says whether a date was among them. */
bool span_parse_times(const char *text, SimTime *from, SimTime *to, bool *dated);

/* Seeds A to B, both included. */
bool span_parse_seeds(const char *text, int64_t most, int64_t *first, int64_t *last);

#endif
