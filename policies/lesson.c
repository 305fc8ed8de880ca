/* policies/lesson.c -- who decides, and whether it is put on record, by the tick. */
#include "policies/lesson.h"

#include "policies/mlf_choose.h"

enum { THIRD = 3 };

typedef struct Pupil {
    const Lesson *lesson;
    MlfChoose choose;
    Chooser chooser;
    Rng rng;
    SimTime first;
    int stride; /* of the ticks that are recorded */
} Pupil;

static void lesson_init(Sched *s, void *state)
{
    Pupil *me = state;
    const Lesson *lesson = me->lesson = sched_given(s);
    me->first = sched_now(s);
    me->stride = 1;
    mlf_choose_open(&me->choose, s, lesson->plain);
    if (!lesson->net) return;
    me->chooser = chooser(sched_memory(s), lesson->net);
    rng_open(&me->rng, lesson->seed, "actions", lesson->number);
    me->choose.net = &me->chooser;
    me->choose.rng = &me->rng;
}

static void lesson_schedule(Sched *s, void *state)
{
    Pupil *me = state;
    const Lesson *lesson = me->lesson;
    int tick = (int)((sched_now(s) - me->first) / me->choose.h.place.tick);
    bool warm = tick < lesson->warm;
    me->choose.tick = tick - lesson->warm;
    if (lesson->net && !warm) me->choose.mode = lesson->best ? CHOOSE_BEST : CHOOSE_DRAWN;
    bool told = !warm && me->choose.tick < lesson->recorded && me->choose.tick % me->stride == 0;
    me->choose.log = told ? lesson->log : NULL;
    mlf_choose_round(&me->choose, s);
    while (told && lesson->log && lesson->most && lesson->log->n > lesson->most && me->stride <= tick) {
        me->stride *= THIRD;
        decision_log_thin(lesson->log, me->stride);
    }
}

const Policy policy_lesson = {
    .name = "lesson",
    .summary = "a run that is learnt from",
    .needs = NEEDS_INSIDE,
    .state_size = sizeof(Pupil),
    .init = lesson_init,
    .schedule = lesson_schedule,
};
