/* sim/cli/help.c -- usage, options in two columns, one example. */
#include "sim/cli/help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 100, HELP_COLUMN = 28 };

static void put_blanks(Out *out, int n)
{
    for (; n > 0; n--) out_char(out, ' ');
}

void help_wrapped(Out *out, int column, int indent, const char *text)
{
    bool fresh = column <= indent; /* nothing but blanks on this line */
    put_blanks(out, indent - column);
    if (fresh) column = indent;
    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (!fresh && column + 1 + length > WIDTH) {
            out_char(out, '\n');
            put_blanks(out, indent);
            column = indent;
            fresh = true;
        }
        if (!fresh) out_char(out, ' ');
        out_bytes(out, text, (size_t)length);
        column += length + !fresh;
        fresh = false;
        text += length;
        if (*text == '\n') { /* a paragraph's own line break */
            out_char(out, '\n');
            put_blanks(out, text[1] ? indent : 0);
            column = indent;
            fresh = true;
        }
        text += *text == '\n';
        text += strspn(text, " ");
    }
    if (!fresh) out_char(out, '\n');
}

static void put_options(Out *out, const Option *options)
{
    for (const Option *o = options; o && o->name; o++) {
        char letter[8] = "", left[64], right[640];
        if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
        int column = snprintf(left, sizeof left, "  %4s--%s%s%s", letter, o->name, o->argument ? " " : "",
                              o->argument ? o->argument : "");
        snprintf(right, sizeof right, "%s%s%s%s%s", o->help, o->repeats ? "; may be repeated" : "",
                 o->normal ? " [" : "", o->normal ? o->normal : "", o->normal ? "]" : "");
        out_text(out, left);
        if (column > HELP_COLUMN - 2) {
            out_char(out, '\n');
            column = 0;
        }
        help_wrapped(out, column, HELP_COLUMN, right);
    }
}

void help_command(Out *out, const Command *command)
{
    out_format(out, "Usage: mlfs-sim %s%s%s [options]\n\n", command->name, *command->operands ? " " : "",
               command->operands);
    char sentence[512];
    snprintf(sentence, sizeof sentence, "%c%s.", toupper((unsigned char)command->summary[0]), command->summary + 1);
    help_wrapped(out, 0, 0, sentence);
    if (command->details) {
        out_char(out, '\n');
        help_wrapped(out, 0, 0, command->details);
    }
    if (command->options && command->options->name)
        out_text(out, "\nOptions, with what holds when they are not given:\n");
    put_options(out, command->options);
    out_text(out, "\nOptions of every command:\n");
    put_options(out, common_options);
    out_text(out, "\nExample:\n  ");
    out_text(out, command->example);
    out_char(out, '\n');
}

void help_program(Out *out)
{
    out_text(out, "mlfs-sim -- replays traces of deep-learning training jobs on a modelled GPU cluster\n"
                  "under any number of scheduling policies.\n\n"
                  "Usage: mlfs-sim COMMAND [operands] [options]\n\nCommands:\n");
    for (const Command *const *c = command_list; *c; c++) {
        char left[64];
        int column = snprintf(left, sizeof left, "  %s %s", (*c)->name, (*c)->operands);
        out_text(out, left);
        if (column > HELP_COLUMN - 2) {
            out_char(out, '\n');
            column = 0;
        }
        help_wrapped(out, column, HELP_COLUMN, (*c)->summary);
    }
    out_text(
        out,
        "\nExit status: 0 done; 1 the machine failed us (a full disk, a folder that cannot be made); 2 the command\n"
        "line cannot be carried out as written; 3 the input data is bad; 4 a policy broke a rule; 130 and 143\n"
        "interrupted.  Results go to standard output, everything else to standard error or into files.\n");
    out_text(out, "\n`mlfs-sim COMMAND --help` explains a command with its options, defaults and an example;\n"
                  "`mlfs-sim --version` tells which program this is.\n");
}
