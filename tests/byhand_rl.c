/* tests/byhand_rl.c -- MLF-RL, MLFS and `rl` with nets whose opinions are known; rewards worked out by hand. */
#include "tests/randommlf.h"

#include "policies/mlf_reward.h"
#include "tests/model.h"

/* Uses the model at `folder`/NAME for mlf-rl and for rl. */
static void use_model(World *w, const char *name)
{
    world_set(w, arena_format(&w->arena, "mlf_rl.model=%s/%s.model", folder, name));
    world_set(w, arena_format(&w->arena, "rl.model=%s/rl-%s.model", folder, name));
    world_set(w, "rl.blas=reference");
}

static void make_model(const char *name, const Likes likes[], int n)
{
    Arena arena = {0};
    write_model(&arena, arena_format(&arena, "%s/%s.model", folder, name), "mlf-rl", likes, n);
    write_model(&arena, arena_format(&arena, "%s/rl-%s.model", folder, name), "rl", likes, n);
    arena_free(&arena);
}

/* The nets: MLF-H's opinion, its opposite, one that would have everybody wait, and one that never moves a task. */
static int make_models(void **state)
{
    if (make_folder(state) != 0) return -1;
    make_model("near", (Likes[]){{F_DISTANCE, -1}, {F_IS_QUEUE, -9}, {F_IS_STOP, -9}}, 3);
    make_model("far", (Likes[]){{F_DISTANCE, 1}, {F_IS_QUEUE, -9}, {F_IS_STOP, -9}}, 3);
    make_model("wait", (Likes[]){{F_IS_QUEUE, 9}, {F_IS_STOP, 9}, {F_DISTANCE, -1}}, 3);
    make_model("stay", (Likes[]){{F_IS_STOP, 9}, {F_IS_QUEUE, -9}, {F_DISTANCE, -1}}, 3);
    Arena arena = {0};
    for (uint64_t seed = 1; seed <= 3; seed++) {
        write_drawn_model(&arena, arena_format(&arena, "%s/drawn%d.model", folder, (int)seed), "mlf-rl", seed);
        write_drawn_model(&arena, arena_format(&arena, "%s/rl-drawn%d.model", folder, (int)seed), "rl", seed);
    }
    arena_free(&arena);
    return 0;
}

static void expect_same_runs(const World *a, const World *b)
{
    assert_int_equal(a->result.n, b->result.n);
    for (int i = 0; i < a->result.n; i++) {
        const Job *x = &a->result.job[i], *y = &b->result.job[i];
        assert_true(x->first_started == y->first_started && x->ended == y->ended && x->attained == y->attained);
        assert_int_equal(x->migrations, y->migrations);
    }
    assert_true(a->result.n_events == b->result.n_events && a->result.gpu_time == b->result.gpu_time);
}

/* ---- decisions ---- */

/* a goes to server 0, the lowest of equals.  Then server 1 is empty, the ideal host for b; the other net sends it to a,
 * whose GPUs have room. */
static void the_net_chooses_the_host(void **state)
{
    (void)state;
    for (int far = 0; far < 2; far++) {
        World w;
        Starts starts = {0};
        open_chains(&w, "2x1", "a,0,1,1000 / b,60,1,1000", 300);
        use_model(&w, far ? "far" : "near");
        w.also = (Watcher){&starts_observer, &starts};
        world_run(&w, "mlf-rl");
        assert_int_equal(starts.gpu[0][0], 0);
        assert_int_equal(starts.gpu[1][0], far ? 0 : 1);
        world_close(&w);
    }
}

/* One GPU for one.  At 0 a, the short one, is first and made to wait; b is the last and nothing runs, so it may not
 * wait.  From 600 on only a is there and the same holds.  fifo would start a. */
static void the_last_may_not_wait_while_nothing_runs(void **state)
{
    (void)state;
    World w;
    open_chains(&w, "1x1", "a,0,1,300 / b,0,1,600", 950);
    use_model(&w, "wait");
    world_run(&w, "mlf-rl");
    world_expect(&w, "a 600-900, b 0-600");
    world_close(&w);
}

/* Two GPUs: b starts at once as before; a could have the other GPU but is passed over, in the 30 rounds from 0 to 29
 * min, and not in the one after.  Nothing else happens: each of those rounds asked for the next. */
