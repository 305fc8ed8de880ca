/* tests/byhand_copies.c -- duplicates of tasks on slow servers, worked out on paper, the arithmetic beside each.
 *
 * Clusters SxG: 12 GB/s and 10 us between GPUs of a server, 10 GB/s and 15 us between servers.  AlexNet: 244.4 MB, and
 * three cores a task; with four cores, a server with two of them has both at 4/6 of their pace.
 */
#include "sim/model/speed.h"
#include "tests/scripted.h"

#include <gsl/gsl_randist.h>

#define MB 1000000

static void near(double found, double wanted)
{
    if (fabs(found - wanted) > 2e-5) fail_msg("expected %.6f, found %.6f", wanted, found);
}

static ServerClass four_cores(World *w)
{
    ServerClass small = w->cluster.class_of[0];
    small.cores = 4;
    return small;
}

/* a and b on one server both run at 2/3.  At 60 s, a has done 40; a copy of its task goes to the other server: 3 x
 * 244.4 MB + 200 MB = 933.2 MB, 5.09332 s, in which nothing stalls: 43.395547 s are done when it is there.  From then
 * on a runs at 1: its other 556.604453 s end at 621.697773.  Its first task goes on computing, and so b is at 2/3 all
 * that time, 414.465182 s, and does the other 185.534818 s alone, until 807.232591.  a held its GPU for 621.697773 s
 * and the copy's for 561.697773; nothing was waited for, and only the state went between servers. */
static void a_copy_escapes_from_crowded_cores(void **state)
{
    (void)state;
    World w;
    inside(&w, "2x2", "a,0,1,600 / b,0,1,600");
    JobModel *m = models_of(&w);
    for (int i = 0; i < 2; i++) shape(&m[i], 1, 1, TOPOLOGY_RING, 10);
    ServerClass small = four_cores(&w);
    w.cluster.class_of = &small;
    FOLLOW(&w, {0, DO_PLACE, 0, 0, 0}, {0, DO_PLACE, 1, 0, 1}, {60, DO_DUPLICATE, 0, 0, 2});
    near(ended(&w, 0), 621.697773);
    near(ended(&w, 1), 807.232591);
    const JobOutcome *o = &w.result.outcome[0];
    assert_true(o->move_bytes == 933200000 && o->far_bytes == 0 && o->restart == 0 && o->epochs_done == 10);
    assert_true(o->useful == w.result.job[0].ended && o->idle == w.result.job[0].ended - 60 * TIME_SECOND);
    assert_true(w.result.copies == 1 && w.result.migrations == 0 && w.result.waiting_time == 0);
    near((double)w.result.gpu_time / 1e6, 621.697773 + 561.697773 + 807.232591);
    world_close(&w);
}

/* Dropped at 180 s, it leaves a at 2/3 as before: 43.395547 + (180 - 65.09332) = 158.302227 s are done at 180, the
 * other 441.697773 take 1.5 times as long, until 842.546660; b has done 561.697773 by then, and ends at 880.848887. */
static void a_copy_is_dropped(void **state)
{
    (void)state;
    World w;
    inside(&w, "2x2", "a,0,1,600 / b,0,1,600");
    JobModel *m = models_of(&w);
    for (int i = 0; i < 2; i++) shape(&m[i], 1, 1, TOPOLOGY_RING, 10);
    ServerClass small = four_cores(&w);
    w.cluster.class_of = &small;
    FOLLOW(&w, {0, DO_PLACE, 0, 0, 0}, {0, DO_PLACE, 1, 0, 1}, {60, DO_DUPLICATE, 0, 0, 2}, {180, DO_DROP, 0, 0, 0});
    near(ended(&w, 0), 842.546660);
    near(ended(&w, 1), 842.546660 + (600 - 842.546660 * 2 / 3));
    assert_true(w.result.outcome[0].idle == 120 * TIME_SECOND);
    world_close(&w);
}

/* A chain of three, an epoch of a second: tasks 0 and 1 on server 0, too few cores for both, 2 on server 1.  As in
 * byhand_physics.c K = .77975 s and the edges take .1001 inside and .12015 s across.  T = K/3 x (1.5 + 1.5 + 1) +
 * .22025 = 1.25991667 s.  A copy of task 1 on server 2 makes that K/3 x (1.5 + 1 + 1) + 2 x .12015 = 1.15000833 s, and
 * its two edges carry 2 x 1,200 MB an epoch between servers, beside 1,200 MB as before.  Part 1 holds layers of 2.5 +
 * 5.1 + 3.4 of 235.8 MB: 3 x 11.4 + 200 MB arrive after 5.02342 s. */
