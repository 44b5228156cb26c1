/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions under which recorded events are written out: `record --flush-every`
 * (BOBBIN_FLUSH_EVERY):
 *
 *     N | TIME | EVENT | EVENT/N | EVENT,all | EVENT/N,all
 *
 * N: events of a thread, 1000; TIME: 500ms, 10s, 5m, 1h; EVENT: a pattern of names, MPI_Barrier,
 * step; /N: every N-th such event of a thread; all: all ranks reach the event and are merged
 * there. */
#ifndef BOB_ARCHIVE_FLUSH_OPTION_H
#define BOB_ARCHIVE_FLUSH_OPTION_H

#include <stdint.h>

#define BOB_FLUSH_NAME_MAX 127u

enum bob_flush_kind { BOB_FLUSH_COUNT = 1, BOB_FLUSH_TIME, BOB_FLUSH_EVENT };

struct bob_flush {
	uint32_t kind;		/* enum bob_flush_kind */
	uint32_t all;		/* merge all ranks */
	uint64_t every;		/* number of events, or ns */
	char event[BOB_FLUSH_NAME_MAX + 1];
};

/* Returns 0, or -1 and what was expected in *expected. */
int bob_flush_parse(const char *text, struct bob_flush *out, const char **expected);

#endif
