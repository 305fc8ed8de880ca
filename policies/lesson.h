/* policies/lesson.h -- the policy of a run that teaches: MLF-H at first, then a net that draws and is recorded.
 *
 * It is in no list: SimConfig.given is its Lesson.  `warm` ticks from the first submission are MLF-H's, so that the
 * cluster is not empty; in the next `recorded` ticks the net decides and its decisions are logged, under the number of
 * the tick from there on; after that it decides without a log.  Without a net all is MLF-H's, and logged.
 */
#ifndef POLICIES_LESSON_H
#define POLICIES_LESSON_H

#include "rl/agent.h"
#include "sim/engine/sched.h"

typedef struct Lesson {
    bool plain;     /* device placement: mlf_choose_open */
    const Mlp *net; /* NULL: MLF-H */
    bool best;      /* its favourites instead of draws */
    int warm, recorded;
    uint64_t seed, number; /* name the stream of its draws */
    DecisionLog *log;      /* NULL: none */
    int most;              /* above so many, only each third tick of those so far stays and is recorded; 0: all */
} Lesson;

extern const Policy policy_lesson;

#endif
