/* sim/report/jobscsv.c -- jobs.csv: a row per submitted job, in submit order. */
#include <math.h>

#include "sim/base/out.h"
#include "sim/report/report.h"

static const char header[] =
    "job_id,user,vc,status,model,n_gpus,replicas,partitions,submit_s,start_s,end_s,state,stop_reason,jct_s,"
    "wait_first_s,wait_s,service_s,ideal_s,preemptions,migrations,epochs_done,epochs_max,deadline_s,deadline_met,"
    "accuracy_required,accuracy_at_deadline,accuracy_final,accuracy_met,bytes_moved,"
    "fairness\n";

static SimTime since(SimTime origin, SimTime time)
{
    return time == TIME_NEVER ? TIME_NEVER : time - origin;
}

static void put_text(Out *out, const char *text)
{
    out_csv(out, text);
    out_char(out, ',');
}

static void put_int(Out *out, int64_t value)
{
    out_int(out, value);
    out_char(out, ',');
}

/* A count of which 0 means that the trace does not say. */
static void put_count(Out *out, int64_t value)
{
    if (value) out_int(out, value);
    out_char(out, ',');
}

static void put_time(Out *out, SimTime time)
{
    out_time(out, time);
    out_char(out, ',');
}

static void put_double(Out *out, double value) /* NaN: nothing */
{
    out_double(out, value);
    out_char(out, ',');
}

/* What is known of a job's inside: by the trace, and with physics by the model and from the run. */
typedef struct {
    const char *model;
    int32_t replicas, partitions, epochs;
    SimTime ideal;
    double accuracy_required;
    const JobOutcome *outcome; /* NULL: it never came, or `plain` */
} Inside;

static Inside inside_of(const RunReport *report, int i, const JobFigures *f)
{
    const JobSpec *spec = &report->config->workload->job[i];
    const SimResult *result = report->result;
    bool came = f->state != STATE_UNSCHEDULABLE && f->state != STATE_NOT_ARRIVED;
    if (!report->config->models)
        return (Inside){
            spec->model, spec->replicas, spec->partitions, spec->epochs, spec->duration, spec->accuracy_required, NULL};
    const JobModel *model = &report->config->models->job[i];
    return (Inside){.model = spec->model ? spec->model : model->family->name,
                    .replicas = model->graph.replicas,
                    .partitions = model->graph.partitions,
                    .epochs = model->epochs,
                    .ideal = came ? time_from_seconds(result->outcome[i].ideal_s) : spec->duration,
                    .accuracy_required = model->accuracy_required,
                    .outcome = came ? &result->outcome[i] : NULL};
}

static void put_inside(Out *out, const Inside *in, const JobFigures *f)
{
    const JobOutcome *o = in->outcome;
    put_double(out, in->accuracy_required);
    put_double(out, f->accuracy);
    put_double(out, o ? o->accuracy_final : (double)NAN);
    if (f->has_accuracy) out_char(out, f->accuracy_met ? '1' : '0');
    out_char(out, ',');
    if (o) out_int(out, o->far_bytes + o->move_bytes);
    out_char(out, ',');
}

static void put_row(Out *out, const JobSpec *spec, const Job *job, const JobFigures *f, const Inside *in,
                    SimTime origin)
{
    put_text(out, spec->name);
    put_text(out, spec->user);
    put_text(out, spec->vc);
    put_text(out, spec->status);
    put_text(out, in->model);
    put_int(out, job->n_gpus);
    put_count(out, in->replicas);
    put_count(out, in->partitions);
    put_time(out, since(origin, job->submit));
    put_time(out, since(origin, job->first_started));
    put_time(out, since(origin, job->ended));
    out_text(out, report_state_name(f->state));
    out_char(out, ',');
    put_text(out, job->stop_reason);
    put_time(out, f->jct);
    put_time(out, f->wait_first);
    put_time(out, f->wait);
    put_time(out, f->service);
    put_time(out, in->ideal);
    put_int(out, job->preemptions);
    put_int(out, job->migrations);
    put_double(out, in->outcome ? in->outcome->epochs_done : (double)NAN);
    put_count(out, in->epochs);
    put_time(out, since(job->submit, job->deadline));
    if (f->has_deadline) out_char(out, f->deadline_met ? '1' : '0');
    out_char(out, ',');
    put_inside(out, in, f);
}

bool write_jobs_csv(const RunReport *report, const char *path, Arena *scratch, Err *err)
{
    const SimResult *result = report->result;
    const JobSpec *spec = report->config->workload->job;
    SimTime origin = out_origin(report->config->params, report->config->workload);
    const double *rho = report->metrics->fairness.rho;
    Out *out = out_open(scratch, path, err);
    if (!out) return false;
    out_text(out, header);
    for (int i = 0; i < result->n && !out_failed(out); i++) {
        JobFigures f = job_figures(result, i);
        Inside in = inside_of(report, i, &f);
        put_row(out, &spec[i], &result->job[i], &f, &in, origin);
        out_double(out, rho[i]);
        out_char(out, '\n');
    }
    return out_close(out, err);
}
