/* traces/arrivals.c -- Philly's days and bursts, and the arrivals of queueing theory.
 *
 * A generated day takes the total of a day of the log with the same weekday; each weekday's totals are dealt like a
 * deck of cards, shuffled anew when it is used up, so that mean, extremes and week are the log's after ten weeks.
 * Within the day, bursts begin by the log's hours.  A burst is at most a twelfth of its day and, where it reaches
 * midnight, goes on at the same day's beginning: days stay independent and a longer trace begins like a shorter one.
 * Only sums and products here, no library function whose last bit differs between machines.
 */
#include "traces/arrivals.h"

#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/rng.h"
#include "sim/base/text.h"
#include "traces/calibration.h"

enum { DAY_S = 86400, DENSEST = 1000, BURSTS_A_DAY = 12 };

static bool parse_rate(const char *text, const char *number, double low, double high, double *rate, Err *err)
{
    if (text_to_double(number, strlen(number), rate) && *rate >= low && *rate <= high) return true;
    return err_set(err, ERR_USAGE, "%s: expected a number from %g to %g after the colon", text, low, high);
}

bool arrivals_parse(const char *text, Arrivals *arrivals, Err *err)
{
    *arrivals = (Arrivals){ARRIVALS_PHILLY, 1};
    if (strcmp(text, "philly") == 0) return true;
    if (text_starts(text, "philly:")) return parse_rate(text, text + 7, 0.01, DENSEST, &arrivals->rate, err);
    if (text_starts(text, "poisson:")) {
        arrivals->law = ARRIVALS_POISSON;
        return parse_rate(text, text + 8, 1e-9, 1e6, &arrivals->rate, err);
    }
    if (text_starts(text, "det:")) {
        arrivals->law = ARRIVALS_REGULAR;
        return parse_rate(text, text + 4, 1e-9, 1e6, &arrivals->rate, err);
    }
    return err_set(err, ERR_USAGE, "%s: expected philly, philly:X, poisson:RATE or det:RATE", text);
}

/* How many jobs the log had on the day that generated day `day` repeats. */
static int dealt_total(uint64_t seed, int day)
{
    int weekday = day % 7; /* day 0 is a Tuesday; 74 days hold ten of each weekday and an eleventh of the first four */
    int n = (N_DAYS - weekday + 6) / 7;
    int round = day / 7 / n, place = day / 7 % n;
    int deck[N_DAYS / 7 + 1] = {0};
    Rng rng;
    rng_open(&rng, seed, "weekday", 7 * (uint64_t)round + (uint64_t)weekday);
    for (int i = 0; i < n; i++) { /* Fisher and Yates, inside out */
        int j = (int)rng_below(&rng, i + 1);
        deck[i] = deck[j];
        deck[j] = i;
    }
    return day_total[weekday + 7 * deck[place]];
}

static int drawn_hour(Rng *rng)
{
    int sum = 0, hour = 0;
    for (int i = 0; i < 24; i++) sum += hour_share[i];
    for (int64_t u = rng_below(rng, sum); u >= hour_share[hour]; hour++) u -= hour_share[hour];
    return hour;
}

static int by_value(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Seconds of the day, sorted, into at[n]. */
static void draw_day(Rng *rng, int at[], int n)
{
    int largest = n / BURSTS_A_DAY > 1 ? n / BURSTS_A_DAY : 1;
    for (int done = 0; done < n;) {
        double second = 3600 * (drawn_hour(rng) + rng_uniform(rng));
        int size = (int)(knot_at(burst_size, rng_uniform(rng)) + 0.5);
        double pace = knot_at(burst_pace, rng_uniform(rng));
        if (size > largest) size = largest;
        if (size > n - done) size = n - done;
        for (int i = 0; i < size; i++) {
            at[done++] = (int)second % DAY_S;
            second += pace * knot_at(burst_gap_s, rng_uniform(rng));
        }
    }
    qsort(at, (size_t)n, sizeof *at, by_value);
}

static void draw_philly(double density, uint64_t seed, SimTime at[], int n)
{
    Arena scratch = {0};
    for (int day = 0, done = 0; done < n; day++) {
        Rng rng;
        rng_open(&rng, seed, "day", (uint64_t)day);
        int total = (int)(dealt_total(seed, day) * density + rng_uniform(&rng));
        int *second = NEW_ARRAY(&scratch, int, total + 1);
        draw_day(&rng, second, total);
        for (int i = 0; i < total && done < n; i++)
            at[done++] = ((SimTime)(FIRST_DAY + day) * DAY_S + second[i]) * TIME_SECOND;
        arena_reset(&scratch);
    }
    arena_free(&scratch);
}

bool arrivals_draw(const Arrivals *arrivals, uint64_t seed, SimTime at[], int n, Err *err)
{
    double span = n / arrivals->rate;
    if (arrivals->law != ARRIVALS_PHILLY && span > time_seconds(TIME_LIMIT) / 10) /* a tenth: Poisson may exceed it */
        return err_set(err, ERR_USAGE, "%d jobs at %g a second take %g seconds to arrive; at most 10^11 fit the clock",
                       n, arrivals->rate, span);
    SimTime now = 0;
    Rng rng;
    switch (arrivals->law) {
    case ARRIVALS_PHILLY: draw_philly(arrivals->rate, seed, at, n); break;
    case ARRIVALS_REGULAR:
        for (int i = 0; i < n; i++) at[i] = time_from_seconds(i / arrivals->rate);
        break;
    case ARRIVALS_POISSON:
        for (int i = 0; i < n; i++) {
            rng_open(&rng, seed, "arrival", (uint64_t)i);
            now = at[i] = now + time_from_seconds(gsl_ran_exponential(&rng.gsl, 1 / arrivals->rate));
        }
        break;
    }
    return true;
}