static void a_copy_in_the_middle_of_a_chain(void **state)
{
    (void)state;
    World w;
    inside(&w, "3x2", "a,0,3,1000");
    JobModel *m = models_of(&w);
    shape(m, 1, 3, TOPOLOGY_RING, 1000);
    m->volumes = (Volumes){.edge_bytes = 60 * MB};
    ServerClass small = four_cores(&w);
    w.cluster.class_of = &small;
    FOLLOW(&w, {0, DO_PLACE, 0, 0, 0}, {0, DO_PLACE, 0, 1, 1}, {0, DO_PLACE, 0, 2, 2}, {60, DO_DUPLICATE, 0, 1, 4});
    double ready = 60 + 5 + (3 * 244.4 * 11.0 / 235.8 + 200) / 10000, without = .77975 * 4 / 3 + .22025;
    double with = .77975 * 3.5 / 3 + 2 * .12015, first = ready / without;
    near(with, 1.15000833);
    near(ended(&w, 0), ready + (1000 - first) * with);
    double bytes = (first * 1200 + (1000 - first) * 3600) * MB;
    assert_true(fabs((double)w.result.outcome[0].far_bytes - bytes) < 1e5); /* some microseconds at 3 GB/s */
    assert_true(w.result.outcome[0].useful == 3 * w.result.job[0].ended);
    world_close(&w);
}

/* What a copy exchanges: in a chain of three the edges on both sides of it; in a ring the hops on both sides, unless
 * another member is beside it; with a parameter server a push and a pull. */
static void what_a_copy_exchanges(void **state)
{
    (void)state;
    World w;
    world_open(&w, "30x2"); /* racks of 24 */
    Network net = network_make(&w.arena, &w.cluster);
    NicUse use[8];
    Epoch epoch = {.use = use};
    Gang chain = {.graph = {1, 3, 3, 1, false},
                  .volumes = {60 * MB, 100 * MB},
                  .micro_batches = 1,
                  .rounds = 10,
                  .compute_s = 1,
                  .scale = 1};
    ServerId at[4] = {0, 0, 1, 3};
    GpuId gpu[4] = {0, 1, 2, 6};
    speed_epoch(&chain, &net, (Spots){at, gpu}, (Friction){0}, &epoch);
    double seconds = epoch.seconds;
    assert_true(epoch.far_bytes == 1200.0 * MB && epoch.n_uses == 2);
    speed_add_copy(&chain, &net, (Spots){at, gpu}, 1, 25, &epoch); /* two racks away from both */
    assert_true(epoch.far_bytes == 3600.0 * MB && epoch.seconds == seconds && epoch.n_uses == 3);
    assert_true(use[2].server == 25 && use[2].bytes[NIC_FAR] == 2400.0 * MB && use[2].bytes[NIC_RACK] == 0);
    speed_epoch(&chain, &net, (Spots){at, gpu}, (Friction){0}, &epoch);
    speed_add_copy(&chain, &net, (Spots){at, gpu}, 2, 0, &epoch); /* beside its only neighbour: nothing more */
    assert_true(epoch.far_bytes == 1200.0 * MB);

    Gang ring = chain;
    ring.graph = (TaskGraph){4, 1, 1, 1, false};
    speed_epoch(&ring, &net, (Spots){at, gpu}, (Friction){0}, &epoch);
    double hop = 2 * 3 / 4.0 * 100 * MB * 10;
    assert_true(epoch.far_bytes == 3 * hop); /* servers 0, 1 and 3 */
    speed_add_copy(&ring, &net, (Spots){at, gpu}, 2, 2, &epoch);
    assert_true(epoch.far_bytes == 5 * hop); /* from 0 and to 3 */
    assert_true(use[3].server == 2 && use[3].bytes[NIC_RACK] == 2 * hop);
    speed_add_copy(&ring, &net, (Spots){at, gpu}, 2, 3, &epoch);
    assert_true(epoch.far_bytes == 5 * hop);

    Gang server = chain;
    server.graph = (TaskGraph){3, 1, 1, 1, true};
    speed_epoch(&server, &net, (Spots){at, gpu}, (Friction){0}, &epoch);
    assert_true(epoch.far_bytes == 3 * 2000.0 * MB);
    speed_add_copy(&server, &net, (Spots){at, gpu}, 0, 2, &epoch);
    assert_true(epoch.far_bytes == 4 * 2000.0 * MB);
    world_close(&w);
}

