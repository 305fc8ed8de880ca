/* sim/base/version.h -- which mlfs-sim this is. */
#ifndef SIM_BASE_VERSION_H
#define SIM_BASE_VERSION_H

const char *version_text(void); /* "0.1.0" */

#endif
