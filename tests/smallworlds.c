/* tests/smallworlds.c -- every world of four small jobs, against a reference written from the rules alone.
 *
 * All 18^4 = 104,976 traces of four jobs with submit in {0,1}, GPUs in {1,2,3} and duration in {0,1,2} s on three GPUs
 * (SimGrid's torture idea), under fifo, fit, srtf and las.  The reference steps through whole seconds; it shares no
 * code and no idea of efficiency with the simulator.
 */
#include "tests/world.h"

/* ---- the reference ---- */

enum { JOBS = 4, GPUS = 3, UNSEEN = -1 };

typedef struct RefJob {
    int submit, gpus, duration; /* seconds; the rest is what happens to it */
    int done, start, end, preemptions;
    bool running;
} RefJob;

typedef enum { REF_FIFO, REF_FIT, REF_SRTF, REF_LAS } RefRule;

/* Smaller goes first; the first two rules keep the order of arrival. */
static int ref_key(RefRule rule, const RefJob *job)
{
    if (rule == REF_SRTF) return job->duration - job->done;
    return rule == REF_LAS ? job->done : 0;
}

/* Walks the list in order and says who should hold GPUs now; who runs under fifo or fit holds them already. */
static void ref_decide(RefRule rule, RefJob *list[], int n, int now)
{
    bool preempts = rule == REF_SRTF || rule == REF_LAS, grant[JOBS] = {false};
    int spare = GPUS;
    for (int i = 1; i < n; i++) /* a stable sort by exchanging neighbours */
        for (int j = i; j > 0 && ref_key(rule, list[j]) < ref_key(rule, list[j - 1]); j--) {
            RefJob *other = list[j];
            list[j] = list[j - 1];
            list[j - 1] = other;
        }
    for (int i = 0; i < n && !preempts; i++)
        if (list[i]->running) grant[i] = true, spare -= list[i]->gpus;
    for (int i = 0; i < n; i++) {
        if (grant[i]) continue;
        if (list[i]->gpus <= spare)
            grant[i] = true, spare -= list[i]->gpus;
        else if (rule == REF_FIFO)
            break;
    }
    for (int i = 0; i < n; i++) {
        if (list[i]->running && !grant[i]) list[i]->preemptions++;
        if (grant[i] && list[i]->start == UNSEEN) list[i]->start = now;
        list[i]->running = grant[i];
    }
}

/* `job` in order of submission, ties in file order. */
static void ref_run(RefRule rule, RefJob job[])
{
    RefJob *list[JOBS]; /* submitted and not ended: the list that the preemptive rules keep between decisions */
    for (int now = 0, n = 0, arrived = 0; arrived < JOBS || n; now++) {
        for (bool happened = true; happened;) { /* each turn: all ends, all arrivals, then one decision */
            int kept = 0, before = n;
            for (int i = 0; i < n; i++) {
                if (list[i]->running && list[i]->done == list[i]->duration)
                    list[i]->end = now, list[i]->running = false;
                else
                    list[kept++] = list[i];
            }
            happened = kept < before;
            n = kept;
            for (; arrived < JOBS && job[arrived].submit == now; happened = true) list[n++] = &job[arrived++];
            if (happened) ref_decide(rule, list, n, now);
        }
        for (int i = 0; i < n; i++) list[i]->done += list[i]->running;
    }
}

/* ---- the comparison ---- */

static void set_world(int number, JobSpec spec[], RefJob job[])
{
    static const char *const names[JOBS] = {"a", "b", "c", "d"};
    int n = 0;
    for (int submit = 0; submit <= 1; submit++) /* in order of submission, ties in file order */
        for (int i = 0, rest = number; i < JOBS; i++, rest /= 18) {
            if (rest % 2 != submit) continue;
            job[n] = (RefJob){
                .submit = submit, .gpus = 1 + rest / 2 % 3, .duration = rest / 6 % 3, .start = UNSEEN, .end = UNSEEN};
            spec[n] = (JobSpec){.name = names[i],
                                .submit = job[n].submit * TIME_SECOND,
                                .duration = job[n].duration * TIME_SECOND,
                                .deadline = TIME_NEVER,
                                .n_gpus = job[n].gpus};
            n++;
        }
    MUST(n == JOBS);
}

static void tell_difference(int number, const RefJob job[], const Job *ours)
{
    for (int i = 0; i < JOBS; i++)
        print_error("job %d: submit %d, %d GPUs, %d s: expected %d-%d, %d preemptions, got %g-%g, %d\n", i,
                    job[i].submit, job[i].gpus, job[i].duration, job[i].start, job[i].end, job[i].preemptions,
                    time_seconds(ours[i].first_started), time_seconds(ours[i].ended), ours[i].preemptions);
    fail_msg("world %d differs", number);
}

static void compare_all(RefRule rule, const char *policy)
{
    enum { WORLDS = 18 * 18 * 18 * 18 };
    const Policy *p = policy_find(policy);
    World base;
    Arena runs = {0};
    JobSpec spec[JOBS];
    world_open(&base, "1x3");
    base.workload = (Workload){.job = spec, .n = JOBS};

    for (int number = 0; number < WORLDS; number++) {
        RefJob job[JOBS];
        set_world(number, spec, job);
        ref_run(rule, job);
        World w = base;
        w.arena = runs;
        if (!world_try(&w, p)) fail_msg("world %d: %s", number, w.err.text);
        for (int i = 0; i < JOBS; i++) {
            const Job *ours = &w.result.job[i];
            if (ours->first_started != job[i].start * TIME_SECOND || ours->ended != job[i].end * TIME_SECOND ||
                ours->preemptions != job[i].preemptions)
                tell_difference(number, job, w.result.job);
        }
        runs = w.arena;
        arena_reset(&runs);
    }
    arena_free(&runs);
    world_close(&base);
}

static void d2_5_fifo(void **state)
{
    (void)state;
    compare_all(REF_FIFO, "fifo");
}

static void d2_5_fit(void **state)
{
    (void)state;
    compare_all(REF_FIT, "fit");
}

static void d2_5_srtf(void **state)
{
    (void)state;
    compare_all(REF_SRTF, "srtf");
}

static void d2_5_las(void **state)
{
    (void)state;
    compare_all(REF_LAS, "las");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d2_5_fifo),
        cmocka_unit_test(d2_5_fit),
        cmocka_unit_test(d2_5_srtf),
        cmocka_unit_test(d2_5_las),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
