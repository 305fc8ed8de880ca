/* policies/mlf_replicas.h -- copies of tasks on slow servers: the paper's answer to stragglers. */
#ifndef POLICIES_MLF_REPLICAS_H
#define POLICIES_MLF_REPLICAS_H

#include "sim/engine/sched.h"

void replicas_review(Sched *s);           /* gives up those that are of no use, or in the way, by now */
bool replicas_yield(Sched *s);            /* somebody waits: gives all up; false: there was none to give */
void replicas_make(Sched *s, double h_r); /* for tasks whose server is slow, while nobody waits */

#endif
