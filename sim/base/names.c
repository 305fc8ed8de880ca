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

static uint32_t find_slot(const Names *names, const char *text, size_t length)
{
    uint32_t i = hash_of(text, length) & (names->n_slots - 1);
    while (names->slot[i] && !same(names->text[names->slot[i] - 1], text, length)) i = (i + 1) & (names->n_slots - 1);
    return i;
}

static void rehash(Names *names)
{
    names->n_slots = names->n_slots ? names->n_slots * 2 : 64;
    names->slot = NEW_ARRAY(names->arena, uint32_t, names->n_slots);
    for (int k = 0; k < names->n; k++)
        names->slot[find_slot(names, names->text[k], strlen(names->text[k]))] = (uint32_t)k + 1;
}

int names_find(const Names *names, const char *text, size_t length)
{
    return names->n_slots ? (int)names->slot[find_slot(names, text, length)] - 1 : -1;
}

int names_add(Names *names, const char *text, size_t length, bool *is_new)
{
    if (is_new) *is_new = false;
    int known = names_find(names, text, length);
    if (known >= 0) return known;

    if ((uint32_t)names->n + 1 > names->n_slots / 2) rehash(names);
    if (names->n == names->capacity) {
        int larger = names->capacity ? names->capacity * 2 : 64;
        names->text = arena_grow(names->arena, names->text, (size_t)names->n, (size_t)larger, sizeof *names->text);
        names->capacity = larger;
    }
    names->text[names->n] = arena_copy_text(names->arena, text, length);
    names->slot[find_slot(names, text, length)] = (uint32_t)names->n + 1;
    if (is_new) *is_new = true;
    return names->n++;
}