static void nobody_is_passed_over_for_ever(void **state)
{
    (void)state;
    World w;
    open_chains(&w, "1x2", "a,0,1,300 / b,0,1,6000", 950);
    use_model(&w, "wait");
    world_run(&w, "mlf-rl");
    world_expect(&w, "a 1800-2100, b 0-6000");
    world_close(&w);
}

/* `rl` takes them as they came, MLF-RL the short one first. */
static void rl_is_first_come_first_placed(void **state)
{
    (void)state;
    for (int rl = 0; rl < 2; rl++) {
        World w;
        open_chains(&w, "1x1", "a,0,1,900 / b,0,1,300", 950);
        use_model(&w, "near");
        world_run(&w, rl ? "rl" : "mlf-rl");
        world_expect(&w, rl ? "a 0-900, b 900-1200" : "a 300-1200, b 0-300");
        world_close(&w);
    }
}

/* ---- against MLF-H ---- */

/* A net of MLF-H's opinion decides as MLF-H does, whatever the world; with load control it is mlf-h-c, and so is MLFS
 * while it learns. */
static void mlf_h_s_opinion_is_mlf_h(void **state)
{
    (void)state;
    static const struct {
        const char *policy, *as, *when;
    } pairs[] = {{"mlf-rl", "mlf-h", "loaded"}, {"mlfs", "mlf-h-c", "loaded"}, {"mlfs", "mlf-h-c", "epoch:1000"}};
    int64_t moves = 0;
    for (uint64_t seed = 1; seed <= 12; seed++)
        for (int gang = 0; gang < 3; gang++)
            for (int p = 0; p < 3; p++) {
                World a, b;
                open_random(&a, seed, gang);
                open_random(&b, seed, gang);
                use_model(&b, "near");
                world_set(&a, "mlf_h.p_s=0"); /* one candidate to leave a server: MLF-H's */
                world_set(&b, "mlf_h.p_s=0");
                world_set(&b, arena_format(&b.arena, "mlfs.switch=%s", pairs[p].when));
                world_set(&a, "mlf_h.rial=0"); /* whose distances are not bounded by 2 */
                world_set(&b, "mlf_h.rial=0");
                world_run(&a, pairs[p].as);
                world_run(&b, pairs[p].policy);
                expect_same_runs(&a, &b);
                moves += a.result.migrations;
                world_close(&a);
                world_close(&b);
            }
    assert_true(moves > 50);
}

static void who_stays_is_not_moved(void **state)
{
    (void)state;
    int64_t moves = 0;
    for (uint64_t seed = 1; seed <= 12; seed++)
        for (int gang = 0; gang < 3; gang++) {
            World a, b;
            open_random(&a, seed, gang);
            open_random(&b, seed, gang);
            use_model(&b, "stay");
            world_run(&a, "mlf-h");
            world_run(&b, "mlf-rl");
            moves += a.result.migrations;
            assert_int_equal(b.result.migrations, 0);
            world_close(&a);
            world_close(&b);
        }
    assert_true(moves > 20);
}

/* ---- whatever the net says ---- */

static void every_job_ends(void **state)
{
    (void)state;
    static const char *const nets[] = {"far", "wait", "drawn1", "drawn2", "drawn3"};
    static const char *const policies[] = {"mlf-rl", "mlfs", "rl"};
    for (uint64_t seed = 1; seed <= 10; seed++)
        for (int gang = 0; gang < 3; gang++)
            for (int net = 0; net < 5; net++)
                for (int p = 0; p < 3; p++) {
                    World w;
                    open_random(&w, seed, gang);
                    use_model(&w, nets[net]);
                    if (!world_try(&w, policy_find(policies[p])))
                        fail_msg("%s, net %s, seed %d, gang %d: %s", policies[p], nets[net], (int)seed, gang,
                                 w.err.text);
                    for (int i = 0; i < w.result.n; i++) assert_int_equal(w.result.job[i].state, JOB_DONE);
                    world_close(&w);
                }
}

static void runs_repeat(void **state)
{
    (void)state;
    static const char *const policies[] = {"mlf-rl", "mlfs", "rl"};
    for (int p = 0; p < 3; p++) {
        World a, b;
        open_random(&a, 7, 0);
        open_random(&b, 7, 0);
        use_model(&a, "drawn1");
        use_model(&b, "drawn1");
        world_run(&a, policies[p]);
        world_run(&b, policies[p]);
        expect_same_runs(&a, &b);
        world_close(&a);
        world_close(&b);
    }
}

