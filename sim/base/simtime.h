/* sim/base/simtime.h -- the clock: whole microseconds in 64 bits.
 *
 * No floating point enters the clock.  Text is converted at the edges, exactly: what is read from a trace is written
 * back the same.  TIME_NEVER is both "later than everything" and "there is no such time".
 */
#ifndef SIM_BASE_SIMTIME_H
#define SIM_BASE_SIMTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t SimTime;                 /* microseconds */
__extension__ typedef __int128 WideTime; /* sums of SimTime, GPU-microseconds: cannot overflow in practice */

#define TIME_NEVER  INT64_MAX
#define TIME_SECOND ((SimTime)1000000)
#define TIME_MINUTE (60 * TIME_SECOND)
#define TIME_LIMIT  (1000000000000 * TIME_SECOND) /* 10^12 s: the largest time that is read from input */

/* Room for any formatted time, its sign and its NUL. */
enum { TIME_TEXT = 24 };

/* Plain decimal seconds ("12", "0.1", "1e3") of `length` bytes, all of them; false if the text is no number, finer than
 * a microsecond, negative or above TIME_LIMIT. */
bool time_parse_seconds(const char *text, size_t length, SimTime *time);

/* "YYYY-MM-DD hh:mm:ss" with an optional fraction, UTC, as microseconds since 1970; false if it is anything else. */
bool time_parse_date(const char *text, size_t length, SimTime *time);

/* "YYYY-MM-DD hh:mm:ss" (fraction dropped) of a time since 1970. */
void time_format_date(SimTime time, char text[TIME_TEXT]);

/* Seconds, exact to the microsecond, without trailing zeros or exponent: "12", "0.1", "-3.25".  Returns the length. */
int time_format(SimTime time, char text[TIME_TEXT]);

/* a + b, or TIME_NEVER where that would pass the clock's end (or either is TIME_NEVER already). */
SimTime time_add(SimTime a, SimTime b);

/* Microseconds nearest to a number of seconds. */
SimTime time_from_seconds(double seconds);
static inline double time_seconds(SimTime time)
{
    return (double)time / 1e6;
}

#endif
