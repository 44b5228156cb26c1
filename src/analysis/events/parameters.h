/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parameters of events were: a row for each parameter of an event, on its way in or out. */
#ifndef BOB_ANALYSIS_EVENTS_PARAMETERS_H
#define BOB_ANALYSIS_EVENTS_PARAMETERS_H

#include "bobbin/trace.h"
#include "table/table.h"

/* Of `count` threads, by event, direction and name; *out is for the caller to destroy. *damaged
 * counts events that could not be read. BOB_ERR_NOMEM, or the error of a thread that could not be
 * opened: *out is then NULL. */
bob_status bob_parameters_table(const struct bob_trace *t, const uint32_t *threads, uint32_t count,
				struct bob_table **out, uint32_t *damaged);

#endif
