/* tests/unit_jobmodel.c -- what is drawn for a job, what its trace decides, and what depends on what. */
#include <math.h>

#include "sim/model/jobmodel.h"
#include "tests/testing.h"

#define HOUR (3600 * TIME_SECOND)

enum { MANY = 5000 };

static void assert_near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within)) fail_msg("%.12g, expected %.12g +- %g", value, expected, within);
}

/* Reads the trace; keys of group model can be set in `r` afterwards. */
static void open_trace(Reading *r, const char *csv)
{
    reads(r, "", "t.csv", csv);
    params_add(&r->params, "model", model_params);
}

static void set(Reading *r, const char *pair)
{
    if (!params_set_pair(&r->params, pair, &r->err)) fail_msg("%s", r->err.text);
}

static JobModels built(Reading *r, uint64_t seed)
{
    JobModels models;
    if (!jobmodels_build(&r->workload, &r->params, seed, &r->arena, &models, &r->err)) fail_msg("%s", r->err.text);
    assert_int_equal(models.n, r->workload.n);
    return models;
}

/* MANY jobs of `n_gpus` GPUs and an hour each, called j0, j1, ... */
static void open_many(Reading *r, int n_gpus, const char *model)
{
    char *text = malloc((size_t)MANY * 60 + 100);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "job_id,submit_s,n_gpus,duration_s,model\n");
    for (int i = 0; i < MANY; i++) used += (size_t)sprintf(text + used, "j%d,%d,%d,3600,%s\n", i, i, n_gpus, model);
    open_trace(r, text);
    free(text);
}

static void a_job_takes_little_memory(void **state)
{
    (void)state;
    assert_in_range(sizeof(JobModel), 1, 200);
}

static void what_the_trace_says_holds(void **state)
{
    (void)state;
    Reading r;
    open_trace(&r, "job_id,submit_s,n_gpus,duration_s,model,deadline_s,urgency,epochs,accuracy_required,stop_option,"
                   "replicas,partitions\n"
                   "a,0,12,100,ResNet-50,7.5,3.25,17,0.625,epochs,3,4\n"
                   "b,0,12,100,svm,,,,,accuracy,,\n"
                   "c,0,12,100,lstm,,,,,,2,\n"
                   "d,0,12,100,alexnet,,,,,,,3\n");
    JobModels m = built(&r, 1);
    const JobModel *a = &m.job[0];
    assert_ptr_equal(a->family, &families[FAMILY_RESNET]);
    assert_int_equal(a->deadline, 7500000);
    assert_true(a->urgency == 3.25 && a->accuracy_required == .625 && a->epochs == 17);
    assert_true(a->stop == STOP_EPOCHS && a->stop_limit == STOP_ACCURACY);
    assert_true(a->graph.replicas == 3 && a->graph.partitions == 4 && a->graph.stages == 2);
    assert_true(m.job[1].stop == STOP_ACCURACY && m.job[1].stop_limit == STOP_ACCURACY);
    assert_true(m.job[1].graph.replicas == 12);
    assert_true(m.job[2].graph.replicas == 2 && m.job[2].graph.partitions == 6 && m.job[2].graph.stages == 3);
    assert_true(m.job[3].graph.replicas == 4 && m.job[3].graph.partitions == 3);
    set(&r, "model.stop=optstop");
    set(&r, "model.stop_limit=epochs"); /* a limit stricter than the option permits nothing beyond it */
    m = built(&r, 1);
    assert_true(m.job[0].stop_limit == STOP_EPOCHS && m.job[1].stop_limit == STOP_ACCURACY);
    assert_true(m.job[2].stop == STOP_OPTSTOP && m.job[2].stop_limit == STOP_OPTSTOP);
    reading_close(&r);
}

static void refused(const char *csv, const char *pair, ErrKind kind, const char *words)
{
    Reading r;
    JobModels models;
    open_trace(&r, csv);
    if (*pair) set(&r, pair);
    assert_false(jobmodels_build(&r.workload, &r.params, 1, &r.arena, &models, &r.err));
    assert_int_equal(r.err.kind, kind);
    if (!strstr(r.err.text, words)) fail_msg("expected \"%s\" in \"%s\"", words, r.err.text);
    reading_close(&r);
}

