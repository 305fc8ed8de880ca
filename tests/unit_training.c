/* tests/unit_training.c -- small trainings: the same bytes on any number of threads and after an interruption. */
#include "tests/world.h"

#include <unistd.h>

#include "policies/training.h"
#include "policies/trainlog.h"
#include "tests/tempfolder.h"

enum { JOBS = 60, ITERATIONS = 5 };

/* Half of these jobs is learnt from: more than a cluster of 2x4 can run at once. */
static void open_small(World *w)
{
    char jobs[4000] = "";
    size_t used = 0;
    Rng rng;
    rng_open(&rng, 3, "unit_training", 0);
    int submit = 0;
    for (int i = 0; i < JOBS; i++) {
        submit += (int)rng_below(&rng, 90);
        used += (size_t)snprintf(jobs + used, sizeof jobs - used, "%sj%d,%d,%d,%d", i ? " / " : "", i, submit,
                                 1 << rng_below(&rng, 4), 60 + (int)rng_below(&rng, 600));
    }
    world_open(w, "2x4");
    world_jobs(w, jobs);
    static const char *const keys[] = {"run.tick=60",         "rl.blas=reference", "rl.warm=3",
                                       "rl.ticks=8",          "rl.window=5",       "rl.rollouts=4",
                                       "rl.check=2",          "rl.check_ticks=15", "rl.check_segments=2",
                                       "rl.imitate_epochs=3", "rl.first_part=1"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) world_set(w, keys[i]);
    world_set(w, arena_format(&w->arena, "rl.iterations=%d", ITERATIONS));
}

typedef struct Told {
    int n, stop_after; /* 0: never */
    char last[300];
} Told;

static void tell(void *self, const char *line)
{
    Told *told = self;
    told->n++;
    snprintf(told->last, sizeof told->last, "%s", line);
}

static bool go_on(void *self)
{
    const Told *told = self;
    return !told->stop_after || told->n < told->stop_after;
}

static TrainingSetup setup_of(World *w, const char *policy, const char *name, int n_threads, Told *told)
{
    return (TrainingSetup){.policy = policy,
                           .jobs = &w->workload,
                           .cluster = &w->cluster,
                           .params = &w->params,
                           .seed = 1,
                           .n_threads = n_threads,
                           .path = arena_format(&w->arena, "%s/%s", folder, name),
                           .tell = tell,
                           .go_on = go_on,
                           .self = told};
}

static void train(World *w, const TrainingSetup *setup, bool finishes)
{
    bool finished;
    if (!training_run(setup, &w->arena, &finished, &w->err)) fail_msg("%s", w->err.text);
    assert_int_equal(finished, finishes);
}

static void expect_same_files(const char *a, const char *b, const char *ending)
{
    char command[300];
    snprintf(command, sizeof command, "cmp -s %s/%s%s %s/%s%s", folder, a, ending, folder, b, ending);
    if (system(command) != 0) fail_msg("%s%s and %s%s differ", a, ending, b, ending);
}

static bool is_there(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, R_OK) == 0;
}

static void threads_do_not_show(void **state)
{
    (void)state;
    static const char *const policies[] = {"mlf-rl", "rl"};
    for (int p = 0; p < 2; p++) {
        World w;
        open_small(&w);
        for (int threads = 1; threads <= 3; threads++) {
            Told told = {0};
            TrainingSetup setup =
                setup_of(&w, policies[p], arena_format(&w.arena, "%s%d", policies[p], threads), threads, &told);
            train(&w, &setup, true);
            assert_int_equal(told.n, (p ? 0 : 3) + 1 + ITERATIONS);
        }
        for (int threads = 2; threads <= 3; threads++) {
            const char *name = arena_format(&w.arena, "%s%d", policies[p], threads);
            expect_same_files(arena_format(&w.arena, "%s1", policies[p]), name, "");
            expect_same_files(arena_format(&w.arena, "%s1", policies[p]), name, ".csv");
        }
        world_close(&w);
    }
}

/* After any step of the second phase. */
static void interrupted_and_resumed_is_uninterrupted(void **state)
{
    (void)state;
    World w;
    open_small(&w);
    Told whole = {0};
    TrainingSetup setup = setup_of(&w, "mlf-rl", "whole", 2, &whole);
    train(&w, &setup, true);
    assert_false(is_there("whole.checkpoint"));
    for (int after = 3; after < 3 + ITERATIONS; after++) {
        Told told = {.stop_after = after};
        setup = setup_of(&w, "mlf-rl", "part", 2, &told);
        unlink(setup.path);
        train(&w, &setup, false);
        assert_true(is_there("part.checkpoint") && !is_there("part"));
        told.stop_after = 0;
        setup.resume = true;
        train(&w, &setup, true);
        expect_same_files("whole", "part", "");
        expect_same_files("whole", "part", ".csv");
    }
    world_close(&w);
}

