/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes as a program that makes shapes: shapes, and repetitions of what was made before. Folded,
 * expanded, compared. */
#include "../unit/fold/events.h"

#define EVENTS 20000u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const uint8_t *p = bytes, *end = bytes + len;
	const char *wrong;
	struct events e;

	events_begin(&e);
	while (p < end && e.count < EVENTS) {
		unsigned op = *p++, back = op >> 3, times = end - p > 0 && op & 7 ? *p++ : 0;
		size_t from = e.count;

		switch (op & 7) {
		case 1: /* what was `back` ago, some times */
		case 2:
			back = (op & 7) == 2 ? back * 8 + 1 : back + 1;
			for (unsigned i = 0; back <= from && i < times * back && e.count < EVENTS;
			     i++)
				events_put(&e, e.in[e.count - back]);
			break;
		case 3: /* a run */
			for (unsigned i = 0; i < times; i++)
				events_put(&e, back);
			break;
		default:
			events_put(&e, op & 4 ? back * 256 + times : back);
		}
	}
	wrong = events_end(&e);
	if (wrong) {
		fprintf(stderr, "%s\n", wrong);
		abort();
	}
	events_free(&e);
	return 0;
}
