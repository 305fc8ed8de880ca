/* sim/model/network.h -- how fast any two GPUs of a cluster talk to each other.
 *
 * Four distances: the same GPU (a copy, free), the same server (PCIe, or NVLink between GPUs of a type that has it),
 * the same rack (InfiniBand), across racks (Ethernet).  A server has one NIC for each of the last two; where the
 * cluster file gives a server's network speed, that is its only NIC and serves both.  Racks come from the file, else 24
 * consecutive servers share one.
 *
 * Effective speeds and latencies, from algorithms.md 14.1: PCIe 3 x16 12 GB/s and 10 us, NVLink2 40 GB/s and 5 us,
 * InfiniBand EDR 10 GB/s and 15 us, 10 Gb/s Ethernet 1.1 GB/s and 50 us.
 */
#ifndef SIM_MODEL_NETWORK_H
#define SIM_MODEL_NETWORK_H

#include "sim/base/arena.h"
#include "sim/model/cluster.h"

typedef struct Link {
    double bytes_per_s; /* INFINITY: free */
    double latency_s;
} Link;

typedef enum { NIC_RACK, NIC_FAR, N_NICS } Nic; /* InfiniBand inside a rack, Ethernet between racks */

typedef struct Network {
    int n_servers;
    int32_t *rack;       /* [n_servers] */
    Link *inside;        /* [n_servers]: between two GPUs of the server */
    Link (*nic)[N_NICS]; /* [n_servers] */
    bool *one_nic;       /* [n_servers]: both kinds of traffic share nic[NIC_FAR] */
} Network;

Network network_make(Arena *arena, const ClusterSpec *spec);

/* Which NICs traffic between two different servers crosses. */
static inline Nic network_nic(const Network *network, ServerId a, ServerId b)
{
    return network->rack[a] == network->rack[b] ? NIC_RACK : NIC_FAR;
}

#endif