/* While it imitates there is nothing worth keeping. */
static void interrupted_at_school_it_begins_anew(void **state)
{
    (void)state;
    World w;
    open_small(&w);
    Told told = {.stop_after = 1};
    TrainingSetup setup = setup_of(&w, "mlf-rl", "early", 1, &told);
    train(&w, &setup, false);
    assert_false(is_there("early") || is_there("early.checkpoint"));
    setup.resume = true;
    bool finished;
    assert_false(training_run(&setup, &w.arena, &finished, &w.err));
    assert_int_equal(w.err.kind, ERR_USAGE);
    world_close(&w);
}

static void a_checkpoint_of_another_training_is_refused(void **state)
{
    (void)state;
    World w;
    open_small(&w);
    Told told = {.stop_after = 4};
    TrainingSetup setup = setup_of(&w, "mlf-rl", "other", 1, &told);
    train(&w, &setup, false);
    world_set(&w, "rl.rate=0.01");
    setup.resume = true;
    bool finished;
    assert_false(training_run(&setup, &w.arena, &finished, &w.err));
    assert_non_null(strstr(w.err.text, "cannot be resumed"));
    world_close(&w);
}

/* Another seed, another net; the same net to go on with, another one still. */
static void seeds_and_beginnings_matter(void **state)
{
    (void)state;
    World w;
    open_small(&w);
    Told told = {0};
    world_set(&w, "rl.check=0"); /* else the best net may be the one it began with */
    TrainingSetup setup = setup_of(&w, "mlf-rl", "one", 1, &told);
    train(&w, &setup, true);
    setup = setup_of(&w, "mlf-rl", "more", 1, &told);
    setup.from = arena_format(&w.arena, "%s/one", folder);
    told.n = 0;
    train(&w, &setup, true);
    assert_int_equal(told.n, ITERATIONS); /* no imitation */
    world_set(&w, "rl.seed=2");
    setup = setup_of(&w, "mlf-rl", "two", 1, &told);
    train(&w, &setup, true);
    char command[300];
    snprintf(command, sizeof command, "cd %s && ! cmp -s one two && ! cmp -s one more", folder);
    assert_int_equal(system(command), 0);
    world_close(&w);
}

/* ---- the learning curve ---- */

enum { IMITATED, REINFORCED, MOST_ROWS = 40 };
typedef struct Rows {
    double row[2][MOST_ROWS][N_TRAIN_COLUMNS];
    int n[2]; /* of either phase */
} Rows;

static void read_rows(const char *name, Rows *rows)
{
    char path[200], line[1000];
    snprintf(path, sizeof path, "%s/%s.csv", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    *rows = (Rows){0};
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        int phase = strncmp(line, "imitate,", 8) == 0 ? IMITATED : REINFORCED, column = 0;
        assert_true(rows->n[phase] < MOST_ROWS);
        double *row = rows->row[phase][rows->n[phase]++];
        for (char *rest = line, *field; (field = strsep(&rest, ",")); column++) {
            assert_true(column < N_TRAIN_COLUMNS);
            row[column] = strtod(field, NULL);
        }
        assert_int_equal(column, N_TRAIN_COLUMNS);
    }
    fclose(file);
}

/* A net that takes no steps plays the same piece again and again: as it draws anew each time it gets something else
 * each time.  Of imitation, which agrees from the first epoch on, there are ten epochs of twenty. */
static void each_iteration_draws_anew(void **state)
{
    (void)state;
    World w;
    Told told = {0};
    Rows rows;
    open_small(&w);
    world_settings(&w, "rl.rate=0 rl.loads=1 rl.imitate_epochs=20 rl.check=0");
    TrainingSetup setup = setup_of(&w, "mlf-rl", "idle", 1, &told);
    train(&w, &setup, true);
    read_rows("idle", &rows);
    assert_int_equal(rows.n[IMITATED], 10);
    assert_int_equal(rows.n[REINFORCED], ITERATIONS);
    int n_alike = 0;
    for (int i = 0; i < ITERATIONS; i++)
        for (int k = 0; k < i; k++) {
            const double *a = rows.row[REINFORCED][i], *b = rows.row[REINFORCED][k];
            if (a[TRAIN_START_S] != b[TRAIN_START_S]) continue;
            assert_true(a[TRAIN_TEACHER] == b[TRAIN_TEACHER] && a[TRAIN_REWARD] != b[TRAIN_REWARD]);
            n_alike++;
        }
    assert_true(n_alike > 0);
    world_close(&w);
}

/* Where nobody waits when rewards begin there is nothing to decide: the net gets what MLF-H gets, and that is
 * something. */
