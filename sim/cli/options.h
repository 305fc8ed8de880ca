/* sim/cli/options.h -- the options and operands of one command line.
 *
 * A command declares a const table of Option; the options that every command understands are common_options.  Options
 * and operands come in any order, "--" ends the options, an option's unique beginning is enough, and the last of
 * several equal options counts unless it `repeats`.  Values stay text until they are asked for, so that a wrong one is
 * told with the name under which it was given.
 */
#ifndef SIM_CLI_OPTIONS_H
#define SIM_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/base/text.h"

typedef struct Option {
    const char *name;     /* --name */
    char letter;          /* -x; 0: none */
    const char *argument; /* placeholder in the help, "N"; NULL: a flag */
    const char *normal;   /* what holds when it is not given, as the help shows it; NULL: nothing to show */
    const char *help;     /* one clause */
    bool repeats;         /* every one counts */
} Option;

/* quiet, verbose, seed, threads, set, preset, config, help; ends with {0}. */
extern const Option common_options[];

/* Seeds pass through JSON, whose readers keep whole numbers up to here. */
#define MAX_SEED ((int64_t)1 << 53)

typedef struct Given {
    const Option *option;
    const char *value; /* "" for a flag */
    const char *file;  /* the --config file it comes from; NULL: the command line */
} Given;

typedef struct Setting { /* a parameter set by a --config file */
    const char *key, *value;
    const char *file;
} Setting;

typedef struct Invocation {
    const struct Command *command;
    Arena *arena; /* lives as long as the program */
    int argc;     /* the whole command line, the program's name included */
    char *const *argv;
    const Given *given; /* [n_given]: those of a --config file first, then as typed */
    int n_given;
    const char *const *operand;
    int n_operands;
    const Setting *setting; /* [n_settings], in the file's order */
    int n_settings;
} Invocation;

/* argv[0] is the program, argv[1] the command.  False: an unknown or ambiguous option, a missing or superfluous
 * argument. */
bool invocation_parse(Invocation *inv, const struct Command *command, int argc, char **argv, Arena *arena, Err *err);

/* Too few or too many operands for the command: false, err tells. */
bool invocation_check_operands(const Invocation *inv, Err *err);

bool invocation_has(const Invocation *inv, const char *name);
const char *invocation_value(const Invocation *inv, const char *name); /* the one that counts; NULL: not given */

/* A number that was given, in range; *value is left alone when it was not given. */
bool invocation_integer(const Invocation *inv, const char *name, int64_t low, int64_t high, int64_t *value, Err *err);
bool invocation_number(const Invocation *inv, const char *name, double low, double high, double *value, Err *err);

/* "--name VALUE" or "--name VALUE (in FILE.json)": how messages speak of an option that was given. */
const char *invocation_spelling(const Invocation *inv, const char *name);

/* The option of this command (or common to all) with that long name, or NULL; a miss, if given, hears all names. */
const Option *option_find(const struct Command *command, const char *name, NearMiss *miss);

#endif
