/* sim/cli/main.c -- from the command line to a command, from an Err to a sentence and an exit status. */
#include <stdio.h>
#include <string.h>

#include "sim/cli/commands.h"
#include "sim/cli/help.h"

static bool put_help(const Command *command, Arena *arena, Err *err)
{
    Out *out = out_open(arena, "-", err);
    if (!out) return false;
    if (command)
        help_command(out, command);
    else
        help_program(out);
    return out_close(out, err);
}

static bool run(int argc, char **argv, Arena *arena, Err *err)
{
    const char *word = argc > 1 ? argv[1] : "--help";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return put_help(NULL, arena, err);

    char hint[HINT_TEXT];
    NearMiss miss = {.typed = word};
    const Command *command = command_find(word, &miss);
    if (!command)
        return err_set(err, ERR_USAGE, "unknown %s '%s'%s; `mlfs-sim --help` lists all",
                       *word == '-' ? "option" : "command", word, near_miss_hint(&miss, hint));

    Invocation inv;
    if (!invocation_parse(&inv, command, argc - 1, argv + 1, arena, err)) return false;
    if (invocation_has(&inv, "help")) return put_help(command, arena, err);
    return invocation_check_operands(&inv, err) && command->run(&inv, err);
}

int main(int argc, char **argv)
{
    Arena arena = {0};
    Err err = {0};
    if (!run(argc, argv, &arena, &err)) fprintf(stderr, "mlfs-sim: %s\n", err.text);
    arena_free(&arena);
    return (int)err.kind;
}
