/* sim/model/ideal.c -- the placement a job would have alone on the empty cluster. */
#include <stdlib.h>

#include "sim/base/err.h"
#include "sim/model/speed.h"

typedef struct {
    ServerId server;
    int32_t n_gpus, rack, rack_gpus;
} Candidate;

static int by_rack_and_size(const void *a, const void *b)
{
    const Candidate *x = a, *y = b;
    if (x->rack_gpus != y->rack_gpus) return x->rack_gpus > y->rack_gpus ? -1 : 1;
    if (x->rack != y->rack) return x->rack < y->rack ? -1 : 1;
    if (x->n_gpus != y->n_gpus) return x->n_gpus > y->n_gpus ? -1 : 1;
    return (x->server > y->server) - (x->server < y->server);
}

static int gpus_of(const IdealOrder *order, ServerId server)
{
    return cluster_spec_class(order->spec, server)->n_gpus;
}

/* The smallest server of a stretch of the order with at least n GPUs, lowest id on ties; -1: none. */
static ServerId smallest_with(const IdealOrder *order, int from, int to, int n)
{
    ServerId best = -1;
    for (int i = from; i < to; i++) {
        ServerId s = order->server[i];
        int size = gpus_of(order, s);
        if (size < n) continue;
        if (best < 0 || size < gpus_of(order, best) || (size == gpus_of(order, best) && s < best)) best = s;
    }
    return best;
}

IdealOrder ideal_order_make(Arena *arena, const ClusterSpec *spec, const Network *network)
{
    IdealOrder order = {.n_servers = spec->n_servers, .spec = spec, .network = network};
    order.server = NEW_ARRAY(arena, ServerId, spec->n_servers);
    order.first_gpu = NEW_ARRAY(arena, GpuId, spec->n_servers);
    int32_t most_rack = 0;
    for (ServerId s = 0; s < spec->n_servers; s++)
        if (network->rack[s] > most_rack) most_rack = network->rack[s];
    int32_t *rack_gpus = NEW_ARRAY(arena, int32_t, most_rack + 1);
    Candidate *c = NEW_ARRAY(arena, Candidate, spec->n_servers);
    GpuId gpu = 0;
    for (ServerId s = 0; s < spec->n_servers; s++) {
        order.first_gpu[s] = gpu;
        gpu += gpus_of(&order, s);
        rack_gpus[network->rack[s]] += gpus_of(&order, s);
    }
    for (ServerId s = 0; s < spec->n_servers; s++)
        c[s] = (Candidate){s, gpus_of(&order, s), network->rack[s], rack_gpus[network->rack[s]]};
    qsort(c, (size_t)spec->n_servers, sizeof *c, by_rack_and_size);
    for (int i = 0; i < spec->n_servers; i++) {
        order.server[i] = c[i].server;
        if (c[i].n_gpus > order.largest) order.largest = c[i].n_gpus;
    }
    order.smallest = NEW_ARRAY(arena, ServerId, order.largest + 1);
    for (int n = 0; n <= order.largest; n++) order.smallest[n] = smallest_with(&order, 0, spec->n_servers, n);
    return order;
}

static int put(const IdealOrder *order, ServerId on, int n, int done, ServerId server[], GpuId gpu[])
{
    for (int i = 0; i < n; i++) {
        server[done + i] = on;
        gpu[done + i] = order->first_gpu[on] + i;
    }
    return done + n;
}

void ideal_placement(const IdealOrder *order, const Gang *gang, ServerId server[], GpuId gpu[])
{
    int n = gang->graph.replicas * gang->graph.partitions, done = 0;
    if (n <= order->largest) {
        done = put(order, order->smallest[n], n, done, server, gpu);
    } else {
        for (int i = 0, end; done < n && i < order->n_servers; i = end) { /* rack by rack */
            int32_t rack = order->network->rack[order->server[i]];
            for (end = i; end < order->n_servers && order->network->rack[order->server[end]] == rack; end++) {
            }
            for (int k = i; k < end && done < n; k++) {
                int size = gpus_of(order, order->server[k]);
                if (n - done >= size) {
                    done = put(order, order->server[k], size, done, server, gpu);
                } else {
                    done = put(order, smallest_with(order, k, end, n - done), n - done, done, server, gpu);
                }
            }
        }
    }
    MUST(done == n); /* a job with more GPUs than the cluster is not calibrated */
    if (!gang->graph.has_server) return;
    int most = 0, home = 0; /* the parameter server: where most of the tasks are */
    for (int k = 0, run = 0; k < n; k++) {
        run = k && server[k] == server[k - 1] ? run + 1 : 1;
        if (run > most || (run == most && server[k] < server[home])) most = run, home = k;
    }
    server[n] = server[home];
    gpu[n] = gpu[home];
}
