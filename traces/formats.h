/* traces/formats.h -- the readers behind the list in readers.c.  Adding one: its file, a line here, a line there. */
#ifndef TRACES_FORMATS_H
#define TRACES_FORMATS_H

#include "traces/reader.h"

extern const TraceReader reader_philly, reader_helios, reader_csv;

#endif
