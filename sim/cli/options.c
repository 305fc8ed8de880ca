/* sim/cli/options.c -- getopt_long does the walking, the sentences are ours. */
#include "sim/cli/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/cli/commands.h"

const Option common_options[] = {
    {"seed", 's', "N", "1", "seed of all random streams", false},
    {"threads", 'j', "N", "one per core", "how many threads work at once; never changes a result", false},
    {"set", 0, "KEY=VALUE", NULL, "set a parameter; `mlfs-sim list params` names them all", true},
    {"preset", 0, "NAME", "plain", "a set of parameters; `mlfs-sim list presets` names them all", false},
    {"config", 0, "FILE.json", NULL, "options and parameters from a file, such as the run.json of an earlier run",
     false},
    {"quiet", 'q', NULL, NULL, "no progress and no notices; errors and results stay", false},
    {"verbose", 'v', NULL, NULL, "more notices, and a line for each run", false},
    {"help", 'h', NULL, NULL, "this text", false},
    {0},
};

enum { MAX_OPTIONS = 64, FIRST_LONG = 256 }; /* getopt's value of option i is FIRST_LONG + i */

typedef struct Table {
    const Option *option[MAX_OPTIONS];
    struct option long_option[MAX_OPTIONS + 1];
    char letters[2 * MAX_OPTIONS + 2]; /* ":ab:c", the form getopt wants */
    int n;
} Table;

static void add_options(Table *table, const Option *options)
{
    size_t end = strlen(table->letters);
    for (const Option *o = options; o && o->name; o++) {
        MUST(table->n < MAX_OPTIONS);
        table->long_option[table->n] =
            (struct option){o->name, o->argument ? required_argument : no_argument, NULL, FIRST_LONG + table->n};
        table->option[table->n++] = o;
        if (o->letter) {
            table->letters[end++] = o->letter;
            if (o->argument) table->letters[end++] = ':';
        }
    }
    table->letters[end] = '\0';
}

static const Option *option_with_value(const Table *table, int value)
{
    if (value >= FIRST_LONG) return table->option[value - FIRST_LONG];
    for (int i = 0; i < table->n; i++)
        if (table->option[i]->letter == value) return table->option[i];
    return NULL;
}

/* The word "--thread=3" fits no option or several. */
static bool tell_unknown_long(const Table *table, const Command *command, const char *word, Err *err)
{
    char typed[64], known[64], several[256] = "", hint[HINT_TEXT];
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word, "="), word);
    int n = 0;
    NearMiss miss = {.typed = typed + 2};
    for (int i = 0; i < table->n; i++) {
        snprintf(known, sizeof known, "--%s", table->option[i]->name);
        if (text_starts(known, typed)) {
            size_t used = strlen(several);
            snprintf(several + used, sizeof several - used, "%s%s", n++ ? ", " : "", known);
        }
        near_miss_try(&miss, table->option[i]->name);
    }
    if (n > 1) return err_set(err, ERR_USAGE, "option %s is ambiguous: %s", typed, several);
    if (miss.best) {
        snprintf(known, sizeof known, "--%s", miss.best);
        miss.best = known;
    }
    return err_set(err, ERR_USAGE, "unknown option %s%s; `mlfs-sim %s --help` lists all", typed,
                   near_miss_hint(&miss, hint), command->name);
}

static bool tell_missing(const Table *table, int value, Err *err)
{
    const Option *o = option_with_value(table, value);
    return value >= FIRST_LONG
               ? err_set(err, ERR_USAGE, "option --%s needs an argument: --%s %s", o->name, o->name, o->argument)
               : err_set(err, ERR_USAGE, "option -%c needs an argument: -%c %s", o->letter, o->letter, o->argument);
}

