/* policies/mlf_search.c -- hosts compared, block by block. */
#include "policies/mlf_search.h"

#include <math.h>

#include "sim/base/number.h"

enum { WHOLE_GPU = 1000 };

static bool is_within_limits(Place *p, const Search *search, int i)
{
    const Hosts *h = &p->hosts;
    const Near *near = &p->near;
    if (search->weight.gpu > h->spare_gpu[i] || search->weight.need.cores > h->spare_cores[i]) return false;
    if (near->placed <= 0) return true;
    double rack = near->rack_bytes[p->network->rack[h->first_server + i]];
    double inside = (rack - near->bytes[i]) * p->rate, across = (near->placed - rack) * p->rate;
    bool fits = inside <= h->spare_nic[NIC_RACK][i] && across <= h->spare_nic[NIC_FAR][i];
    if (fits && h->host[i].one_nic) /* it carries both */
        fits = host_network_use(&h->host[i], (int64_t[N_NICS]){llrint(inside), llrint(across)}) <= h->threshold;
    if (!fits) p->net_refused = true;
    return fits;
}

/* The least loaded GPU of a host with memory for it, or -1. */
static GpuId least_loaded(const Place *p, const Search *search, int i)
{
    const Host *host = &p->hosts.host[i];
    int32_t capacity = host->class_of->gpu_memory_mib;
    const HostGpu *least = NULL;
    GpuId best = -1;
    for (GpuId g = host->first_gpu; g < host->first_gpu + host->n_gpus; g++) {
        const HostGpu *gpu = hosts_gpu(&p->hosts, g);
        if (capacity && g != search->own && gpu->memory_mib + search->weight.need.gpu_memory_mib > capacity) continue;
        if (least && (gpu->load > least->load || (gpu->load == least->load && gpu->held >= least->held))) continue;
        least = gpu;
        best = g;
    }
    return best;
}

/* The GPU of a host that would take it, or -1. */
static GpuId takes(Place *p, const Search *search, int i)
{
    const Host *host = &p->hosts.host[i];
    const Weight *w = &search->weight;
    bool stays = search->own >= 0 && hosts_of(&p->hosts, search->own) == i;
    bool within = search->waive || is_within_limits(p, search, i);
    if (!within && !stays && (w->server || p->hosts.limit_gpu[i] < INT32_MAX)) return -1; /* no GPU of it is empty */
    if (!stays && w->need.memory_mib > p->hosts.spare_memory[i]) return -1;
    if (w->server) return !within ? -1 : stays ? search->own : host->first_gpu;
    GpuId gpu = least_loaded(p, search, i);
    if (gpu < 0 || search->waive) return gpu;
    const HostGpu *there = hosts_gpu(&p->hosts, gpu);
    if (there->held - (gpu == search->own) == 0) return gpu;
    return within && there->load + w->gpu <= p->hosts.threshold * WHOLE_GPU ? gpu : -1;
}

/* q: a tenth of the share of CPU it uses, for the part of a tick that the move lasts (Beloglazov and Buyya, 2012). */
static double degradation(const Place *p, const Search *search, int i)
{
    const Hosts *h = &p->hosts;
    const Host *host = &h->host[i];
    int from = hosts_of(h, search->own);
    if (i == from || !host->class_of->cores) return 0;
    Nic nic = network_nic(p->network, h->first_server + from, h->first_server + i);
    double speed = p->move_bytes_per_s > 0 ? p->move_bytes_per_s : host->nic_speed[nic];
    double free = number_max(0.01, 1 - h->use[USE_NETWORK][i]);
    double share = search->move_bytes / (speed * free) / time_seconds(p->tick);
    return number_min(1, 0.1 * search->weight.need.cores / host->class_of->cores * share);
}

/* Those found so far, nearest first; the one that comes later goes behind its equals. */
static int insert(PlaceOption option[], int n, int most, PlaceOption found)
{
    int at = n < most ? n++ : most - 1;
    for (; at > 0 && option[at - 1].distance > found.distance; at--) option[at] = option[at - 1];
    option[at] = found;
    return n;
}

typedef struct Least { /* what a host must have to spare of ... */
    int32_t gpu_memory;
    double nic[N_NICS]; /* bytes a second */
} Least;

/* What any host of a block must have to spare.  `blame`: whether the network is to blame is still to be found out, of
 * hosts without memory too. */
static Least least_of(const Place *p, const Search *search, const HostBlock *block, bool blame)
{
    const Near *near = &p->near;
    Least least = {0, {-HUGE_VAL, -HUGE_VAL}};
    if (blame) return least;
    least.gpu_memory = search->weight.need.gpu_memory_mib;
    if (search->waive || near->placed <= 0) return least;
    if (!near->block[block - p->hosts.block]) {
        least.nic[NIC_FAR] = near->placed * p->rate;
    } else if (block->rack >= 0) {
        double rack = near->rack_bytes[block->rack];
        least.nic[NIC_FAR] = (near->placed - rack) * p->rate;
        if (!block->mine) least.nic[NIC_RACK] = rack * p->rate; /* with none of the peers beside it */
    }
    return least;
}

