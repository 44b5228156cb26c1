/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters of counters.h as hooks: what an event adds to them is in the trace, with that event. */
#ifndef IS_MEASURE_H
#define IS_MEASURE_H

/* Of all events of that name. */
void measure_events(const char *name);

#endif
