/* tests/fuzz_config.c -- any bytes as a --config file of any command: options and parameters, or one sentence. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/cli/commands.h"
#include "sim/cli/config.h"
#include "sim/cli/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_invocation(const Invocation *inv)
{
    for (int i = 0; i < inv->n_given; i++)
        MUST(option_find(inv->command, inv->given[i].option->name, NULL) == inv->given[i].option &&
             inv->given[i].value && inv->given[i].file);
    for (int i = 0; i < inv->n_settings; i++) MUST(inv->setting[i].key && inv->setting[i].value);
    MUST(inv->n_operands <= 1);
}

/* The first byte chooses the command, the rest is the file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    int n_commands = 0;
    while (command_list[n_commands]) n_commands++;
    Arena arena = {0};
    Err err = {0};
    int fd = memfd_create("config", 0);
    MUST(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
    Invocation inv = {.command = command_list[data[0] % n_commands], .arena = &arena};
    Params params = settings_known(&arena);
    bool good = config_read(&inv, arena_format(&arena, "/proc/self/fd/%d", fd), &err);
    if (good) check_invocation(&inv);
    good = good && invocation_check_operands(&inv, &err) && settings_apply(&inv, &params, &err);
    if (!good) MUST((err.kind == ERR_USAGE || err.kind == ERR_DATA) && *err.text && !strchr(err.text, '\n'));
    close(fd);
    arena_free(&arena);
    return 0;
}