static void with_nothing_to_decide_it_gets_what_mlf_h_gets(void **state)
{
    (void)state;
    World w;
    Told told = {0};
    Rows rows;
    open_small(&w);
    world_jobs(&w, "a,0,1,60 / b,0,1,30 / c,0,2,600 / d,0,1,60 / e,0,4,1000 / f,0,8,70 / g,0,1,60 / h,0,1,60");
    TrainingSetup setup = setup_of(&w, "rl", "forced", 1, &told);
    train(&w, &setup, true);
    read_rows("forced", &rows);
    assert_int_equal(rows.n[REINFORCED], ITERATIONS);
    for (int i = 0; i < ITERATIONS; i++) {
        const double *row = rows.row[REINFORCED][i];
        assert_true(row[TRAIN_DECISIONS] == 0 && row[TRAIN_TEACHER] < 0);
        assert_true(fabs(row[TRAIN_REWARD] - row[TRAIN_TEACHER]) < 1e-12);
    }
    world_close(&w);
}

/* No iteration: what comes out is the net that it began with, whole. */
static void no_iteration_no_change(void **state)
{
    (void)state;
    World w;
    Told told = {0};
    open_small(&w);
    world_set(&w, "rl.iterations=1");
    TrainingSetup setup = setup_of(&w, "mlf-rl", "first", 1, &told);
    train(&w, &setup, true);
    world_set(&w, "rl.iterations=0");
    setup = setup_of(&w, "mlf-rl", "second", 1, &told);
    setup.from = arena_format(&w.arena, "%s/first", folder);
    train(&w, &setup, true);
    expect_same_files("first", "second", "");
    world_close(&w);
}

/* Three jobs a week apart: a piece of two hours has one of them, each about as often, after the lead. */
static void pieces_are_where_jobs_arrive(void **state)
{
    (void)state;
    enum { WEEK_S = 7 * 86400, TICKS = 120, LEAD = 30, PIECES = 200 };
    World w;
    world_open(&w, "2x4");
    world_jobs(&w, arena_format(&w.arena, "a,0,1,60 / b,%d,1,60 / c,%d,1,60", WEEK_S, 2 * WEEK_S));
    Stage stage = {.jobs = &w.workload, .cluster = &w.cluster, .params = &w.params, .seed = 1, .tick = TIME_MINUTE};
    const double loads[] = {.5, 2};
    int middle = 0, dense = 0;
    for (uint64_t i = 0; i < PIECES; i++) {
        Segment piece;
        if (!segment_draw(&piece, &stage, TICKS, LEAD, loads, 2, 7, "test", i, &w.err)) fail_msg("%s", w.err.text);
        assert_int_equal(piece.jobs.n, 1);
        assert_int_equal(piece.n_ticks, TICKS);
        dense += piece.load > 1;
        if (piece.start > 0 && piece.start < (SimTime)WEEK_S * TIME_SECOND) {
            middle++;
            double lead_s = (double)WEEK_S - time_seconds(piece.start);
            assert_true(lead_s == LEAD * 60 * piece.load);
        }
        segment_close(&piece);
    }
    assert_true(middle > PIECES / 4 && middle < PIECES / 2);
    assert_true(dense > PIECES / 3 && dense < 2 * PIECES / 3);
    world_close(&w);
}

static void what_cannot_be_learnt_from_is_told(void **state)
{
    (void)state;
    World w;
    open_small(&w);
    Told told = {0};
    bool finished;
    TrainingSetup setup = setup_of(&w, "mlf-rl", "none", 1, &told);
    w.workload.n = 3;
    assert_false(training_run(&setup, &w.arena, &finished, &w.err));
    assert_int_equal(w.err.kind, ERR_DATA);
    w.err = (Err){0};
    JobSpec *job = (JobSpec *)(uintptr_t)w.workload.job;
    for (int i = 0; i < JOBS; i++) job[i].n_gpus += 8; /* wider than the cluster */
    w.workload.n = JOBS;
    assert_false(training_run(&setup, &w.arena, &finished, &w.err));
    assert_int_equal(w.err.kind, ERR_DATA);
    assert_non_null(strstr(w.err.text, "no job of its first part ended"));
    for (int i = 0; i < JOBS; i++) job[i].n_gpus -= 8;
    w.err = (Err){0};
    world_set(&w, "run.tick=0");
    assert_false(training_run(&setup, &w.arena, &finished, &w.err));
    assert_int_equal(w.err.kind, ERR_USAGE);
    assert_false(is_there("none"));
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(interrupted_and_resumed_is_uninterrupted),
        cmocka_unit_test(interrupted_at_school_it_begins_anew),
        cmocka_unit_test(a_checkpoint_of_another_training_is_refused),
        cmocka_unit_test(seeds_and_beginnings_matter),
        cmocka_unit_test(each_iteration_draws_anew),
        cmocka_unit_test(with_nothing_to_decide_it_gets_what_mlf_h_gets),
        cmocka_unit_test(no_iteration_no_change),
        cmocka_unit_test(pieces_are_where_jobs_arrive),
        cmocka_unit_test(what_cannot_be_learnt_from_is_told),
    };
    return cmocka_run_group_tests_name("training", tests, make_folder, remove_folder);
}
