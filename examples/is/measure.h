/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters of counters.h as hooks: their increase during an event is recorded with the
 * event. */
#ifndef IS_MEASURE_H
#define IS_MEASURE_H

/* For all events of that name. */
void measure_events(const char *name);

#endif
