/* policies/mlf_control.h -- MLF-C: under load, training ends where its users permit (MLFS, CoNEXT'20, 3.5).
 *
 * A user chooses where training ends: (i) after all epochs, (ii) where OptStop sees no more to gain (optstop.h), (iii)
 * at the accuracy required; and how far along that list the system may go instead.  The system is overloaded if a job
 * still waits after a round, or if O_c, the mean over the servers of the length of the vector of their utilisations,
 * exceeds h_s.  Then every job ends by the furthest option its user permits, else by the user's own.  That is decided
 * anew each round; whether a job has reached its end is looked at when an epoch of it ends, and for those that wait at
 * each round.
 *
 * The accuracy compared is smoothed (20 epochs at the required accuracy in truth look like more, now and then).
 *
 * PAPER: O_c of four resources at 90 % is 1.8 there, and the threshold 0.9; here the vector's length is divided by the
 * root of the number of resources.  `oc=paper` is literal.
 */
#ifndef POLICIES_MLF_CONTROL_H
#define POLICIES_MLF_CONTROL_H

#include "policies/mlf_hosts.h"
#include "policies/optstop.h"
#include "sim/engine/sched.h"

extern const Param mlf_c_params[]; /* group mlf_c */

typedef struct Watched { /* a job of which epochs have ended */
    Ewma accuracy;
    int32_t epochs;
    OptStop optstop;
    OptStopVerdict verdict; /* at its latest epoch, if OptStop was asked */
    struct Watched *next_free;
} Watched;

typedef struct MlfControl {
    OptStopRule rule;
    CurveTable table;
    double h_s;
    bool paper_oc;
    bool overloaded; /* after the last round */
    Watched **job;   /* [jobs], NULL: no epoch yet */
    Watched *free;
} MlfControl;

void mlf_control_open(MlfControl *control, Sched *s);
void mlf_control_epoch(MlfControl *control, Sched *s, const Job *job);    /* one has ended: it may be stopped */
void mlf_control_end(MlfControl *control, const Job *job);                /* from on_end, however it ended */
void mlf_control_waiting(MlfControl *control, Sched *s);                  /* before a round */
void mlf_control_look(MlfControl *control, Sched *s, const Hosts *hosts); /* after it: is the system overloaded? */

#endif
