/* sim/report/policystyle.h -- the colour and line of a policy outside gnuplot, read from scripts/figures/style.gp. */
#ifndef SIM_REPORT_POLICYSTYLE_H
#define SIM_REPORT_POLICYSTYLE_H

#include <stdbool.h>

typedef struct PolicyStyle {
    char colour[8]; /* "#0072B2" */
    bool dashed, thick;
} PolicyStyle;

/* The style's number of a policy that style.gp does not list. */
int policy_style_unlisted(const char *policy);

/* `shift`: how many others of the same policy came before. */
PolicyStyle policy_style(const char *policy, int shift);

#endif
