/* sim/model/network.c -- links from server classes. */
#include "sim/model/network.h"

#include <string.h>

enum { SERVERS_PER_RACK = 24 };

static const Link pcie = {12e9, 10e-6}, nvlink = {40e9, 5e-6}, infiniband = {10e9, 15e-6}, ethernet = {1.1e9, 50e-6};

static bool has_nvlink(const char *gpu_type)
{
    static const char *const types[] = {"V100", "A100", "H100"};
    for (size_t i = 0; gpu_type && i < sizeof types / sizeof *types; i++)
        if (strstr(gpu_type, types[i])) return true;
    return false;
}

Network network_make(Arena *arena, const ClusterSpec *spec)
{
    Network n = {
        .n_servers = spec->n_servers,
        .rack = NEW_ARRAY(arena, int32_t, spec->n_servers),
        .inside = NEW_ARRAY(arena, Link, spec->n_servers),
        .nic = arena_alloc(arena, (size_t)spec->n_servers, sizeof *n.nic),
        .one_nic = NEW_ARRAY(arena, bool, spec->n_servers),
    };
    for (ServerId s = 0; s < spec->n_servers; s++) {
        const ServerClass *c = cluster_spec_class(spec, s);
        int32_t rack = spec->server[s].rack;
        n.rack[s] = rack >= 0 ? rack : s / SERVERS_PER_RACK;
        n.inside[s] = has_nvlink(c->gpu_type) ? nvlink : pcie;
        n.nic[s][NIC_RACK] = infiniband;
        n.nic[s][NIC_FAR] = ethernet;
        if (c->network_bytes_per_s > 0) { /* 1.25 GB/s on the label carry 1.1 */
            double effective = c->network_bytes_per_s * ethernet.bytes_per_s / 1.25e9;
            Link only = {effective, effective < 5e9 ? ethernet.latency_s : infiniband.latency_s};
            n.nic[s][NIC_RACK] = n.nic[s][NIC_FAR] = only;
            n.one_nic[s] = true;
        }
    }
    return n;
}
