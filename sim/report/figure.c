/* sim/report/figure.c -- data, script, pictures. */
#include "sim/report/figure.h"

#include <math.h>
#include <string.h>

#include "sim/base/out.h"
#include "sim/base/text.h"
#include "sim/report/figures.h"
#include "sim/report/gnuplot.h"
#include "sim/report/policystyle.h"

FigureSeries *figure_series_of(const RunGroup group[], int n, Arena *arena)
{
    FigureSeries *series = NEW_ARRAY(arena, FigureSeries, n + 1);
    for (int g = 0; g < n; g++) series[g] = (FigureSeries){group[g].title, group[g].policy, group[g].same_policy};
    return series;
}

/* On one line, as far as a legend can show it. */
static const char *shown(const char *text, Arena *arena)
{
    char *room = NEW_ARRAY(arena, char, SHOWN_TEXT);
    return text_shown(text, strlen(text), room);
}

static void put_number(Out *out, double value)
{
    if (isnan(value))
        out_text(out, "NaN");
    else
        out_double(out, value);
}

static bool write_data(const Figure *figure, const char *path, Arena *arena, Err *err)
{
    Out *out = out_open(arena, path, err);
    if (!out) return false;
    out_format(out, "# %s\n", figure->columns);
    bool first = true;
    for (int p = 0; p < figure->n_panels; p++)
        for (int c = 0; c < figure->panel[p].n; c++) {
            const FigureCurve *curve = &figure->panel[p].curve[c];
            const char *title = figure->panel[p].title;
            out_text(out, first ? "# " : "\n\n# ");
            first = false;
            if (title) out_format(out, "%s: ", shown(title, arena));
            out_format(out, "%s%s%s\n", shown(figure->series[curve->series].title, arena), curve->note ? ", " : "",
                       curve->note ? curve->note : "");
            for (int64_t i = 0; i < curve->n * figure->n_columns; i++) {
                put_number(out, curve->value[i]);
                out_char(out, (i + 1) % figure->n_columns ? ' ' : '\n');
            }
        }
    return out_close(out, err);
}

/* A gnuplot string: within single quotes nothing is special but they themselves. */
static void put_quoted(Out *out, const char *text)
{
    out_char(out, '\'');
    for (; *text; text++) {
        if (*text == '\'') out_char(out, '\'');
        out_char(out, *text >= ' ' || *text < 0 ? *text : ' ');
    }
    out_char(out, '\'');
}

static void put_setting(Out *out, const FigureSetting *setting)
{
    out_format(out, "%s = ", setting->name);
    if (setting->text)
        put_quoted(out, setting->text);
    else
        put_number(out, setting->number);
    out_char(out, '\n');
}

static void put_series(Out *out, const Figure *figure, Arena *arena)
{
    out_format(out, "series = %d\narray title[%d]\narray style[%d]\n", figure->n_series, figure->n_series,
               figure->n_series);
    for (int s = 0; s < figure->n_series; s++) {
        const FigureSeries *series = &figure->series[s];
        out_format(out, "title[%d] = ", s + 1);
        put_quoted(out, shown(series->title, arena));
        out_format(out, "; style[%d] = shifted(style_of(", s + 1);
        put_quoted(out, shown(series->policy, arena));
        out_format(out, ", %d), %d)\n", policy_style_unlisted(series->policy), series->shift);
    }
}

static void put_curves(Out *out, const Figure *figure, Arena *arena)
{
    int n_curves = 0, c = 0;
    for (int p = 0; p < figure->n_panels; p++) n_curves += figure->panel[p].n;
    static const char *const of_panel[] = {"panel_title", "from", "to", NULL};
    static const char *const of_curve[] = {"of", "first_x", "first_y", NULL};
    out_format(out, "panels = %d\n", figure->n_panels);
    for (const char *const *name = of_panel; *name; name++) out_format(out, "array %s[%d]\n", *name, figure->n_panels);
    for (const char *const *name = of_curve; *name; name++) out_format(out, "array %s[%d]\n", *name, n_curves);
    for (int p = 0; p < figure->n_panels; p++) {
        const FigurePanel *panel = &figure->panel[p];
        out_format(out, "panel_title[%d] = ", p + 1);
        put_quoted(out, panel->title ? shown(panel->title, arena) : "");
        out_format(out, "; from[%d] = %d; to[%d] = %d\n", p + 1, c + 1, p + 1, c + panel->n);
        for (int i = 0; i < panel->n; i++, c++) {
            const FigureCurve *curve = &panel->curve[i];
            out_format(out, "of[%d] = %d; first_x[%d] = ", c + 1, curve->series + 1, c + 1);
            put_number(out, curve->value[0]);
            out_format(out, "; first_y[%d] = ", c + 1);
            put_number(out, curve->value[1]);
            out_char(out, '\n');
        }
    }
}

static bool write_script(const Figure *figure, const char *path, Arena *arena, Err *err)
{
    Out *out = out_open(arena, path, err);
    if (!out) return false;
    out_format(out, "# Written by mlfs-sim plot.  Edit and draw again, in this folder: gnuplot %s.gp\n\n",
               figure->name);
    for (const char *const *line = figure_style; *line; line++) out_text(out, *line);
    out_format(out, "\n# ---- what is drawn ----\nname = '%s'\ndata = '%s.dat'\n", figure->name, figure->name);
    for (const FigureSetting *setting = figure->setting; setting && setting->name; setting++) put_setting(out, setting);
    put_series(out, figure, arena);
    put_curves(out, figure, arena);
    out_char(out, '\n');
    for (const char *const *line = figure->script; *line; line++) out_text(out, *line);
    return out_close(out, err);
}

bool figure_draw(const Figure *figure, const char *dir, Drawn *drawn, Arena *arena, Err *err)
{
    MUST(drawn->n < (int)(sizeof drawn->name / sizeof *drawn->name));
    drawn->name[drawn->n++] = figure->name;
    return make_folders(dir, err) &&
           write_data(figure, arena_format(arena, "%s/%s.dat", dir, figure->name), arena, err) &&
           write_script(figure, arena_format(arena, "%s/%s.gp", dir, figure->name), arena, err) &&
           gnuplot_draw(dir, figure->name, arena, err);
}
