/* sim/model/clusterspec.h -- a cluster from what the user typed after -c, and its split into virtual clusters. */
#ifndef SIM_MODEL_CLUSTERSPEC_H
#define SIM_MODEL_CLUSTERSPEC_H

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/model/cluster.h"

/* "SxG" (16x4), "philly" (321 servers of 2 and 229 of 8 GPUs), "p3" (20 servers of 4 V100), the path of a Philly
 * machine list, or the path of a JSON file: docs/traces.md.  vc_file (NULL or "": VCs are labels only): lines
 * `vc,servers`, an optional header line, or a JSON object {"vc": servers}; servers go to VCs in file order. */
bool cluster_spec_read(const char *spec, const char *vc_file, Arena *arena, ClusterSpec *cluster, Err *err);

#endif
