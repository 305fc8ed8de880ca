/* sim/report/story.c -- collecting a job's stretches as the run goes, and telling them in order. */
#include "sim/report/story.h"

#include <string.h>

#include "sim/engine/sched.h"

enum { MOST_NAMED = 5, MOST_REASONS = 8, MOST_LINES = 8 };

typedef struct Round {
    SimTime at;
    double value[MOST_TERMS];
} Round;

typedef struct Reason { /* why requests were refused */
    const char *request, *reason;
    int64_t n;
} Reason;

typedef struct Stretch {
    SimTime from;
    HappenKind began; /* with this */
    bool waits, ends; /* it holds nothing; it is over */
    int n_gpus, n_servers;
    SimTime stalled; /* until then it does not compute */
    int moves;
    int64_t least_free, most_free, least_waiting, most_waiting; /* after rounds */
    bool any_round;
    int64_t n_started, gpus_started; /* other jobs that started in it */
    JobId started[MOST_NAMED];       /* the first of them */
    Reason reason[MOST_REASONS];
    int n_reasons;
    int first_round; /* in Story.round */
    struct Stretch *next;
} Stretch;

struct Story {
    Arena *arena;
    const Workload *workload;
    const JobSpec *explained;
    Cluster cluster; /* empty books, to tell servers by */
    SimTime origin;
    Stretch *first, *last;
    Round *round; /* [n_rounds] in which it lived */
    int n_rounds, capacity;
    const char *term[MOST_TERMS]; /* names */
    int n_terms;
    Round judged; /* of the round that is going on */
    bool is_judged;
};

Story *story_open(Arena *arena, const Workload *workload, const JobSpec *explained, const ClusterSpec *cluster,
                  SimTime origin)
{
    Story *story = NEW(arena, Story);
    *story = (Story){.arena = arena,
                     .workload = workload,
                     .explained = explained,
                     .cluster = cluster_make(arena, cluster),
                     .origin = origin};
    return story;
}

/* ---- collecting ---- */

static int count_servers(const Story *story, const GpuId gpus[], int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        ServerId server = cluster_server_of(&story->cluster, gpus[i]);
        bool seen = false;
        for (int j = 0; j < i && !seen; j++) seen = cluster_server_of(&story->cluster, gpus[j]) == server;
        count += !seen;
    }
    return count;
}

static void begin_stretch(Story *story, const Happening *h)
{
    Stretch *stretch = NEW(story->arena, Stretch);
    *stretch = (Stretch){.from = h->at,
                         .began = h->kind,
                         .waits = h->kind == HAPPENS_ARRIVE || h->kind == HAPPENS_PREEMPT || h->kind == HAPPENS_FAIL ||
                                  h->kind == HAPPENS_PAUSE,
                         .ends = h->kind == HAPPENS_END || h->kind == HAPPENS_STOP || h->kind == HAPPENS_UNSCHEDULABLE,
                         .n_gpus = h->n_gpus,
                         .n_servers = h->gpus ? count_servers(story, h->gpus, h->n_gpus) : 0,
                         .stalled = h->stalled,
                         .first_round = story->n_rounds};
    if (story->last)
        story->last->next = stretch;
    else
        story->first = stretch;
    story->last = stretch;
}

/* Something that happens to a job that runs and goes on running. */
static void note_change(Stretch *stretch, const Happening *h)
{
    if (h->kind == HAPPENS_MIGRATE) stretch->moves++;
    if (h->kind == HAPPENS_PLACE) stretch->n_gpus++;
    if (h->kind == HAPPENS_EVICT) stretch->n_gpus--;
    if (h->stalled > stretch->stalled) stretch->stalled = h->stalled;
}

static void note_other(Stretch *stretch, const Happening *h)
{
    if (h->kind != HAPPENS_START) return;
    if (stretch->n_started < MOST_NAMED) stretch->started[stretch->n_started] = h->job->id;
    stretch->n_started++;
    stretch->gpus_started += h->job->n_gpus;
}

static void story_happening(void *self, const Happening *h)
{
    Story *story = self;
    bool own = h->job->id == (JobId)(story->explained - story->workload->job);
    if (!own) {
        if (story->last && story->last->waits) note_other(story->last, h);
        return;
    }
    bool part = h->task >= 0 && story->last && !story->last->waits;
    if (part)
        note_change(story->last, h);
    else
        begin_stretch(story, h);
}