static void contradictions_are_told(void **state)
{
    (void)state;
    const char *one = "job_id,submit_s,n_gpus,duration_s\na,0,4,10\n";
    refused("job_id,submit_s,n_gpus,duration_s,model\na,0,4,10,resnet\nb,0,4,10,perceiver\n", "", ERR_DATA,
            "job 'b': model 'perceiver' is of no known family");
    refused("job_id,submit_s,n_gpus,duration_s,replicas,partitions\na,0,8,10,3,2\n", "", ERR_DATA,
            "job 'a': 3 replicas of 2 partitions are not 8 GPUs");
    refused("job_id,submit_s,n_gpus,duration_s,replicas\na,0,8,10,3\n", "", ERR_DATA,
            "job 'a': 8 GPUs cannot be split into 3 replicas");
    refused("job_id,submit_s,n_gpus,duration_s,partitions\na,0,8,10,5\n", "", ERR_DATA,
            "job 'a': 8 GPUs cannot be split into 5 partitions");
    refused(one, "model.families=resnet,lsmt", ERR_USAGE, "unknown family 'lsmt' (did you mean 'lstm'?)");
    refused(one, "model.families=", ERR_USAGE, "model.families: unknown family ''");
    refused(one, "model.data_mb=5", ERR_USAGE, "model.data_mb: expected two numbers, not '5'");
    refused(one, "model.volume_mb=1,2,3", ERR_USAGE, "model.volume_mb: expected two numbers");
    refused(one, "model.accuracy=0.9,0.8", ERR_USAGE, "model.accuracy: 0.9 is more than 0.8");
    refused(one, "model.urgency=1,2.5", ERR_USAGE, "model.urgency: expected whole numbers");
    Reading r;
    open_trace(&r, "job_id,submit_s,n_gpus,duration_s,model\nb,0,4,10,perceiver\n");
    set(&r, "model.unknown=draw");
    assert_non_null(built(&r, 1).job[0].family);
    reading_close(&r);
}

/* Counts and means within four standard errors of what they were drawn from. */
static void draws_have_their_laws(void **state)
{
    (void)state;
    Reading r;
    open_many(&r, 8, "");
    JobModels m = built(&r, 1);
    int family[N_FAMILIES] = {0}, urgency[11] = {0}, rings = 0, choices = 0;
    double edge = 0, sync = 0, data = 0, quality = 0, deadline = 0, epochs = 0;
    for (int i = 0; i < MANY; i++) {
        const JobModel *j = &m.job[i];
        family[j->family - families]++;
        assert_true(j->urgency >= 1 && j->urgency <= 10 && j->urgency == floor(j->urgency));
        urgency[(int)j->urgency]++;
        assert_in_range(j->volumes.edge_bytes, 50000000, 100000000);
        assert_in_range(j->volumes.sync_bytes, 50000000, 100000000);
        assert_in_range(j->data_bytes, 100000000, 1000000000);
        assert_in_range(j->deadline, (int64_t)(1.1 * 3600e6), 24 * HOUR);
        assert_in_range(j->epochs, j->family->min_epochs, j->family->max_epochs);
        assert_int_equal(j->rounds, 10);
        assert_true(j->stop == STOP_OPTSTOP && j->stop_limit == STOP_ACCURACY);
        if (j->family == &families[FAMILY_RESNET]) epochs += j->epochs;
        if (!j->family->server_only) {
            rings += j->topology == TOPOLOGY_RING;
            choices++;
        } else
            assert_true(j->topology == TOPOLOGY_SERVER && j->graph.has_server);
        double q = j->accuracy_required / curve_accuracy(&j->curve, j->epochs);
        assert_true(q > .9 - 1e-12 && q < .98 + 1e-12);
        edge += (double)j->volumes.edge_bytes / MANY;
        sync += (double)j->volumes.sync_bytes / MANY;
        data += (double)j->data_bytes / MANY;
        quality += q / MANY;
        deadline += (double)j->deadline / (double)HOUR / MANY;
    }
    for (int f = FAMILY_ALEXNET; f <= FAMILY_SVM; f++) assert_in_range(family[f], 1000 - 113, 1000 + 113);
    assert_int_equal(family[FAMILY_TRANSFORMER], 0); /* only where it is asked for */
    for (int u = 1; u <= 10; u++) assert_in_range(urgency[u], 500 - 85, 500 + 85);
    assert_near((double)rings / choices, .5, .032);
    assert_near(edge, 75e6, 0.82e6); /* 50 MB / √12 / √5000 each */
    assert_near(sync, 75e6, 0.82e6);
    assert_near(data, 550e6, 14.7e6);
    assert_near(quality, .94, .0013);
    /* max(1.1, U[.5, 24]): 1.1 with probability .6/23.5, else a mean of 12.55 */
    assert_near(deadline, 1.1 * .6 / 23.5 + 12.55 * 22.9 / 23.5, .39);
    assert_near(epochs / family[FAMILY_RESNET], 100, 3.7); /* U{50..150}, deviation 29.2 */
    reading_close(&r);
}

