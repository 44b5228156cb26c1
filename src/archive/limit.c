/* SPDX-License-Identifier: BSD-3-Clause */
/* The maximal number of events per cursor. A folded trace may represent more events than can be
 * expanded in reasonable time. */
#include <stdlib.h>

#include "archive/reader.h"

bob_status bob_trace_limit(struct bob_trace *t, uint64_t events)
{
	if (!t->limit)
		t->limit = calloc(1, sizeof(*t->limit));
	if (!t->limit)
		return BOB_ERR_NOMEM;
	t->limit->events = events;
	return BOB_OK;
}

uint64_t bob_trace_limited(const struct bob_trace *t)
{
	return t->limit ? t->limit->ended : 0;
}

struct bob_allowance bob_allowance_of(const struct bob_trace *t)
{
	const uint64_t events = t->limit ? t->limit->events : 0;

	return (struct bob_allowance){ events ? events : UINT64_MAX, t->limit };
}

void bob_allowance_end(const struct bob_allowance *a)
{
	if (a->limit)
		a->limit->ended++;
}
