/* sim/base/hash.h -- a quick hash for tables and for telling workloads apart (FNV-1a, not for security). */
#ifndef SIM_BASE_HASH_H
#define SIM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START ((uint64_t)0xcbf29ce484222325u)

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    /* The analyser does not see the bytes of a written number. */
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
    for (size_t i = 0; i < n; i++) hash = (hash ^ b[i]) * 0x100000001b3u;
    return hash;
}

/* A text or its absence: NULL, "" and "a","b" against "ab" all differ. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
    return text ? hash_bytes(hash_bytes(hash, "=", 1), text, strlen(text) + 1) : hash_bytes(hash, "-", 1);
}

#endif
