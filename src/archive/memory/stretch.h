/* SPDX-License-Identifier: BSD-3-Clause */
/* Which memory records of a thread are in a stretch (bobbin/trace.h, struct bob_stretch): decided
 * record by record, with what is known so far. Plain values: a copy continues independently. */
#ifndef BOB_ARCHIVE_STRETCH_H
#define BOB_ARCHIVE_STRETCH_H

#include "bobbin/trace.h"
#include "mem/record.h"

#define BOB_STRETCH_OWN 1023u	/* what marks of the program's own events say */

enum bob_stretch_phase {
	BOB_STRETCH_BEFORE,
	BOB_STRETCH_IN_FROM,	/* in the call after which it begins */
	BOB_STRETCH_INSIDE,
	BOB_STRETCH_IN_TO,
	BOB_STRETCH_AFTER
};

struct bob_stretch_target {
	struct bob_stretch_end end;
	uint64_t left;		/* so many that fit come before it */
	int found;
};

struct bob_stretch_state {
	struct bob_stretch_target from, to;
	int keep_syncs;
	enum bob_stretch_phase phase;
	enum bob_stretch_lack lack; /* so far */
	int has_events, has_accesses; /* so far */
};

/* stretch_find.c: the same for one thread; ends that are given by an event's name are then given by
 * its number there. */
void bob_stretch_resolve(const struct bob_trace *t, uint32_t thread,
			 const struct bob_stretch *stretch, struct bob_stretch *out);
void bob_stretch_begin(struct bob_stretch_state *s, const struct bob_stretch *stretch);
/* Is this record, the next one, to be kept? */
int bob_stretch_takes(struct bob_stretch_state *s, const struct bob_mem_desc *d,
		      const uint64_t *word);
/* Records are missing here: events cannot be counted from now on. */
void bob_stretch_lost(struct bob_stretch_state *s);
/* There are no more records. */
enum bob_stretch_lack bob_stretch_end(const struct bob_stretch_state *s);

/* --- many records at once --- */

/* Of a row of records: what matters of them. */
struct bob_stretch_tally {
	uint64_t from, to;	/* events that fit */
	uint64_t syncs;
	uint64_t unmarked;	/* marks that say that events have none */
	uint64_t events, accesses;
};
void bob_stretch_count(const struct bob_stretch_state *s, const struct bob_mem_desc *d,
		       struct bob_stretch_tally *t, uint64_t times);
/* How often the row can be passed over at once, because nothing of it is kept; UINT64_MAX: as often
 * as one likes. */
uint64_t bob_stretch_passable(const struct bob_stretch_state *s, const struct bob_stretch_tally *t);
void bob_stretch_pass(struct bob_stretch_state *s, const struct bob_stretch_tally *t,
		      uint64_t times);
/* Nothing that comes will be kept. */
int bob_stretch_is_over(const struct bob_stretch_state *s);

#endif