/* What is asked in vain, and what makes a copy go. */
static void rules_schedule(Sched *s, void *state)
{
    (void)state;
    const Job *a = sched_job(s, 0), *b = sched_job(s, 1);
    if (sched_now(s) > 0) return;
    assert_int_equal(sched_duplicate(s, 0, 0, 2), ASK_NOT_RUNNING);
    assert_int_equal(sched_start(s, 0, (GpuId[]){0, 2, 1}, 3), ASK_GRANTED); /* two replicas and their server */
    assert_int_equal(sched_duplicate(s, 0, 0, 1), ASK_SAME_SERVER);
    assert_int_equal(sched_duplicate(s, 0, 2, 3), ASK_NO_SUCH_TASK); /* a parameter server */
    assert_int_equal(sched_duplicate(s, 0, 0, 99), ASK_NO_SUCH_GPU);
    assert_int_equal(sched_drop(s, 0, 0), ASK_NO_COPY);
    assert_null(sched_copies(s, a));
    for (int way = 0; way < 5; way++) {
        assert_int_equal(sched_duplicate(s, 0, 0, 3), ASK_GRANTED);
        assert_int_equal(sched_duplicate(s, 0, 0, 4), ASK_HAS_COPY);
        const Task *copy = sched_copies(s, a);
        assert_true(copy[0].gpu == 3 && copy[0].is_copy && copy[1].gpu == -1);
        assert_true(copy[0].demand == sched_tasks(s, a)[0].demand && sched_gpu_load(s, 3)->load == copy[0].demand);
        assert_int_equal(sched_gpu_load(s, 3)->memory_mib, copy[0].need.gpu_memory_mib);
        assert_int_equal(sched_pool(s)->n_free, 3);
        GpuId held[2];
        assert_int_equal(sched_gpus(s, a, held), 2); /* those of its tasks */
        switch (way) {
        case 0: assert_int_equal(sched_drop(s, 0, 0), ASK_GRANTED); break;
        case 1: assert_int_equal(sched_migrate(s, 0, 0, 4), ASK_GRANTED); break;
        case 2: assert_int_equal(sched_evict(s, 0, 0), ASK_GRANTED); break;
        case 3:
            assert_int_equal(sched_pause(s, 0), ASK_GRANTED);
            assert_int_equal(sched_duplicate(s, 0, 0, 3), ASK_NOT_RUNNING);
            break;
        case 4: assert_int_equal(sched_preempt(s, 0), ASK_GRANTED); break;
        }
        assert_null(sched_copies(s, a));
        assert_int_equal(sched_gpu_load(s, 3)->n_tasks, 0);
        if (way == 2) assert_int_equal(sched_place(s, 0, 0, 0), ASK_GRANTED);
        if (way == 3) assert_int_equal(sched_resume(s, 0), ASK_GRANTED);
        if (way == 1) assert_int_equal(sched_migrate(s, 0, 0, 0), ASK_GRANTED);
    }
    assert_int_equal(sched_start(s, 0, (GpuId[]){0, 2, 1}, 3), ASK_GRANTED);
    assert_int_equal(sched_start(s, 1, (GpuId[]){1}, 1), ASK_GRANTED);
    assert_int_equal(sched_duplicate(s, 1, 0, 5), ASK_GRANTED);
    assert_int_equal(b->state, JOB_RUNNING);
}

static void a_copy_goes_with_its_task(void **state)
{
    (void)state;
    static const Policy rules = {.name = "rules", .state_size = 1, .schedule = rules_schedule};
    World w;
    inside(&w, "3x2", "a,0,2,1000 / b,0,1,100");
    JobModel *m = models_of(&w);
    shape(&m[0], 2, 1, TOPOLOGY_SERVER, 10);
    shape(&m[1], 1, 1, TOPOLOGY_RING, 10);
    w.lax = true;
    if (!world_try(&w, &rules)) fail_msg("%s", w.err.text);
    assert_true(w.result.refusals == 11 && w.result.copies == 6);
    near(ended(&w, 1), 100);                                    /* its copy has no part in it */
    assert_true(w.result.outcome[1].idle == 100 * TIME_SECOND); /* and goes when it ends */
    world_close(&w);
}

/* ---- MLF-H's use of them ---- */

typedef struct Spell {
    SimTime from, until, next;
} Spell;

/* The first slow spell of a server: gaps of mean 600 x .8/.2 = 2,400 s between spells of mean 600 s. */
static Spell first_spell(uint64_t seed, int server)
{
    Rng rng;
    rng_open(&rng, seed, "straggler", (uint64_t)server);
    Spell spell = {.from = time_from_seconds(gsl_ran_exponential(&rng.gsl, 2400))};
    spell.until = spell.from + time_from_seconds(gsl_ran_exponential(&rng.gsl, 600));
    spell.next = spell.until + time_from_seconds(gsl_ran_exponential(&rng.gsl, 2400));
    return spell;
}

