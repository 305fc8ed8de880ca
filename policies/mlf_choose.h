/* policies/mlf_choose.h -- rounds of MLF-H whose choices a net makes: the decisions of MLF-RL (MLFS, CoNEXT'20, 3.4).
 *
 * The order of the jobs, what is tried and what a host may carry are MLF-H's; the net chooses
 *     a host for each task of a job that waits, among the nearest MOST_HOSTS to the ideal, and for the first of them
 *         also "queue": the job waits on, though there is room;
 *     which of an overloaded server's tasks of low priority leaves it, or "stop";
 *     a host for that task, or "stay".
 * A job for which MLF-H finds no room is no decision.  Where the hosts chosen for its first tasks leave none for a
 * later one, the job gets the hosts that MLF-H found.  Against idling, "queue" is not to be had by the last job of a
 * round in which nothing runs, nor by one that was passed over MOST_PASSES rounds with room for it.
 *
 * PAPER: which actions there are is not said; all pairs of tasks and nodes at once would be a million.  This way of
 * taking them one at a time, candidates scored by one small net, is Decima's (SIGCOMM 2019).
 */
#ifndef POLICIES_MLF_CHOOSE_H
#define POLICIES_MLF_CHOOSE_H

#include "policies/ewma.h"
#include "policies/mlf_h.h"
#include "rl/agent.h"
#include "rl/features.h"

enum { MOST_HOSTS = 16, MOST_CANDIDATES = MOST_HOSTS + 1, MOST_PASSES = 30 };

typedef enum {
    CHOOSE_AS_MLF_H, /* its choices, put on record if there is a log */
    CHOOSE_BEST,     /* the net's favourite */
    CHOOSE_DRAWN,    /* by the net's probabilities */
} ChooseMode;

typedef struct MlfChoose {
    MlfH h;
    ChooseMode mode;  /* these five may change between rounds */
    Chooser *net;     /* as_mlf_h needs none */
    Rng *rng;         /* that draws */
    DecisionLog *log; /* NULL: nothing is recorded */
    int tick;         /* under which it is recorded */

    FeatureWorld world;
    FeatureJob facts;    /* of the job begun */
    int32_t *passed;     /* [jobs]: rounds in a row it was passed over with room for it */
    Ewma *accuracy;      /* [jobs] */
    int32_t *seen;       /* [jobs]: epochs in that */
    PlaceOption *option; /* [MOST_HOSTS] */
    float *row;          /* [MOST_CANDIDATES][N_FEATURES] */
    GpuId *plan;         /* [plan_room] */
    int plan_room;
} MlfChoose;

/* `plain`: in order of submission, without learning features or moves (the device placement of policy `rl`).  The mode
 * is CHOOSE_AS_MLF_H.  The choose must not move afterwards. */
void mlf_choose_open(MlfChoose *choose, Sched *s, bool plain);
void mlf_choose_round(MlfChoose *choose, Sched *s);

#endif