static void story_refusal(void *self, const Refusal *refusal)
{
    Story *story = self;
    Stretch *stretch = story->last;
    if (!stretch || refusal->job != (JobId)(story->explained - story->workload->job)) return;
    for (int i = 0; i < stretch->n_reasons; i++) {
        Reason *r = &stretch->reason[i];
        if (strcmp(r->request, refusal->request) != 0 || strcmp(r->reason, refusal->reason) != 0) continue;
        r->n++;
        return;
    }
    if (stretch->n_reasons < MOST_REASONS)
        stretch->reason[stretch->n_reasons++] = (Reason){refusal->request, refusal->reason, 1};
}

static void story_terms(void *self, const Term term[], int n_terms)
{
    Story *story = self;
    story->n_terms = n_terms;
    for (int i = 0; i < n_terms; i++) {
        story->term[i] = term[i].name;
        story->judged.value[i] = term[i].value;
    }
    story->is_judged = true;
}

static void story_round(void *self, const Census *census, const Cluster *cluster)
{
    Story *story = self;
    Stretch *s = story->last;
    (void)cluster;
    if (!s || s->ends) return;
    int64_t n_free = census->gpus_total - census->gpus_busy;
    if (!s->any_round || n_free < s->least_free) s->least_free = n_free;
    if (!s->any_round || n_free > s->most_free) s->most_free = n_free;
    if (!s->any_round || census->jobs_waiting < s->least_waiting) s->least_waiting = census->jobs_waiting;
    if (!s->any_round || census->jobs_waiting > s->most_waiting) s->most_waiting = census->jobs_waiting;
    s->any_round = true;
    if (!story->is_judged) return;
    story->is_judged = false;
    if (story->n_rounds == story->capacity) {
        int larger = story->capacity ? 2 * story->capacity : 64;
        story->round =
            arena_resize(story->arena, story->round, (size_t)story->n_rounds, (size_t)larger, sizeof *story->round);
        story->capacity = larger;
    }
    story->judged.at = census->at;
    story->round[story->n_rounds++] = story->judged;
}

const Observer story_observer = {.name = "story",
                                 .on_happening = story_happening,
                                 .on_round = story_round,
                                 .on_refusal = story_refusal,
                                 .on_terms = story_terms};

/* ---- telling ---- */

static void put_when(const Story *story, Out *out, SimTime at)
{
    char text[TIME_TEXT];
    time_format(at - story->origin, text);
    out_format(out, "%14s  ", text);
}

static void put_margin(Out *out)
{
    out_format(out, "%16s", "");
}

static void put_seconds(Out *out, SimTime span)
{
    out_time(out, span);
    out_text(out, " s");
}

static void put_beginning(const Story *story, Out *out, const Stretch *s)
{
    static const char *const what[] = {
        [HAPPENS_END] = "ends",         [HAPPENS_STOP] = "is stopped early",
        [HAPPENS_ARRIVE] = "arrives",   [HAPPENS_UNSCHEDULABLE] = "is unschedulable: it needs more GPUs than there are",
        [HAPPENS_START] = "starts",     [HAPPENS_PREEMPT] = "is preempted",
        [HAPPENS_PLACE] = "starts",     [HAPPENS_EVICT] = "loses a task",
        [HAPPENS_MIGRATE] = "moves",    [HAPPENS_FAIL] = "fails and waits again",
        [HAPPENS_PAUSE] = "is paused",  [HAPPENS_RESUME] = "goes on",
        [HAPPENS_DUPLICATE] = "copied", [HAPPENS_DROP] = "loses a copy",
    };
    put_when(story, out, s->from);
    out_text(out, what[s->began]);
    if (s->began == HAPPENS_START)
        out_format(out, " on %d GPU%s of %d server%s", s->n_gpus, s->n_gpus == 1 ? "" : "s", s->n_servers,
                   s->n_servers == 1 ? "" : "s");
    out_char(out, '\n');
}

static void put_range(Out *out, int64_t low, int64_t high)
{
    out_int(out, low);
    if (low == high) return;
    out_text(out, " to ");
    out_int(out, high);
}

