/* sim/base/version.c -- the version, in one place. */
#include "sim/base/version.h"

const char *version_text(void)
{
    return "0.1.0";
}
