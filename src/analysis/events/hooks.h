/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of hooks at events (bobbin/hooks.h), over all processes: a row per hook, event and phase,
 * and per place for hooks that distinguish places. */
#ifndef BOB_ANALYSIS_EVENTS_HOOKS_H
#define BOB_ANALYSIS_EVENTS_HOOKS_H

#include "analysis/naming.h"
#include "table/table.h"

/* Sorted by event, hook, phase and place; the caller destroys it. NULL: no memory. *damaged: number
 * of unreadable sets. */
struct bob_table *bob_hooks_table(const struct bob_trace *t, const struct bob_naming *names,
				  uint32_t *damaged);

#endif
