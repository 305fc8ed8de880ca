/* traces/csvout.c -- one row a job, in submit order. */
#include "traces/csvout.h"

#include <math.h>

typedef struct Column {
    const char *name;
    bool (*has)(const JobSpec *job);
    void (*write)(Out *out, const JobSpec *job); /* nothing where there is no value */
} Column;

#define TEXT_COLUMN(field_)                                                                                            \
    static bool has_##field_(const JobSpec *job)                                                                       \
    {                                                                                                                  \
        return job->field_ != NULL;                                                                                    \
    }                                                                                                                  \
    static void write_##field_(Out *out, const JobSpec *job)                                                           \
    {                                                                                                                  \
        out_csv(out, job->field_);                                                                                     \
    }
#define COUNT_COLUMN(field_)                                                                                           \
    static bool has_##field_(const JobSpec *job)                                                                       \
    {                                                                                                                  \
        return job->field_ != 0;                                                                                       \
    }                                                                                                                  \
    static void write_##field_(Out *out, const JobSpec *job)                                                           \
    {                                                                                                                  \
        if (job->field_) out_int(out, job->field_);                                                                    \
    }
#define DOUBLE_COLUMN(field_)                                                                                          \
    static bool has_##field_(const JobSpec *job)                                                                       \
    {                                                                                                                  \
        return !isnan(job->field_);                                                                                    \
    }                                                                                                                  \
    static void write_##field_(Out *out, const JobSpec *job)                                                           \
    {                                                                                                                  \
        out_double(out, job->field_);                                                                                  \
    }

TEXT_COLUMN(user)
TEXT_COLUMN(vc)
TEXT_COLUMN(status)
TEXT_COLUMN(model)
TEXT_COLUMN(stop_option)
COUNT_COLUMN(epochs)
COUNT_COLUMN(replicas)
COUNT_COLUMN(partitions)
DOUBLE_COLUMN(urgency)
DOUBLE_COLUMN(accuracy_required)

static bool has_deadline(const JobSpec *job)
{
    return job->deadline != TIME_NEVER;
}
static void write_deadline(Out *out, const JobSpec *job)
{
    out_time(out, job->deadline);
}

static bool has_start(const JobSpec *job)
{
    return job->waited != TIME_NEVER;
}
static void write_start(Out *out, const JobSpec *job)
{
    out_time(out, job->submit + job->waited);
}

static const Column columns[] = {
    {"start_s", has_start, write_start},
    {"user", has_user, write_user},
    {"vc", has_vc, write_vc},
    {"status", has_status, write_status},
    {"model", has_model, write_model},
    {"deadline_s", has_deadline, write_deadline},
    {"urgency", has_urgency, write_urgency},
    {"epochs", has_epochs, write_epochs},
    {"accuracy_required", has_accuracy_required, write_accuracy_required},
    {"stop_option", has_stop_option, write_stop_option},
    {"replicas", has_replicas, write_replicas},
    {"partitions", has_partitions, write_partitions},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

void workload_write_csv(Out *out, const Workload *workload)
{
    bool used[N_COLUMNS] = {false};
    out_text(out, "job_id,submit_s,n_gpus,duration_s");
    for (int c = 0; c < N_COLUMNS; c++) {
        for (int i = 0; i < workload->n && !used[c]; i++) used[c] = columns[c].has(&workload->job[i]);
        if (used[c]) out_char(out, ',');
        if (used[c]) out_text(out, columns[c].name);
    }
    out_char(out, '\n');
    for (int i = 0; i < workload->n && !out_failed(out); i++) {
        const JobSpec *job = &workload->job[i];
        out_csv(out, job->name);
        out_char(out, ',');
        out_time(out, job->submit);
        out_char(out, ',');
        out_int(out, job->n_gpus);
        out_char(out, ',');
        out_time(out, job->duration);
        for (int c = 0; c < N_COLUMNS; c++)
            if (used[c]) {
                out_char(out, ',');
                columns[c].write(out, job);
            }
        out_char(out, '\n');
    }
}