/* Two servers of one GPU, of which the first has a slow spell of 200 to 600 s within the first 900 and nothing else is
 * slow before 2,500; returns that spell. */
static Spell slow_world(World *w, const char *jobs, const char *replicas)
{
    inside(w, "2x1", jobs);
    world_set(w, "fail.straggler=0.2");
    world_set(w, "fail.straggler_factor=4");
    world_set(w, replicas);
    for (w->seed = 1;; w->seed++) {
        Spell spell = first_spell(w->seed, 0);
        SimTime long_s = (spell.until - spell.from) / TIME_SECOND;
        if (spell.from > 100 * TIME_SECOND && spell.until < 900 * TIME_SECOND && long_s > 200 && long_s < 600 &&
            spell.next > 2500 * TIME_SECOND && first_spell(w->seed, 1).from > 2500 * TIME_SECOND)
            break;
    }
    JobModel *m = models_of(w);
    for (int i = 0; i < w->workload.n; i++) shape(&m[i], 1, 1, TOPOLOGY_RING, 10);
    demand(w, 600); /* two on a GPU would pass h_r */
    return first_spell(w->seed, 0);
}

static double tick_from(SimTime at)
{
    return 60 * ceil(time_seconds(at) / 60);
}

/* A job of 1,000 s alone, its server four times slower from t1 to t2: without replicas it loses 3/4 of (t2 - t1).  With
 * them a copy is made at the first tick from t1 on and is ready 5.09332 s later: it loses 3/4 of the time until then.
 * At the first tick after t2 the copy is given up. */
static void mlf_h_replicas_outrun_a_straggler(void **state)
{
    (void)state;
    for (int replicas = 0; replicas < 2; replicas++) {
        World w;
        Spell slow = slow_world(&w, "a,0,1,1000", replicas ? "mlf_h.replicas=1" : "mlf_h.replicas=0");
        world_run(&w, "mlf-h");
        double t1 = time_seconds(slow.from), t2 = time_seconds(slow.until), made = tick_from(slow.from);
        near(ended(&w, 0), 1000 + .75 * ((replicas ? made + 5.09332 : t2) - t1));
        assert_int_equal(w.result.copies, replicas);
        if (replicas) near(time_seconds((SimTime)w.result.outcome[0].idle), tick_from(slow.until) - made);
        assert_true(w.result.outcome[0].move_bytes == (replicas ? 933200000 : 0));
        world_close(&w);
    }
}

/* b is on the other GPU, where a second task would pass h_r: no copy, nothing is waited for. */
static void mlf_h_replicas_need_a_host(void **state)
{
    (void)state;
    World w;
    Spell slow = slow_world(&w, "a,0,1,1000 / b,60,1,2000", "mlf_h.replicas=1");
    world_run(&w, "mlf-h");
    near(ended(&w, 0), 1000 + .75 * (time_seconds(slow.until) - time_seconds(slow.from)));
    assert_int_equal(w.result.copies, 0);
    world_close(&w);
}

/* b comes 70 s after the slow spell began: at the next tick a's copy is on the GPU that it needs, and gives way at
 * once.  b starts there at that tick; a has gained 3/4 of the time between. */
static void mlf_h_replicas_make_way(void **state)
{
    (void)state;
    World w;
    Spell slow = slow_world(&w, "a,0,1,1000", "mlf_h.replicas=1");
    char jobs[80], submit[TIME_TEXT];
    SimTime comes = slow.from + 70 * TIME_SECOND;
    time_format(comes, submit);
    world_close(&w);
    snprintf(jobs, sizeof jobs, "a,0,1,1000 / b,%s,1,2000", submit);
    slow_world(&w, jobs, "mlf_h.replicas=1");
    world_run(&w, "mlf-h");
    double ready = tick_from(slow.from) + 5.09332, gone = tick_from(comes);
    near(time_seconds(w.result.job[1].first_started), gone);
    near(ended(&w, 0), 1000 + .75 * (time_seconds(slow.until) - time_seconds(slow.from) - (gone - ready)));
    assert_int_equal(w.result.copies, 1);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_escapes_from_crowded_cores), cmocka_unit_test(a_copy_is_dropped),
        cmocka_unit_test(a_copy_in_the_middle_of_a_chain),   cmocka_unit_test(what_a_copy_exchanges),
        cmocka_unit_test(a_copy_goes_with_its_task),         cmocka_unit_test(mlf_h_replicas_outrun_a_straggler),
        cmocka_unit_test(mlf_h_replicas_need_a_host),        cmocka_unit_test(mlf_h_replicas_make_way),
    };
    return cmocka_run_group_tests_name("copies by hand", tests, NULL, NULL);
}