/* Any two attributes of a job are uncorrelated: four standard errors, 1/√n each. */
static void attributes_have_nothing_to_do_with_each_other(void **state)
{
    (void)state;
    enum { ATTRIBUTES = 12 };
    Reading r;
    open_many(&r, 8, "lstm");
    JobModels m = built(&r, 1);
    static double value[ATTRIBUTES][MANY];
    for (int i = 0; i < MANY; i++) {
        const JobModel *j = &m.job[i];
        const double of_job[ATTRIBUTES] = {(double)j->volumes.edge_bytes,
                                           (double)j->volumes.sync_bytes,
                                           (double)j->data_bytes,
                                           (double)j->deadline,
                                           j->urgency,
                                           j->accuracy_required / curve_accuracy(&j->curve, j->epochs),
                                           j->epochs,
                                           (double)j->topology,
                                           log((double)j->estimate),
                                           j->accuracy_error,
                                           jobmodel_base_demand(&m, i, 0),
                                           jobmodel_base_demand(&m, i, 1)};
        for (int a = 0; a < ATTRIBUTES; a++) value[a][i] = of_job[a];
    }
    for (int a = 0; a < ATTRIBUTES; a++) {
        double mean = 0, square = 0;
        for (int i = 0; i < MANY; i++) mean += value[a][i] / MANY;
        for (int i = 0; i < MANY; i++) square += (value[a][i] - mean) * (value[a][i] - mean) / MANY;
        for (int i = 0; i < MANY; i++) value[a][i] = (value[a][i] - mean) / sqrt(square);
    }
    for (int a = 0; a < ATTRIBUTES; a++)
        for (int b = 0; b < a; b++) {
            double correlation = 0;
            for (int i = 0; i < MANY; i++) correlation += value[a][i] * value[b][i] / MANY;
            if (fabs(correlation) > 4 / sqrt(MANY)) fail_msg("attributes %d and %d: %g", a, b, correlation);
        }
    reading_close(&r);
}

static bool same_curve(const Curve *a, const Curve *b)
{
    return a->key == b->key && a->ceiling == b->ceiling && a->start == b->start && a->rate == b->rate &&
           a->shape == b->shape && a->noise == b->noise && a->loss_start == b->loss_start &&
           a->loss_end == b->loss_end && a->overfit_from == b->overfit_from && a->form == b->form;
}

static bool same_attributes(const JobModel *a, const JobModel *b)
{
    return a->family == b->family && same_curve(&a->curve, &b->curve) && a->graph.replicas == b->graph.replicas &&
           a->graph.partitions == b->graph.partitions && a->topology == b->topology &&
           a->volumes.edge_bytes == b->volumes.edge_bytes && a->volumes.sync_bytes == b->volumes.sync_bytes &&
           a->data_bytes == b->data_bytes && a->epochs == b->epochs && a->rounds == b->rounds &&
           a->deadline == b->deadline && a->urgency == b->urgency && a->accuracy_required == b->accuracy_required &&
           a->accuracy_error == b->accuracy_error && a->stop == b->stop && a->stop_limit == b->stop_limit;
}

static void a_job_does_not_depend_on_the_others(void **state)
{
    (void)state;
    Reading all, few;
    open_trace(&all, "job_id,submit_s,n_gpus,duration_s\na,0,4,100\nb,5,8,200\nc,9,1,50\nd,10,2,80\n");
    open_trace(&few, "job_id,submit_s,n_gpus,duration_s\nd,3,2,80\nb,7,8,200\n");
    JobModels m = built(&all, 3), n = built(&few, 3), other = built(&all, 4);
    assert_true(same_attributes(&m.job[1], &n.job[1]));
    assert_true(same_attributes(&m.job[3], &n.job[0]));
    assert_int_equal(m.job[3].estimate, n.job[0].estimate); /* no user: nobody has seen its like */
    for (int k = 0; k < 8; k++) assert_int_equal(jobmodel_base_demand(&m, 1, k), jobmodel_base_demand(&n, 1, k));
    for (int i = 0; i < 4; i++) assert_int_not_equal(m.job[i].volumes.edge_bytes, other.job[i].volumes.edge_bytes);
    for (int i = 0; i < 3; i++) assert_int_not_equal(m.job[i].data_bytes, m.job[i + 1].data_bytes);
    reading_close(&all);
    reading_close(&few);
}