/* MLFS that learns takes over at some point, and what it learnt from MLF-H is not worse than nothing: all jobs end. */
static void mlfs_learns_and_takes_over(void **state)
{
    (void)state;
    static const char *const when[] = {"epoch:1", "epoch:3", "converged"};
    for (int i = 0; i < 3; i++) {
        World a, b;
        open_random(&a, 5, 0);
        open_random(&b, 5, 0);
        world_set(&a, "run.tick=60");
        world_set(&b, "run.tick=60");
        world_set(&b, arena_format(&b.arena, "mlfs.switch=%s", when[i]));
        world_set(&b, "mlfs.learn_s=60");
        world_set(&b, "rl.blas=reference");
        world_set(&b, "rl.seed=3");
        world_run(&a, "mlf-h-c");
        world_run(&b, "mlfs");
        for (int j = 0; j < b.result.n; j++) assert_int_equal(b.result.job[j].state, JOB_DONE);
        world_close(&a);
        world_close(&b);
    }
}

/* ---- models that are not ---- */

static void expect_refusal(const char *policy, const char *model, ErrKind kind, const char *part)
{
    World w;
    open_chains(&w, "1x1", "a,0,1,300", 500);
    if (model) world_set(&w, arena_format(&w.arena, "%s.model=%s", strcmp(policy, "rl") ? "mlf_rl" : "rl", model));
    assert_false(world_try(&w, policy_find(policy)));
    if (w.err.kind != kind || !strstr(w.err.text, part)) fail_msg("%d: %s", (int)w.err.kind, w.err.text);
    assert_true(w.result.n_events == 0);
    world_close(&w);
}

static void u73_a_wrong_model_is_told_before_the_run(void **state)
{
    (void)state;
    char path[100], damaged[100];
    snprintf(path, sizeof path, "%s/near.model", folder);
    snprintf(damaged, sizeof damaged, "%s/damaged.model", folder);
    expect_refusal("mlf-rl", "/nowhere/at.all", ERR_USAGE, "/nowhere/at.all");
    expect_refusal("mlf-rl", "Makefile", ERR_DATA, "Makefile");
    expect_refusal("rl", path, ERR_DATA, "mlf-rl"); /* of another policy */
    expect_refusal("mlfs", "Makefile", ERR_DATA, "Makefile");

    FILE *file = fopen(path, "rb");
    char bytes[1 << 17];
    size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (int flip = 0; flip < 2; flip++) { /* truncated; a bit flipped */
        bytes[n / 2] = (char)(bytes[n / 2] ^ flip);
        file = fopen(damaged, "wb");
        fwrite(bytes, 1, flip ? n : n - 10, file);
        fclose(file);
        expect_refusal("mlf-rl", damaged, ERR_DATA, damaged);
    }
}

static void switches_are_spelt(void **state)
{
    (void)state;
    static const char *const wrong[] = {"now", "epoch:", "epoch:0", "epoch:x", "epoch:1001"};
    for (int i = 0; i < 5; i++) {
        World w;
        open_chains(&w, "1x1", "a,0,1,300", 500);
        world_set(&w, arena_format(&w.arena, "mlfs.switch=%s", wrong[i]));
        assert_false(world_try(&w, policy_find("mlfs")));
        assert_int_equal(w.err.kind, ERR_USAGE);
        assert_non_null(strstr(w.err.text, "mlfs.switch"));
        world_close(&w);
    }
}

/* ---- rewards ---- */

static void close_to(double got, double expected)
{
    if (fabs(got - expected) > 1e-12) fail_msg("%.15g, expected %.15g", got, expected);
}

/* U69: 1x1, jobs of 100 s and 10 s at 0, in ticks of 10 s; short first they end at 10 and 110, long first at 110 and
 * 100.  JCT_ref 60, B_ref 1, one end in 5.5 ticks (n = 2/11).  At 10: min(2, 6)/n = 11 in tick 0; at 110: .5454/n = 3
 * in tick 10; long first .6/n = 3.3 in tick 9 and 3 in tick 10. */
