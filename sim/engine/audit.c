/* sim/engine/audit.c -- the books added up again from the jobs and compared with ==.
 *
 * In full after every round under --strict and in tests; otherwise only for the servers that changed, and once in full
 * at the end.  A difference is our mistake and ends the program.
 */
#include "sim/engine/engine.h"
#include "sim/engine/physics.h"

static int count_free(const Cluster *cluster, const Server *server)
{
    int n = 0;
    for (GpuId g = server->first_gpu, end = g + server->n_gpus; (g = cluster_next_free(cluster, g, end)) >= 0; g++) n++;
    return n;
}

static void audit_server(const Engine *e, ServerId id)
{
    const Server *server = &e->cluster.server[id];
    const Pool *pool = &e->cluster.pool[server->pool];
    int s = id - pool->first_server;
    MUST(server->n_free == count_free(&e->cluster, server));
    MUST(pool->with_free[(size_t)server->n_free * (size_t)pool->n_words + (size_t)(s >> 6)] >> (s & 63) & 1);
}

void audit_note(Engine *e, Sched *s, GpuId gpu)
{
    ServerId server = cluster_server_of(&e->cluster, gpu);
    if (s->n_changed && s->changed[s->n_changed - 1] == server) return; /* gangs take neighbours */
    if (s->n_changed == e->cluster.spec->n_servers) audit_changed(e);
    s->changed[s->n_changed++] = server;
}

void audit_changed(Engine *e)
{
    for (int p = 0; p < e->cluster.n_pools; p++) {
        Sched *s = &e->sched[p];
        for (int i = 0; i < s->n_changed; i++) audit_server(e, s->changed[i]);
        s->n_changed = 0;
    }
}

void audit_full(const Engine *e)
{
    const Cluster *c = &e->cluster;
    int64_t busy = 0, waiting = 0, running = 0, tasks_waiting = 0;

    for (int p = 0; p < c->n_pools; p++) {
        const Sched *s = &e->sched[p];
        const Pool *pool = &c->pool[p];
        int held = 0;
        EACH_JOB (id, &s->live) {
            const Job *job = &e->job[id];
            MUST(job_is_live(job) && job->pool == p && job->submit <= e->now);
            MUST(jobset_has(job->state == JOB_RUNNING  ? &s->running
                            : job->state == JOB_PAUSED ? &s->paused
                                                       : &s->waiting,
                            id));
            int n = engine_gpus(e, job, e->gpu_list), n_tasks = n;
            for (int i = 0; i < n; i++) {
                GpuId g = e->gpu_list[i];
                MUST(c->server[cluster_server_of(c, g)].pool == p && !(c->free_gpus[g >> 6] >> (g & 63) & 1));
                MUST(e->physics || c->holder[g] == id);
            }
            if (e->physics) {
                n_tasks = e->physics->run[id]->n_placed;
                MUST((n_tasks > 0) == (job->state != JOB_WAITING));
            } else {
                MUST(n == (job->state == JOB_RUNNING ? job->n_gpus : 0)); /* all or none */
                held += n;
            }
            tasks_waiting += job->n_tasks - n_tasks;
        }
        MUST(s->live.n == s->waiting.n + s->running.n + s->paused.n);
        MUST(e->physics || pool->n_gpus - pool->n_free == held);
        for (ServerId id = pool->first_server; id < pool->first_server + pool->n_servers; id++) audit_server(e, id);
        busy += pool_working(pool) - pool->n_free;
        waiting += s->waiting.n + s->paused.n;
        running += s->running.n;
    }
    MUST(busy == cluster_busy(c) && busy == e->census.gpus_busy);
    MUST(waiting == e->census.jobs_waiting && running == e->census.jobs_running);
    MUST(tasks_waiting == e->census.tasks_waiting);
    if (e->physics) loads_audit(e);
}