static void put_others(const Story *story, Out *out, const Stretch *s)
{
    put_margin(out);
    out_format(out, "meanwhile %lld job%s of %lld GPU%s started: ", (long long)s->n_started,
               s->n_started == 1 ? "" : "s", (long long)s->gpus_started, s->gpus_started == 1 ? "" : "s");
    for (int i = 0; i < s->n_started && i < MOST_NAMED; i++) {
        const JobSpec *other = &story->workload->job[s->started[i]];
        if (i) out_text(out, ", ");
        out_text(out, other->name);
        out_format(out, " (%d)", other->n_gpus);
    }
    out_text(out, s->n_started > MOST_NAMED ? ", ...\n" : "\n");
}

static void put_wait(const Story *story, Out *out, const Stretch *s, SimTime to)
{
    put_margin(out);
    out_text(out, s->began == HAPPENS_PAUSE ? "is paused for " : "waits ");
    put_seconds(out, to - s->from);
    if (s->any_round) {
        out_text(out, "; after each round ");
        put_range(out, s->least_free, s->most_free);
        out_format(out, " of %d GPUs were free and ", story->cluster.spec->n_gpus);
        put_range(out, s->least_waiting, s->most_waiting);
        out_text(out, s->least_waiting == 1 && s->most_waiting == 1 ? " job waited" : " jobs waited");
    }
    out_char(out, '\n');
    if (s->n_started) put_others(story, out, s);
}

static void put_run(Out *out, const Stretch *s, SimTime to)
{
    put_margin(out);
    out_text(out, "runs ");
    put_seconds(out, to - s->from);
    if (s->stalled > s->from) {
        out_text(out, ", computing from ");
        put_seconds(out, (s->stalled < to ? s->stalled : to) - s->from);
        out_text(out, " on");
    }
    if (s->moves) out_format(out, ", %d of its tasks move%s", s->moves, s->moves == 1 ? "s" : "");
    out_char(out, '\n');
}

static void put_reasons(Out *out, const Stretch *s)
{
    for (int i = 0; i < s->n_reasons; i++) {
        put_margin(out);
        out_format(out, "%s refused", s->reason[i].request);
        if (s->reason[i].n > 1) out_format(out, " %lld times", (long long)s->reason[i].n);
        out_format(out, ": %s\n", s->reason[i].reason);
    }
}

static void put_round(const Story *story, Out *out, const Round *round)
{
    put_margin(out);
    char text[TIME_TEXT];
    time_format(round->at - story->origin, text);
    out_format(out, "%14s", text);
    for (int i = 0; i < story->n_terms; i++) out_format(out, " %15.6g", round->value[i]);
    out_char(out, '\n');
}

/* The rounds from..to-1: all, or some of them, evenly, the first and the last included. */
static void put_rounds(const Story *story, Out *out, int from, int to, bool all)
{
    int n = to - from, n_lines = all || n <= MOST_LINES ? n : MOST_LINES;
    if (!n || !story->n_terms) return;
    put_margin(out);
    out_format(out, "%14s", "round at");
    for (int i = 0; i < story->n_terms; i++) out_format(out, " %15s", story->term[i]);
    out_char(out, '\n');
    for (int line = 0; line < n_lines; line++)
        put_round(story, out,
                  &story->round[n_lines == n ? from + line : from + (int)((int64_t)line * (n - 1) / (n_lines - 1))]);
    if (n_lines < n) {
        put_margin(out);
        out_format(out, "(%d of %d rounds; -v shows all)\n", n_lines, n);
    }
}

void story_write(Story *story, Out *out, const char *title, SimTime stopped_at, bool all_rounds)
{
    const JobSpec *job = story->explained;
    out_text(out, "job ");
    out_text(out, job->name);
    out_text(out, " under ");
    out_text(out, title);
    out_format(out, ": %d GPU%s for ", job->n_gpus, job->n_gpus == 1 ? "" : "s");
    put_seconds(out, job->duration);
    out_text(out, "\n\n");
    if (!story->first) out_text(out, "It had not arrived when the run stopped.\n");
    for (const Stretch *s = story->first; s; s = s->next) {
        put_beginning(story, out, s);
        if (s->ends) continue;
        SimTime to = s->next ? s->next->from : stopped_at;
        if (s->waits && to > s->from)
            put_wait(story, out, s, to);
        else if (!s->waits)
            put_run(out, s, to);
        put_reasons(out, s);
        put_rounds(story, out, s->first_round, s->next ? s->next->first_round : story->n_rounds, all_rounds);
        if (!s->next) {
            put_when(story, out, stopped_at);
            out_text(out, "the run stops here\n");
        }
    }
}