bool invocation_parse(Invocation *inv, const Command *command, int argc, char **argv, Arena *arena, Err *err)
{
    Table table = {.letters = ":"};
    add_options(&table, command->options);
    add_options(&table, common_options);

    int n_words = argc - 1;
    char **words = NEW_ARRAY(arena, char *, n_words + 1); /* the command first; getopt moves the others about */
    memcpy(words, argv + 1, (size_t)n_words * sizeof *argv);
    Given *given = NEW_ARRAY(arena, Given, argc + 1);
    int n = 0;
    int room = argc; /* a cluster of flags, -qv, is more options than words */

    opterr = 0;
    optind = 0; /* glibc: start afresh */
    for (int value; (value = getopt_long(n_words, words, table.letters, table.long_option, NULL)) != -1;) {
        if (value == ':') return tell_missing(&table, optopt, err);
        if (value == '?' && optopt >= FIRST_LONG)
            return err_set(err, ERR_USAGE, "option --%s takes no argument", option_with_value(&table, optopt)->name);
        if (value == '?' && optopt)
            return err_set(err, ERR_USAGE, "unknown option -%c; `mlfs-sim %s --help` lists all", optopt, command->name);
        if (value == '?') return tell_unknown_long(&table, command, words[optind - 1], err);
        if (n == room) {
            given = arena_grow(arena, given, (size_t)n, (size_t)room * 2, sizeof *given);
            room *= 2;
        }
        given[n++] = (Given){option_with_value(&table, value), optarg ? optarg : "", NULL};
    }
    *inv = (Invocation){.command = command,
                        .arena = arena,
                        .argc = argc,
                        .argv = argv,
                        .given = given,
                        .n_given = n,
                        .operand = (const char *const *)(words + optind),
                        .n_operands = n_words - optind};
    return true;
}

bool invocation_check_operands(const Invocation *inv, Err *err)
{
    const Command *c = inv->command;
    if (inv->n_operands < c->least)
        return err_set(err, ERR_USAGE, "%s needs %s; `mlfs-sim %s --help` shows an example", c->name, c->operands,
                       c->name);
    if (c->most >= 0 && inv->n_operands > c->most)
        return err_set(err, ERR_USAGE, "unexpected '%s': %s takes %s", inv->operand[c->most], c->name,
                       c->most ? c->operands : "no operand");
    return true;
}

static const Given *find(const Invocation *inv, const char *name)
{
    MUST(option_find(inv->command, name, NULL));
    for (int i = inv->n_given; i-- > 0;)
        if (strcmp(inv->given[i].option->name, name) == 0) return &inv->given[i];
    return NULL;
}

bool invocation_has(const Invocation *inv, const char *name)
{
    return find(inv, name) != NULL;
}

const char *invocation_value(const Invocation *inv, const char *name)
{
    const Given *given = find(inv, name);
    return given ? given->value : NULL;
}

const char *invocation_spelling(const Invocation *inv, const char *name)
{
    const Given *given = find(inv, name);
    MUST(given);
    return given->file ? arena_format(inv->arena, "%s: %s %s", given->file, name, given->value)
                       : arena_format(inv->arena, "--%s %s", name, given->value);
}

bool invocation_integer(const Invocation *inv, const char *name, int64_t low, int64_t high, int64_t *value, Err *err)
{
    const char *text = invocation_value(inv, name);
    if (!text || text_to_int(text, strlen(text), low, high, value)) return true;
    return err_set(err, ERR_USAGE, "%s: expected a whole number from %lld to %lld", invocation_spelling(inv, name),
                   (long long)low, (long long)high);
}

bool invocation_number(const Invocation *inv, const char *name, double low, double high, double *value, Err *err)
{
    const char *text = invocation_value(inv, name);
    double number;
    if (!text) return true;
    if (!text_to_double(text, strlen(text), &number) || number < low || number > high)
        return err_set(err, ERR_USAGE, "%s: expected a number from %g to %g", invocation_spelling(inv, name), low,
                       high);
    *value = number;
    return true;
}

static const Option *find_in(const Option *options, const char *name, NearMiss *miss)
{
    for (const Option *o = options; o && o->name; o++) {
        if (strcmp(o->name, name) == 0) return o;
        if (miss) near_miss_try(miss, o->name);
    }
    return NULL;
}

const Option *option_find(const Command *command, const char *name, NearMiss *miss)
{
    const Option *own = find_in(command->options, name, miss);
    return own ? own : find_in(common_options, name, miss);
}
