/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of value sets, of a thread or of the process: by event, hook, phase, and, where the hook
 * wants it, the place the event comes from.
 *
 * Owner: who opened it. Threads: one at a time. */
#ifndef BOB_EVENTS_SETS_H
#define BOB_EVENTS_SETS_H

#include "archive/events/value_sets.h"
#include "events/hooks.h"

#define BOB_EV_SETS_MAX 4096u
#define BOB_EV_SETS_SLOTS 8192u	/* a power of two */
#define BOB_EV_SETS_MEMO 256u	/* a power of two */
#define BOB_EV_SETS_NAME (BOB_EVENT_NAME_MAX + 8u)

struct bob_ev_set {
	void *set;
	uint32_t hook, phase;
	uint32_t hash;
	uint32_t depth;
	/* one of its functions has thrown, or it has another owner: it is not touched any more */
	bool is_lost;
	struct bob_set_call *call; /* its own (malloc); recursion folded, as in the folded trace */
	char event[BOB_EV_SETS_NAME];
};

struct bob_ev_sets {
	struct bob_ev_sets *next; /* of another thread */
	uint32_t busy;		/* a thread is changing them */
	uint32_t count;
	struct bob_ev_set one[BOB_EV_SETS_MAX];
	uint16_t slot[BOB_EV_SETS_SLOTS]; /* + 1; 0: free */
	/* The newest ones of places: by where a definition has its path, which nothing else ever
	 * has. */
	struct {
		const uint64_t *place;
		uint32_t hook_phase;
		uint32_t one;
	} memo[BOB_EV_SETS_MEMO];
	/* the calls that are looked for, 4 KB: a thread's stack may be small */
	struct bob_set_call call[BOB_SET_DEPTH_MAX];
};

/* What makes it and takes it apart; set_calls.c calls it. */
const struct bob_value_set *bob_ev_set_ops(const struct bob_ev_set *o);
void *bob_ev_set_ctx(const struct bob_ev_set *o);
/* Of numbers; hooks without sets of their own have these (sets_table.c). */
extern const struct bob_value_set bob_ev_numbers;

/* --- set_calls.c: what `o` is is known; `create` and `unpack` make o->set. False: it was refused,
 * or an exception came, and what has been lost by it the trace says --- */
bool bob_ev_set_create(struct bob_ev_set *o);
bool bob_ev_set_add(struct bob_ev_set *o, const union bob_datum *data);
bool bob_ev_set_merge(struct bob_ev_set *o, const struct bob_ev_set *from);
#define BOB_EV_PACKED_MAX (256u << 20) /* bytes of a set: what says more is wrong */
bool bob_ev_set_pack(struct bob_ev_set *o, void *to, size_t capacity, size_t *size);
bool bob_ev_set_unpack(struct bob_ev_set *o, const void *bytes, size_t len);
bool bob_ev_set_can_add_packed(const struct bob_ev_set *o);
bool bob_ev_set_add_packed(struct bob_ev_set *o, const void *bytes, size_t len);
size_t bob_ev_set_print(struct bob_ev_set *o, char *to, size_t capacity);
void bob_ev_set_destroy(struct bob_ev_set *o);
void bob_ev_set_result(struct bob_ev_set *o);

/* It is made if it is not there; NULL: it cannot. */
struct bob_ev_set *bob_ev_sets_find(struct bob_ev_sets *s, const char *event, uint32_t hook,
				    uint32_t phase, const struct bob_set_call *call,
				    uint32_t depth);
/* One that is what `like` is; NULL: it is not there. */
struct bob_ev_set *bob_ev_sets_look(struct bob_ev_sets *s, const struct bob_ev_set *like);
/* The table has no set like `like`: like->set becomes its own. False: the table is full. */
bool bob_ev_sets_adopt(struct bob_ev_sets *s, const struct bob_ev_set *like);
/* As bob_ev_sets_find, of a path, which is that of an event's definition. */
struct bob_ev_set *bob_ev_sets_find_place(struct bob_ev_sets *s, const char *event, uint32_t hook,
					  uint32_t phase, const struct bob_ev_path *path);
/* What the sets hold is destroyed; it is empty. */
void bob_ev_sets_empty(struct bob_ev_sets *s);

#endif
