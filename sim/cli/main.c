/* sim/cli/main.c -- from the command line to a command, from an Err to a sentence and an exit status. */
#include <stdio.h>
#include <string.h>

#include "rl/kernel.h"
#include "sim/base/version.h"
#include "sim/cli/commands.h"
#include "sim/cli/commit.h"
#include "sim/cli/config.h"
#include "sim/cli/help.h"
#include "sim/cli/interrupt.h"

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

static bool put_version(Arena *arena, Err *err)
{
    Out *out = out_open(arena, "-", err);
    if (!out) return false;
    out_format(out, "mlfs-sim %s (commit %s)\n", version_text(), commit_text());
    return out_close(out, err);
}

static bool tell_unknown(const char *word, NearMiss *miss, Err *err)
{
    char hint[HINT_TEXT];
    if (*word == '-') {
        near_miss_try(miss, "--help");
        near_miss_try(miss, "--version");
    }
    return err_set(err, ERR_USAGE, "unknown %s '%s'%s; `mlfs-sim --help` lists all",
                   *word == '-' ? "option" : "command", word, near_miss_hint(miss, hint));
}

static bool run(int argc, char **argv, Arena *arena, Err *err)
{
    const char *word = argc > 1 ? argv[1] : "--help";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return put_help(NULL, arena, err);
    if (strcmp(word, "--version") == 0) return put_version(arena, err);

    NearMiss miss = {.typed = word};
    const Command *command = command_find(word, &miss);
    if (!command) return tell_unknown(word, &miss, err);

    Invocation inv;
    if (!invocation_parse(&inv, command, argc, argv, arena, err)) return false;
    if (invocation_has(&inv, "help")) return put_help(command, arena, err);
    const char *config = invocation_value(&inv, "config");
    return (!config || config_read(&inv, config, err)) && invocation_check_operands(&inv, err) &&
           command->run(&inv, err);
}

int main(int argc, char **argv)
{
    kernel_one_thread();
    Arena arena = {0};
    Err err = {0};
    int status = 0;
    if (!run(argc, argv, &arena, &err)) {
        fprintf(stderr, "mlfs-sim: %s\n", err.text);
        status = (int)err.kind;
    } else if (interrupt_signal()) {
        status = 128 + interrupt_signal(); /* as the shell tells a program that a signal ended */
    }
    arena_free(&arena);
    return status;
}
