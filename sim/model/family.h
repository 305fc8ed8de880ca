/* sim/model/family.h -- the kinds of network a job may train, and what is known about each.
 *
 * Sizes follow published networks, demands and memory follow profiles on real GPUs, curve parameters are fits to real
 * training runs; docs/model.md names the source of every column.  A trace's own model name is mapped to a family by
 * family_find.
 */
#ifndef SIM_MODEL_FAMILY_H
#define SIM_MODEL_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    PARTITION_NONE,    /* data parallel only: the whole network in one task */
    PARTITION_CHAIN,   /* cut into consecutive parts */
    PARTITION_LAYERED, /* stages of several parts, all parts of a stage joined to all of the next */
} PartitionKind;

typedef enum { SHAPE_MMF, SHAPE_EXPONENTIAL } CurveShape; /* see curve.h */

typedef enum { TOPOLOGY_RING, TOPOLOGY_SERVER } Topology; /* all-reduce among replicas | a parameter server */

enum { MOST_LAYERS = 8 };

typedef struct Family {
    const char *name; /* in tables and in `model.families` */
    PartitionKind partition;
    int32_t max_partitions;       /* M_max, unless model.partition=gpus */
    bool server_only;             /* always a parameter server; else a fair coin says ring or server */
    int64_t parameter_bytes;      /* fp32; the whole network */
    int32_t n_layers;             /* as published */
    double layer_mb[MOST_LAYERS]; /* parameters layer by layer, where the cut goes by them; all 0: parts are alike */

    /* Traffic.  The first is the paper's mini-batch of samples; the second what crosses one cut of the network per
     * mini-batch in one direction, used with model.bytes=model only. */
    int64_t batch_bytes, activation_bytes;

    /* What one GPU task needs, whatever the number of partitions. */
    double gpu_demand_mean, gpu_demand_sd; /* fraction of one GPU */
    int32_t cores, memory_mib, gpu_memory_mib;
    double skew; /* Tiresias' S: the largest tensor's share of the parameters */

    /* The accuracy it reaches: curve.h. */
    CurveShape curve;
    double ceiling, start, rate, shape, noise; /* A, A0, κ per epoch, δ, σ_n */
    int32_t n_classes;                         /* the first loss is ln of it */
    int32_t min_epochs, max_epochs;            /* I_max is uniform on these */
} Family;

enum { FAMILY_ALEXNET, FAMILY_RESNET, FAMILY_MLP, FAMILY_LSTM, FAMILY_SVM, FAMILY_TRANSFORMER, N_FAMILIES };
extern const Family families[N_FAMILIES];

/* What a parameter server needs on its host: no GPU compute and no GPU memory. */
enum { SERVER_CORES = 2, SERVER_MEMORY_MIB = 4096 };

/* The family of a network's name as traces spell it: case, '-', '_' and blanks do not matter, and what follows the name
 * (depth, batch size, variant) neither: "ResNet-50", "resnet18", "vgg16", "LM (batch size 20)".  NULL: unknown. */
const Family *family_find(const char *name);

#endif