static void u69_short_first_is_worth_more(void **state)
{
    (void)state;
    for (int long_first = 0; long_first < 2; long_first++) {
        Arena arena = {0};
        Job job[2] = {{.state = JOB_DONE, .deadline = 50 * TIME_SECOND, .accuracy_required = .5},
                      {.state = JOB_DONE, .deadline = 50 * TIME_SECOND, .accuracy_required = .5}};
        JobOutcome outcome[2] = {{.accuracy_at_deadline = .75, .far_bytes = 2}, {.accuracy_at_deadline = .25}};
        job[0].ended = (long_first ? 100 : 110) * TIME_SECOND;
        job[1].ended = (long_first ? 110 : 10) * TIME_SECOND;
        SimResult r = {.job = job, .outcome = outcome, .n = 2, .last_end = 110 * TIME_SECOND};
        r.stopped_at = r.last_end;
        RewardRule rule = {.beta = {1}};
        assert_true(reward_measure(&r, 10 * TIME_SECOND, rule.constant));
        close_to(rule.constant[MODEL_JCT_REF_S], long_first ? 105 : 60);
        close_to(rule.constant[MODEL_BYTES_REF], 1);
        close_to(rule.constant[MODEL_ENDED_PER_TICK], 2 / 11.0);
        rule.constant[MODEL_JCT_REF_S] = 60;

        double reward[12];
        reward_by_tick(&rule, &r, 10 * TIME_SECOND, 12, reward, &arena);
        close_to(reward[0], long_first ? 0 : 2 * 5.5);
        close_to(reward[9], long_first ? .6 * 5.5 : 0);
        close_to(reward[10], 60.0 / 110 * 5.5);
        close_to(reward[11], 0);

        /* Each ends in a tick of its own, so that theirs is the tick's; B_ref/B of the first is 1/2. */
        double own[2];
        RewardRule all = rule;
        all.beta[2] = 1;
        reward_by_job(&all, &r, 10 * TIME_SECOND, 12, own);
        close_to(own[0], ((long_first ? .6 : 60.0 / 110) + .5) * 5.5);
        close_to(own[1], ((long_first ? 60.0 / 110 : 2) + 2) * 5.5);
        reward_by_job(&all, &r, 10 * TIME_SECOND, 10, own); /* ticks 0 to 9: up to 100 s */
        close_to(own[0], long_first ? 1.1 * 5.5 : 0);
        close_to(own[1], long_first ? 0 : 4 * 5.5);

        /* The other four, each by itself. */
        static const double short_first[4][2] = {{1, 0}, {2, .5}, {0, 1}, {.25, .75}}; /* in ticks 0 and 10 */
        for (int g = 1; g < N_OBJECTIVES && !long_first; g++) {
            RewardRule one = rule;
            one.beta[0] = 0;
            one.beta[g] = 1;
            reward_by_tick(&one, &r, 10 * TIME_SECOND, 12, reward, &arena);
            close_to(reward[0], short_first[g - 1][0] * 5.5);
            close_to(reward[10], short_first[g - 1][1] * 5.5);
        }

        /* Live jobs: 2 of them until the first end, then 1; the mean by Little is (2/11)(60/10) = 12/11. */
        rule.kind = REWARD_LIVE;
        reward_by_tick(&rule, &r, 10 * TIME_SECOND, 12, reward, &arena);
        for (int t = 0; t < 12; t++) {
            double n_live = t >= 11 ? 0 : t < (long_first ? 10 : 1) ? 2 : 1;
            close_to(reward[t], -n_live * 11 / 12);
        }
        reward_by_job(&rule, &r, 10 * TIME_SECOND, 12, own);
        close_to(own[0], -(long_first ? 10 : 11) * 11 / 12.0);
        close_to(own[1], -(long_first ? 11 : 1) * 11 / 12.0);
        arena_free(&arena);

        job[0].ended = job[1].ended = r.last_end = r.first_submit; /* in no time there is no rate of ends */
        assert_false(reward_measure(&r, 10 * TIME_SECOND, rule.constant));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_net_chooses_the_host),
        cmocka_unit_test(the_last_may_not_wait_while_nothing_runs),
        cmocka_unit_test(nobody_is_passed_over_for_ever),
        cmocka_unit_test(rl_is_first_come_first_placed),
        cmocka_unit_test(mlf_h_s_opinion_is_mlf_h),
        cmocka_unit_test(who_stays_is_not_moved),
        cmocka_unit_test(every_job_ends),
        cmocka_unit_test(runs_repeat),
        cmocka_unit_test(mlfs_learns_and_takes_over),
        cmocka_unit_test(u73_a_wrong_model_is_told_before_the_run),
        cmocka_unit_test(switches_are_spelt),
        cmocka_unit_test(u69_short_first_is_worth_more),
    };
    return cmocka_run_group_tests_name("rl by hand", tests, make_models, remove_folder);
}