/* Another law for one quantity leaves all others as they were. */
static void a_key_moves_only_its_own_draw(void **state)
{
    (void)state;
    Reading r;
    open_many(&r, 8, "");
    JobModels before = built(&r, 1);
    set(&r, "model.data_mb=5000,9000");
    set(&r, "model.demand_base=uniform");
    JobModels after = built(&r, 1);
    for (int i = 0; i < MANY; i++) {
        JobModel j = after.job[i];
        assert_in_range(j.data_bytes, 5000000000, 9000000000);
        j.data_bytes = before.job[i].data_bytes;
        assert_true(same_attributes(&j, &before.job[i]) && j.estimate == before.job[i].estimate);
    }
    reading_close(&r);
}

static void rounds_and_volumes(void **state)
{
    (void)state;
    Reading r;
    open_trace(&r, "job_id,submit_s,n_gpus,duration_s,model\na,0,8,100,alexnet\nb,0,8,100,lstm\n");
    set(&r, "model.data_mb=600.3,600.3");
    set(&r, "model.comm_per=minibatch");
    set(&r, "model.bytes=model");
    JobModels m = built(&r, 1);
    assert_int_equal(m.job[0].rounds, 601);    /* mini-batches of 1 MB */
    assert_int_equal(m.job[1].rounds, 400200); /* and of 1.5 KB */
    assert_true(m.job[0].volumes.sync_bytes == 244400000 && m.job[0].volumes.edge_bytes == 4718592);
    set(&r, "model.comm_per=epoch_round");
    set(&r, "model.comm_rounds=25");
    assert_int_equal(built(&r, 1).job[1].rounds, 25);
    set(&r, "model.data_mb=3.7,3.7");
    assert_int_equal(built(&r, 1).job[0].rounds, 4);
    reading_close(&r);
}

static void shapes_and_topologies_by_key(void **state)
{
    (void)state;
    Reading r;
    open_trace(&r, "job_id,submit_s,n_gpus,duration_s,model\na,0,32,100,resnet\nb,0,32,100,svm\nc,0,32,100,mlp\n");
    set(&r, "model.partition=gpus");
    set(&r, "model.topology=ring");
    JobModels m = built(&r, 1);
    assert_true(m.job[0].graph.partitions == 32 && m.job[0].graph.replicas == 1 && m.job[0].graph.stages == 8);
    assert_true(m.job[1].graph.partitions == 1 && m.job[1].graph.replicas == 32 && m.job[1].graph.has_server);
    set(&r, "model.partition=limit");
    m = built(&r, 1);
    assert_true(m.job[2].graph.replicas == 8 && !m.job[2].graph.has_server && m.job[2].topology == TOPOLOGY_RING);
    set(&r, "model.topology=server");
    m = built(&r, 1);
    assert_true(m.job[0].graph.has_server && m.job[2].graph.has_server);
    reading_close(&r);
}

/* Groups seen before: sd .14, mean absolute error about 11 %; new ones .37 and 30 %. */
static void estimates_err_as_much_as_they_should(void **state)
{
    (void)state;
    Reading r;
    char *text = malloc((size_t)MANY * 2 * 60 + 100);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "job_id,submit_s,n_gpus,duration_s,user,vc\n");
    for (int i = 0; i < MANY; i++) /* u0, u1, ... come once each; "often" has come before but the first time */
        used += (size_t)sprintf(text + used, "n%d,%d,2,3600,u%d,v\no%d,%d,2,3600,often,v\n", i, i, i, i, i);
    open_trace(&r, text);
    free(text);
    JobModels m = built(&r, 1);
    double square[2] = {0}, absolute[2] = {0}, accuracy = 0;
    for (int i = 2; i < 2 * MANY; i++) {
        double error = (double)m.job[i].estimate / 3600e6, z = log(error);
        square[i % 2] += z * z / (MANY - 1);
        absolute[i % 2] += fabs(error - 1) / (MANY - 1);
        accuracy += m.job[i].accuracy_error * m.job[i].accuracy_error / (2 * MANY - 2);
    }
    assert_near(sqrt(square[1]), .14, .006); /* four times sd/√(2n) */
    assert_near(sqrt(square[0]), .37, .015);
    assert_near(absolute[1], .112, .006);
    assert_near(absolute[0], .30, .02);
    assert_near(sqrt(accuracy), .03, .001);
    set(&r, "model.estimate=exact");
    m = built(&r, 1);
    for (int i = 0; i < 2 * MANY; i++) assert_true(m.job[i].estimate == HOUR && m.job[i].accuracy_error == 0);
    reading_close(&r);
}

