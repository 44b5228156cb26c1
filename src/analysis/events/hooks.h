/* SPDX-License-Identifier: BSD-3-Clause */
/* What hooks returned at events (bobbin/hooks.h), of all processes: a row for each hook, event and
 * phase, and for each place of hooks that distinguish these. */
#ifndef BOB_ANALYSIS_EVENTS_HOOKS_H
#define BOB_ANALYSIS_EVENTS_HOOKS_H

#include "analysis/naming.h"
#include "table/table.h"

/* By event, hook, phase and place; for the caller to destroy. NULL: no memory. *damaged counts what
 * could not be read. */
struct bob_table *bob_hooks_table(const struct bob_trace *t, const struct bob_naming *names,
				  uint32_t *damaged);

#endif
