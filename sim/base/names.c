/* sim/base/names.c -- an open-addressing intern table; its order never reaches a result. */
#include "sim/base/names.h"

#include <string.h>

#include "sim/base/hash.h"

static uint32_t hash_of(const char *text, size_t length)
{
    uint64_t h = hash_bytes(HASH_START, text, length);
    return (uint32_t)(h ^ (h >> 32)); /* folded: the low bits see the high ones */
}

static bool same(const char *a, const char *text, size_t length)
{
    return strncmp(a, text, length) == 0 && a[length] == '\0';
}

static NameSlot *find_slot(const Names *names, uint32_t hash, const char *text, size_t length)
{
    uint32_t mask = names->n_slots - 1;
    for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
        NameSlot *slot = &names->slot[i];
        if (!slot->number || (slot->hash == hash && same(names->text[slot->number - 1], text, length))) return slot;
    }
}

static void rehash(Names *names)
{
    NameSlot *old = names->slot;
    uint32_t n_old = names->n_slots;
    names->n_slots = n_old ? n_old * 2 : 64;
    names->slot = NEW_ARRAY(names->arena, NameSlot, names->n_slots);
    uint32_t mask = names->n_slots - 1;
    for (uint32_t k = 0; k < n_old; k++) {
        if (!old[k].number) continue;
        uint32_t i = old[k].hash & mask;
        while (names->slot[i].number) i = (i + 1) & mask;
        names->slot[i] = old[k];
    }
}

int names_find(const Names *names, const char *text, size_t length)
{
    return names->n_slots ? (int)find_slot(names, hash_of(text, length), text, length)->number - 1 : -1;
}

int names_add(Names *names, const char *text, size_t length, bool *is_new)
{
    if ((uint32_t)names->n + 1 > names->n_slots / 2) rehash(names);
    uint32_t hash = hash_of(text, length);
    NameSlot *slot = find_slot(names, hash, text, length);
    if (is_new) *is_new = !slot->number;
    if (slot->number) return (int)slot->number - 1;

    if (names->n == names->capacity) {
        int larger = names->capacity ? names->capacity * 2 : 64;
        names->text = arena_grow(names->arena, names->text, (size_t)names->n, (size_t)larger, sizeof *names->text);
        names->capacity = larger;
    }
    names->text[names->n] = arena_copy_text(names->arena, text, length);
    *slot = (NameSlot){hash, (uint32_t)++names->n};
    return names->n - 1;
}
