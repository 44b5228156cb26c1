/* SPDX-License-Identifier: BSD-3-Clause */
/* A shared object with a copy of libbobbin.a of its own; compiled twice, under two names. */
#include <stdint.h>

#include "bobbin/bobbin.h"

uint64_t HALF(const char *dir);

uint64_t HALF(const char *dir)
{
	struct bob_trace_sizes sizes;
	struct bob_trace *trace;

	if (bob_trace_open(dir, &trace, NULL) != BOB_OK)
		return UINT64_MAX;
	bob_trace_sizes(trace, &sizes);
	bob_trace_close(trace);
	return sizes.events;
}
