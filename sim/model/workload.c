/* sim/model/workload.c -- names of skip reasons; sums and hashes over the job table. */
#include "sim/model/workload.h"

#include <stdio.h>

#include "sim/base/hash.h"

const char *skip_reason_name(SkipReason reason)
{
    static const char *const names[N_SKIP_REASONS] = {
        [SKIP_NO_ATTEMPT] = "no_attempt",       [SKIP_STILL_RUNNING] = "still_running",
        [SKIP_NO_START] = "no_start",           [SKIP_NO_SUBMIT] = "no_submit",
        [SKIP_NEVER_STARTED] = "never_started", [SKIP_CENSORED] = "censored",
        [SKIP_CPU_ONLY] = "cpu_only",           [SKIP_STATUS] = "status",
        [SKIP_BAD_FIELDS] = "bad_fields",       [SKIP_BAD_SYNTAX] = "bad_syntax",
        [SKIP_BAD_NUMBER] = "bad_number",       [SKIP_MISSING_VALUE] = "missing_value",
        [SKIP_DUPLICATE] = "duplicate",
    };
    return names[reason];
}

WideTime workload_gpu_time(const Workload *workload)
{
    WideTime sum = 0;
    for (int i = 0; i < workload->n; i++) sum += (WideTime)workload->job[i].duration * workload->job[i].n_gpus;
    return sum;
}

void workload_hash(const Workload *workload, char text[17])
{
    uint64_t h = HASH_START;
    for (int i = 0; i < workload->n; i++) {
        const JobSpec *j = &workload->job[i];
        h = hash_text(hash_text(hash_text(h, j->name), j->vc), j->model);
        int64_t times[] = {j->submit, j->duration, j->deadline};
        int32_t counts[] = {j->n_gpus, j->epochs, j->replicas, j->partitions};
        double opinions[] = {j->urgency, j->accuracy_required};
        h = hash_bytes(hash_bytes(hash_bytes(h, times, sizeof times), counts, sizeof counts), opinions,
                       sizeof opinions);
        h = hash_text(hash_text(hash_text(h, j->user), j->status), j->stop_option);
        if (j->waited != TIME_NEVER) h = hash_bytes(h, &j->waited, sizeof j->waited);
    }
    snprintf(text, 17, "%016llx", (unsigned long long)h);
}
