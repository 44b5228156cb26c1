/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of the parameters of events: a row for each parameter of an event, as input or as
 * result. */
#ifndef BOB_ANALYSIS_EVENTS_PARAMETERS_H
#define BOB_ANALYSIS_EVENTS_PARAMETERS_H

#include "bobbin/trace.h"
#include "table/table.h"

/* Sorted by event, direction and name, over `count` threads; the caller destroys *out. *damaged:
 * number of unreadable events. BOB_ERR_NOMEM, or the error of a thread that could not be opened;
 * *out is then NULL. */
bob_status bob_parameters_table(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
				struct bob_table **out, uint32_t *damaged);

#endif
