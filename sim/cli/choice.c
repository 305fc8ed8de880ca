/* sim/cli/choice.c -- a comma list of policies. */
#include "sim/cli/choice.h"

#include <string.h>

#include "policies/policies.h"
#include "sim/base/text.h"
#include "sim/cli/plugin.h"

typedef struct Choosing {
    Arena *arena;
    Choice *choice; /* [n] */
    int n, room;
    Err *err;
} Choosing;

static bool is_chosen(const Choosing *c, const char *folder)
{
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->choice[i].folder, folder) == 0) return true;
    return false;
}

static bool add(Choosing *c, Choice choice)
{
    if (is_chosen(c, choice.folder))
        return err_set(c->err, ERR_USAGE, "policy '%s' is in the list twice", choice.folder);
    if (c->n == c->room) {
        int larger = c->room ? 2 * c->room : 16;
        c->choice = arena_grow(c->arena, c->choice, (size_t)c->n, (size_t)larger, sizeof *c->choice);
        c->room = larger;
    }
    c->choice[c->n++] = choice;
    return true;
}

static bool tell_unknown(const char *name, Arena *arena, Err *err)
{
    char hint[HINT_TEXT];
    NearMiss miss = {.typed = name};
    const char *names = "all";
    near_miss_try(&miss, "all");
    for (const PolicyAlias *a = policy_aliases; a->name; a++) near_miss_try(&miss, a->name);
    for (const Policy *const *p = policy_list; *p; p++) {
        near_miss_try(&miss, (*p)->name);
        names = arena_format(arena, "%s, %s", names, (*p)->name);
    }
    return err_set(err, ERR_USAGE, "unknown policy '%s'%s; there are %s, and shared objects such as ./mine.so", name,
                   near_miss_hint(&miss, hint), names);
}

static bool add_named(Choosing *c, const char *name)
{
    if (strchr(name, '/')) {
        const Policy *plugin = plugin_load(name, c->err);
        return plugin && add(c, (Choice){plugin, name, plugin->name, true, false});
    }
    const Policy *policy = policy_find(name);
    if (!policy) return tell_unknown(name, c->arena, c->err);
    return add(c, (Choice){policy, name, name, false, false});
}

/* Whether some name in the list means this policy. */
static bool is_named(const char *list, const Policy *policy, Arena *arena)
{
    for (const char *c = list;; c++) {
        size_t length = strcspn(c, ",");
        if (policy_find(arena_copy_text(arena, c, length)) == policy) return true;
        c += length;
        if (!*c) return false;
    }
}

/* Every policy that needs neither a trained net, which may be of other jobs, nor a log's starts and is not named on its
 * own. */
static bool add_all(Choosing *c, const char *list)
{
    for (const Policy *const *p = policy_list; *p; p++)
        if (!((*p)->needs & (NEEDS_MODEL_FILE | NEEDS_STARTS)) && !is_named(list, *p, c->arena) &&
            !add(c, (Choice){*p, (*p)->name, (*p)->name, false, true}))
            return false;
    return true;
}

bool choose_policies(const char *list, Arena *arena, Choice **choice, int *n, Err *err)
{
    Choosing choosing = {.arena = arena, .err = err};
    bool done = true;
    for (const char *c = list; done;) {
        size_t length = strcspn(c, ",");
        const char *name = arena_copy_text(arena, c, length);
        if (length == 0)
            done = err_set(err, ERR_USAGE, "--policy %s: a name is missing in the list", list);
        else
            done = strcmp(name, "all") == 0 ? add_all(&choosing, list) : add_named(&choosing, name);
        if (!c[length]) break;
        c += length + 1;
    }
    *choice = choosing.choice;
    *n = choosing.n;
    return done;
}

bool choose_without_inside(Choice choice[], int *n, Err *err)
{
    int kept = 0;
    for (int i = 0; i < *n; i++) {
        bool wants = choice[i].policy->needs & NEEDS_INSIDE;
        if (wants && !choice[i].by_all)
            return err_set(err, ERR_USAGE,
                           "policy '%s' looks inside jobs, and in preset plain they have none; try --preset philly",
                           choice[i].typed);
        if (!wants) choice[kept++] = choice[i];
    }
    *n = kept;
    return true;
}
