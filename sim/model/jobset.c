/* sim/model/jobset.c -- a three-level bit set. */
#include "sim/model/jobset.h"

#include "sim/base/err.h"

JobSet jobset_make(Arena *arena, int size)
{
    JobSet set = {.size = size};
    for (int level = 0, n = size; level < 3; level++) {
        n = set.n_words[level] = n / 64 + 1;
        set.bit[level] = NEW_ARRAY(arena, uint64_t, n);
    }
    return set;
}

bool jobset_has(const JobSet *set, JobId id)
{
    return set->bit[0][id >> 6] >> (id & 63) & 1;
}

void jobset_put(JobSet *set, JobId id)
{
    MUST(!jobset_has(set, id));
    for (int level = 0, i = id; level < 3; level++, i >>= 6) set->bit[level][i >> 6] |= (uint64_t)1 << (i & 63);
    set->n++;
}

void jobset_take(JobSet *set, JobId id)
{
    MUST(jobset_has(set, id));
    for (int level = 0, i = id; level < 3; level++, i >>= 6) {
        set->bit[level][i >> 6] &= ~((uint64_t)1 << (i & 63));
        if (set->bit[level][i >> 6]) break;
    }
    set->n--;
}

JobId jobset_next(const JobSet *set, JobId from)
{
    /* Climb while the rest of this word is empty, then come down along the first set bits. */
    int level = 0, i = from;
    for (;;) {
        if (i >> 6 >= set->n_words[level]) return -1;
        uint64_t rest = set->bit[level][i >> 6] >> (i & 63);
        if (rest) {
            i += __builtin_ctzll(rest);
            break;
        }
        i = (i >> 6) + 1;
        if (++level == 3) { /* the top level may have several words: walk them */
            for (; i < set->n_words[2]; i++)
                if (set->bit[2][i]) break;
            if (i >= set->n_words[2]) return -1;
            level = 2;
            i = i * 64 + __builtin_ctzll(set->bit[2][i]);
            break;
        }
    }
    for (; level > 0; level--) i = i * 64 + __builtin_ctzll(set->bit[level - 1][i]);
    return i;
}
