/* sim/report/jobscsv.c -- jobs.csv: a row per submitted job, in submit order. */
#include "sim/base/out.h"
#include "sim/report/report.h"

static const char header[] =
    "job_id,user,vc,status,model,n_gpus,replicas,partitions,submit_s,start_s,end_s,state,stop_reason,jct_s,"
    "wait_first_s,wait_s,service_s,ideal_s,preemptions,migrations,epochs_done,epochs_max,deadline_s,deadline_met,"
    "accuracy_required,accuracy_at_deadline,accuracy_final,accuracy_met,bytes_moved\n";

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

static void put_row(Out *out, const JobSpec *spec, const Job *job, const JobFigures *f, SimTime origin)
{
    put_text(out, spec->name);
    put_text(out, spec->user);
    put_text(out, spec->vc);
    put_text(out, spec->status);
    put_text(out, spec->model);
    put_int(out, job->n_gpus);
    put_count(out, spec->replicas);
    put_count(out, spec->partitions);
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
    put_time(out, spec->duration);
    put_int(out, job->preemptions);
    put_int(out, job->migrations);
    out_char(out, ','); /* epochs_done */
    put_count(out, spec->epochs);
    put_time(out, spec->deadline);
    if (f->has_deadline) out_char(out, f->deadline_met ? '1' : '0');
    out_char(out, ',');
    out_double(out, spec->accuracy_required);
    out_text(out, ",,,,\n"); /* accuracy_at_deadline, accuracy_final, accuracy_met, bytes_moved */
}

bool write_jobs_csv(const RunReport *report, const char *path, Arena *scratch, Err *err)
{
    const SimResult *result = report->result;
    const JobSpec *spec = report->config->workload->job;
    SimTime origin = out_origin(report->config->params, report->config->workload);
    Out *out = out_open(scratch, path, err);
    if (!out) return false;
    out_text(out, header);
    for (int i = 0; i < result->n && !out_failed(out); i++) {
        JobFigures f = job_figures(&spec[i], &result->job[i], result->stopped_at);
        put_row(out, &spec[i], &result->job[i], &f, origin);
    }
    return out_close(out, err);
}
