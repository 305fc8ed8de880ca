/* sim/cli/commit.h -- the commit this program was built from. */
#ifndef SIM_CLI_COMMIT_H
#define SIM_CLI_COMMIT_H

const char *commit_text(void); /* "1a2b3c4", or "unknown" when built outside a repository */

#endif