/* User, virtual cluster and size together make a group; without a user there is none. */
static void groups_of_jobs(void **state)
{
    (void)state;
    Reading r;
    open_trace(&r, "job_id,submit_s,n_gpus,duration_s,user,vc\na,0,1,3600,x,v\nb,1,1,3600,x,w\nc,2,2,3600,x,v\n"
                   "d,3,1,3600,y,v\ne,4,1,3600,,v\nf,5,1,3600,,v\ng,6,1,3600,x,v\nh,7,1,3600,x,\ni,8,1,3600,x,\n");
    set(&r, "model.estimate_sd=0,0.5"); /* no error where the group was seen before */
    JobModels m = built(&r, 1);
    for (int i = 0; i < 9; i++) {
        bool seen = i == 6 || i == 8;
        if ((m.job[i].estimate == HOUR) != seen) fail_msg("job %s", r.workload.job[i].name);
    }
    reading_close(&r);
}

static void deadlines_of_long_jobs(void **state)
{
    (void)state;
    Reading r;
    open_trace(&r, "job_id,submit_s,n_gpus,duration_s\na,0,1,100000\nb,0,1,1000000000000\nc,0,1,0\n");
    set(&r, "model.estimate_sd=3,3");
    JobModels m = built(&r, 1);
    assert_int_equal(m.job[0].deadline, 110000 * TIME_SECOND);
    assert_near((double)m.job[1].deadline, 1.1e18, 1000); /* doubles are 128 us apart there */
    assert_true(m.job[1].estimate > 0 && m.job[1].estimate <= 2 * TIME_LIMIT && m.job[2].estimate == 0);
    assert_true(m.job[2].deadline >= HOUR / 2);
    reading_close(&r);
}

static void base_demands(void **state)
{
    (void)state;
    for (int family = 0; family < N_FAMILIES; family++) {
        const Family *f = &families[family];
        Reading r;
        open_many(&r, 4, f->name);
        JobModels m = built(&r, 1);
        double mean = 0, square = 0;
        for (int i = 0; i < MANY; i++)
            for (int k = 0; k < 4; k++) {
                double u = jobmodel_base_demand(&m, i, k) / 1000.;
                assert_true(u >= .02 && u <= 1);
                mean += u / (4 * MANY);
                square += u * u / (4 * MANY);
            }
        double sd = sqrt(square - mean * mean);
        assert_near(mean, f->gpu_demand_mean, .002 + 4 * f->gpu_demand_sd / sqrt(4 * MANY)); /* cut at .02 and 1 */
        assert_near(sd, f->gpu_demand_sd, .05 * f->gpu_demand_sd + .001);
        set(&r, "model.demand_base=uniform");
        m = built(&r, 1);
        int lowest = 1000, highest = 0;
        for (int i = 0; i < MANY; i++) {
            int u = jobmodel_base_demand(&m, i, 3);
            if (u < lowest) lowest = u;
            if (u > highest) highest = u;
        }
        assert_true(lowest >= 100 && lowest <= 101 && highest <= 300 && highest >= 299);
        reading_close(&r);
    }
}

