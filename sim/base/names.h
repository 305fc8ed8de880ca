/* sim/base/names.h -- each different text once, with a number: users, virtual clusters, job ids. */
#ifndef SIM_BASE_NAMES_H
#define SIM_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/arena.h"

typedef struct NameSlot {
    uint32_t hash;
    uint32_t number; /* 0 = empty, else the name's number + 1 */
} NameSlot;

typedef struct Names {
    Arena *arena;      /* holds texts and tables: set it, zero the rest */
    const char **text; /* [n], in order of first appearance */
    int n;
    int capacity;
    NameSlot *slot; /* open addressing; the hash spares most looks at a text */
    uint32_t n_slots;
} Names;

/* The number of this text, added if new; *is_new (may be NULL) says which. */
int names_add(Names *names, const char *text, size_t length, bool *is_new);

/* The number of this text, or -1. */
int names_find(const Names *names, const char *text, size_t length);

#endif
