/* sim/report/story.h -- what became of one job and why, for `run --explain`: each stretch of waiting and running, what
 * started meanwhile, which requests were refused, how the policy judged it round by round.
 */
#ifndef SIM_REPORT_STORY_H
#define SIM_REPORT_STORY_H

#include "sim/base/out.h"
#include "sim/engine/observer.h"

typedef struct Story Story;
extern const Observer story_observer;

/* Of job `explained` of the workload; `origin` is taken from every time.  Everything is kept in the arena. */
Story *story_open(Arena *arena, const Workload *workload, const JobSpec *explained, const ClusterSpec *cluster,
                  SimTime origin);

/* `title` says whose run it is; of long stretches only some rounds are shown unless `all_rounds`. */
void story_write(Story *story, Out *out, const char *title, SimTime stopped_at, bool all_rounds);

#endif