/* The bits of those of a block's hosts, from `at`, that have room on GPUs and of cores; without branches, as most have
 * not, so that compilers turn this and what follows into vector instructions. */
static int32_t roomy(const Hosts *h, const Search *search, int at, int32_t gpu_memory)
{
    static const int32_t bit[HOST_BLOCK] = {1, 2, 4, 8, 16, 32, 64, 128};
    const Milli *room = h->limit_gpu + at;
    const int32_t *cores = h->limit_cores + at, *memory = h->gpu_memory + at;
    Milli gpu = search->waive ? INT32_MIN : search->weight.gpu;
    int32_t need = search->waive ? INT32_MIN : search->weight.need.cores, bits = 0;
    for (int j = 0; j < HOST_BLOCK; j++)
        bits |=
            (gpu <= room[j] ? bit[j] : 0) & (need <= cores[j] ? bit[j] : 0) & (gpu_memory <= memory[j] ? bit[j] : 0);
    return bits;
}

static int64_t near_enough(const Hosts *h, int at, const double nic[N_NICS], double away, double worst)
{
    static const int64_t bit[HOST_BLOCK] = {1, 2, 4, 8, 16, 32, 64, 128};
    const double *distance = h->distance + at, *rack = h->limit_nic[NIC_RACK] + at, *far = h->limit_nic[NIC_FAR] + at;
    double to_rack = nic[NIC_RACK], to_far = nic[NIC_FAR];
    int64_t bits = 0;
    for (int j = 0; j < HOST_BLOCK; j++)
        bits |= (distance[j] + away < worst ? bit[j] : 0) & (to_rack <= rack[j] ? bit[j] : 0) &
                (to_far <= far[j] ? bit[j] : 0);
    return bits;
}

/* The hosts of a block that may be nearer than `worst` and have room, a bit each.  Where none of the peers is, none of
 * the traffic would stay. */
static unsigned promising(Hosts *h, const Search *search, int b, const Least *least, double away, double worst)
{
    const HostBlock *block = hosts_block(h, b);
    const Weight *w = &search->weight;
    if (search->waive && !block->idle && !block->mine) return 0;
    if (!search->waive && (w->gpu > block->most_gpu || w->need.cores > block->most_cores)) return 0;
    if (least->nic[NIC_RACK] > block->most_nic[NIC_RACK] || least->nic[NIC_FAR] > block->most_nic[NIC_FAR]) return 0;
    if (block->mine) away = 0;
    if (!(hosts_measured_block(h, b)->least + away < worst)) return 0;
    return (unsigned)(roomy(h, search, b * HOST_BLOCK, least->gpu_memory) &
                      near_enough(h, b * HOST_BLOCK, least->nic, away, worst));
}

int search_hosts(Place *p, const Search *search, PlaceOption option[], int most)
{
    Hosts *h = &p->hosts;
    const Near *near = &p->near;
    double largest = 0, scale = p->bandwidth && near->placed > 0 ? 1 / near->all : 0;
    for (int i = 0; i < near->n_hosts; i++)
        if (!h->host[near->host[i]].closed) largest = number_max(largest, near->bytes[near->host[i]] * scale);
    int own = search->own >= 0 ? hosts_of(h, search->own) : -1, n = 0;
    double worst = HUGE_VAL;
    bool blame = own < 0 && !search->waive && near->placed > 0;
    for (int b = 0; b < h->n_blocks; b++) {
        Least least = least_of(p, search, &h->block[b], blame && !p->net_refused);
        unsigned bits = promising(h, search, b, &least, largest * largest, worst);
        if (own >= 0 && own / HOST_BLOCK == b) { /* it takes its task back */
            hosts_measured_block(h, b);
            bits |= 1u << own % HOST_BLOCK;
        }
        for (; bits; bits &= bits - 1) {
            int i = b * HOST_BLOCK + __builtin_ctz(bits);
            double distance = place_distance(p, i, near->bytes[i] * scale, largest), q = 0;
            if (!(distance < worst)) continue;
            if (search->waive && h->host[i].tasks != h->mine[i]) continue;
            GpuId gpu = takes(p, search, i);
            if (gpu < 0) continue;
            if (own >= 0) {
                q = degradation(p, search, i);
                distance += q * q;
                if (!(distance < worst)) continue;
            }
            n = insert(option, n, most, (PlaceOption){gpu, i, distance, q});
            if (n == most) worst = option[most - 1].distance;
        }
    }
    return n;
}
