/* sim/cli/interrupt.h -- SIGINT and SIGTERM ask for a clean stop; a second one ends the program at once. */
#ifndef SIM_CLI_INTERRUPT_H
#define SIM_CLI_INTERRUPT_H

void interrupt_watch(void); /* from here on */
int interrupt_signal(void); /* the signal that came, or 0 */

#endif
