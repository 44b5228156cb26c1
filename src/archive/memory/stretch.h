/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which memory records of a thread are in a stretch (bobbin/trace.h, struct bob_stretch),
 * record by record. The state is a plain value: a copy continues independently. */
#ifndef BOB_ARCHIVE_STRETCH_H
#define BOB_ARCHIVE_STRETCH_H

#include "bobbin/trace.h"
#include "mem/record.h"

#define BOB_STRETCH_OWN 1023u	/* number in marks of the program's own events */

enum bob_stretch_phase {
	BOB_STRETCH_BEFORE,
	BOB_STRETCH_IN_FROM,	/* inside the call after which the stretch begins */
	BOB_STRETCH_INSIDE,
	BOB_STRETCH_IN_TO,
	BOB_STRETCH_AFTER
};

struct bob_stretch_target {
	struct bob_stretch_end end;
	uint64_t left;		/* matching events before it */
	int found;
};

struct bob_stretch_state {
	struct bob_stretch_target from, to;
	int keep_syncs;
	enum bob_stretch_phase phase;
	enum bob_stretch_lack lack; /* so far */
	int has_events, has_accesses; /* so far */
};

/* stretch_find.c: resolves a stretch for one thread: ends given by an event's name are replaced by
 * the event's number. */
void bob_stretch_resolve(const struct bob_trace *t, uint32_t thread,
			 const struct bob_stretch *stretch, struct bob_stretch *out);
void bob_stretch_begin(struct bob_stretch_state *s, const struct bob_stretch *stretch);
/* Processes the next record. Returns whether it is kept. */
int bob_stretch_takes(struct bob_stretch_state *s, const struct bob_mem_desc *d,
		      const uint64_t *word);
/* Records are missing here: events can no longer be counted. */
void bob_stretch_lost(struct bob_stretch_state *s);
/* Ends the records. Returns what was not found. */
enum bob_stretch_lack bob_stretch_end(const struct bob_stretch_state *s);

/* --- many records at once --- */

/* Counts over a sequence of records. */
struct bob_stretch_tally {
	uint64_t from, to;	/* matching events */
	uint64_t syncs;
	uint64_t unmarked;	/* marks for events without a mark of their own */
	uint64_t events, accesses;
};
void bob_stretch_count(const struct bob_stretch_state *s, const struct bob_mem_desc *d,
		       struct bob_stretch_tally *t, uint64_t times);
/* How often the sequence can be skipped because none of it is kept; UINT64_MAX: any number of
 * times. */
uint64_t bob_stretch_passable(const struct bob_stretch_state *s, const struct bob_stretch_tally *t);
void bob_stretch_pass(struct bob_stretch_state *s, const struct bob_stretch_tally *t,
		      uint64_t times);
/* No further record will be kept. */
int bob_stretch_is_over(const struct bob_stretch_state *s);

#endif
