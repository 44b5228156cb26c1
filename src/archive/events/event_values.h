/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers for the values and the path of an event under construction. Owner: the caller;
 * bob_event_values_free. */
#ifndef BOB_ARCHIVE_EVENT_VALUES_H
#define BOB_ARCHIVE_EVENT_VALUES_H

#include "archive/write/event_write.h"
#include "base/host/vec.h"
#include "bobbin/trace.h"

struct bob_event_values {
	BOB_VEC(uint64_t);
};

/* Returns 0 if memory is exhausted. */
int bob_event_values_add(struct bob_event_values *v, const uint64_t *value, uint64_t count);
void bob_event_values_free(struct bob_event_values *v);
/* Collects the places of the path of a leaf of `f`, outermost first. Returns 0 if memory is
 * exhausted. */
int bob_event_values_path(struct bob_event_values *v, const struct bob_folded *f, uint32_t path);
/* Sets key, words and vectors of *e from the values in `v`; missing values are omitted. */
void bob_event_lay_out(const struct bob_event_values *v, const struct bob_event_def *d,
		       struct bob_value_event *e);

#endif