static void needs_of_tasks(void **state)
{
    (void)state;
    Reading r;
    open_trace(&r, "job_id,submit_s,n_gpus,duration_s,model,partitions\na,0,4,100,alexnet,2\n");
    set(&r, "model.topology=server");
    JobModels m = built(&r, 1);
    const JobModel *job = m.job;
    TaskNeed worker = jobmodel_need(job, 3), server = jobmodel_need(job, 4);
    assert_true(worker.cores == 3 && worker.memory_mib == 8192 && worker.gpu_memory_mib == 4096);
    assert_true(server.cores == 2 && server.memory_mib == 4096 && server.gpu_memory_mib == 0);
    assert_int_equal(jobmodel_base_demand(&m, 0, 4), 0);
    assert_true(jobmodel_base_demand(&m, 0, 3) != jobmodel_base_demand(&m, 0, 2));
    assert_int_equal(jobmodel_parameter_bytes(job, 0), llrint(244.4e6 * 8.8 / 235.8));
    assert_int_equal(jobmodel_parameter_bytes(job, 3), llrint(244.4e6 * 227 / 235.8));
    assert_int_equal(jobmodel_parameter_bytes(job, 4), 244400000);
    reading_close(&r);
}

/* The AR(1) keeps its deviation .15 from the first tick on, and remembers .9 of each value. */
static void demand_varies_as_an_ar1(void **state)
{
    (void)state;
    Reading r;
    open_many(&r, 1, "resnet");
    JobModels m = built(&r, 1);
    assert_true(m.varying);
    double square[3] = {0}, product = 0;
    for (int i = 0; i < MANY; i++) {
        double x = jobmodel_demand_step(&m, i, 0, 0, 99), before = 0; /* 99 is not read */
        square[0] += x * x / MANY;
        for (int64_t count = 1; count <= 20; count++) {
            before = x;
            x = jobmodel_demand_step(&m, i, 0, count, x);
            if (count == 1) square[1] += x * x / MANY;
        }
        square[2] += x * x / MANY;
        product += x * before / MANY;
    }
    for (int i = 0; i < 3; i++) assert_near(sqrt(square[i]), .15, .006);
    assert_near(product / (.15 * .15), .9, .05);
    assert_true(jobmodel_demand_step(&m, 0, 0, 5, .1) == jobmodel_demand_step(&m, 0, 0, 5, .1));
    assert_true(jobmodel_demand_step(&m, 0, 0, 5, .1) != jobmodel_demand_step(&m, 0, 0, 6, .1));
    assert_true(jobmodel_demand_step(&m, 0, 0, 5, .1) != jobmodel_demand_step(&m, 1, 0, 5, .1));
    assert_int_equal(jobmodel_demand_now(500, .123), 562); /* 561.5 to even */
    assert_int_equal(jobmodel_demand_now(500, -1.5), 20);
    assert_int_equal(jobmodel_demand_now(900, .5), 1000);
    set(&r, "model.demand=constant");
    assert_false(built(&r, 1).varying);
    reading_close(&r);
}

static void options_for_the_engine(void **state)
{
    (void)state;
    Reading r;
    open_trace(&r, "job_id,submit_s,n_gpus,duration_s\na,0,4,10\n");
    assert_false(built(&r, 1).pipeline);
    assert_true(isinf(built(&r, 1).job[0].curve.overfit_from));
    set(&r, "model.schedule=pipeline");
    set(&r, "model.overfit=1");
    JobModels m = built(&r, 1);
    assert_true(m.pipeline);
    assert_true(m.job[0].curve.overfit_from >= .7 * m.job[0].epochs &&
                m.job[0].curve.overfit_from <= 1.2 * m.job[0].epochs);
    set(&r, "model.families=transformer");
    assert_ptr_equal(built(&r, 1).job[0].family, &families[FAMILY_TRANSFORMER]);
    reading_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_takes_little_memory),
        cmocka_unit_test(what_the_trace_says_holds),
        cmocka_unit_test(contradictions_are_told),
        cmocka_unit_test(draws_have_their_laws),
        cmocka_unit_test(attributes_have_nothing_to_do_with_each_other),
        cmocka_unit_test(a_job_does_not_depend_on_the_others),
        cmocka_unit_test(a_key_moves_only_its_own_draw),
        cmocka_unit_test(rounds_and_volumes),
        cmocka_unit_test(shapes_and_topologies_by_key),
        cmocka_unit_test(estimates_err_as_much_as_they_should),
        cmocka_unit_test(groups_of_jobs),
        cmocka_unit_test(deadlines_of_long_jobs),
        cmocka_unit_test(base_demands),
        cmocka_unit_test(needs_of_tasks),
        cmocka_unit_test(demand_varies_as_an_ar1),
        cmocka_unit_test(options_for_the_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
