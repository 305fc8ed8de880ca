/* sim/report/policystyle.c -- looking things up in the text of the style, so that there is one list of colours. */
#include "sim/report/policystyle.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/hash.h"
#include "sim/report/figures.h"

int policy_style_unlisted(const char *policy)
{
    unsigned other = (unsigned)(hash_text(HASH_START, policy) >> 32);
    return (int)(10 * (1 + other % 8) + other / 8 % 4);
}

/* Behind the first `key` in the style, or NULL. */
static const char *behind(const char *key)
{
    for (const char *const *line = figure_style; *line; line++) {
        const char *found = strstr(*line, key);
        if (found) return found + strlen(key);
    }
    return NULL;
}

/* policy eq 'NAME'   ? 71 */
static int number_of(const char *policy)
{
    char key[80];
    if (strchr(policy, '\'') || snprintf(key, sizeof key, "policy eq '%s'", policy) >= (int)sizeof key)
        return policy_style_unlisted(policy);
    const char *found = behind(key);
    return found ? atoi(found + strspn(found, " ?")) : policy_style_unlisted(policy);
}

/* The n-th (from 1) of "array NAME[8] = [black, '#112233', ...]". */
static void colour_in(const char *array, int n, char colour[8])
{
    char key[32], name[16];
    snprintf(key, sizeof key, "array %s[8] = [", array);
    const char *item = behind(key);
    MUST(item);
    while (--n > 0) item = strchr(item, ',') + 2;
    if (*item != '\'') { /* a word: black = '#000000' */
        snprintf(name, sizeof name, "%.*s", (int)strcspn(item, ",]"), item);
        item = behind(name);
        MUST(item);
        item = strchr(item, '\'');
    }
    memcpy(colour, item + 1, 7);
    colour[7] = '\0';
}

PolicyStyle policy_style(const char *policy, int shift)
{
    PolicyStyle style = {.thick = false};
    int number = number_of(policy);
    if (shift) number = number - number % 10 + (number % 10 % 4 + shift) % 4;
    int hue = number / 10, tone = number % 10;
    colour_in(tone == 1 || tone == 3 ? "shade" : tone == 5 ? "tint" : "colour", hue, style.colour);
    style.dashed = tone == 2 || tone == 3;
    style.thick = tone == 4;
    return style;
}
