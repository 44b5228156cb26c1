/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash table of value sets, of a thread or of the process, by event, hook, phase and, if the hook
 * requests it, call path.
 *
 * Owner: the one who opened it. Threads: one at a time. */
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
	/* a function has thrown, or it has another owner: not touched any more */
	bool is_lost;
	struct bob_set_call *call; /* owned (malloc); recursion folded, as in the folded trace */
	char event[BOB_EV_SETS_NAME];
};

struct bob_ev_sets {
	struct bob_ev_sets *next; /* of another thread */
	uint32_t busy;		/* a thread is changing the table */
	uint32_t count;
	struct bob_ev_set one[BOB_EV_SETS_MAX];
	uint16_t slot[BOB_EV_SETS_SLOTS]; /* index + 1; 0: free */
	/* Cache of the newest lookups by path. The key is the address of a definition's path, which
	 * is never reused. */
	struct {
		const uint64_t *place;
		uint32_t hook_phase;
		uint32_t one;
	} memo[BOB_EV_SETS_MEMO];
	/* scratch for the path to look up: 4 KB, and a thread's stack may be small */
	struct bob_set_call call[BOB_SET_DEPTH_MAX];
};

/* Functions of the set, and their argument; called by set_calls.c only. */
const struct bob_value_set *bob_ev_set_ops(const struct bob_ev_set *o);
void *bob_ev_set_ctx(const struct bob_ev_set *o);
/* Sets of numbers, for hooks without set functions (sets_table.c). */
extern const struct bob_value_set bob_ev_numbers;

/* --- set_calls.c: the key of `o` is set; `create` and `unpack` make o->set. False: refused, or an
 * exception, of which the trace records the loss --- */
bool bob_ev_set_create(struct bob_ev_set *o);
bool bob_ev_set_add(struct bob_ev_set *o, const union bob_datum *data);
bool bob_ev_set_merge(struct bob_ev_set *o, const struct bob_ev_set *from);
#define BOB_EV_PACKED_MAX (256u << 20) /* bytes of a set; larger sizes are invalid */
bool bob_ev_set_pack(struct bob_ev_set *o, void *to, size_t capacity, size_t *size);
bool bob_ev_set_unpack(struct bob_ev_set *o, const void *bytes, size_t len);
bool bob_ev_set_can_add_packed(const struct bob_ev_set *o);
bool bob_ev_set_add_packed(struct bob_ev_set *o, const void *bytes, size_t len);
size_t bob_ev_set_print(struct bob_ev_set *o, char *to, size_t capacity);
void bob_ev_set_destroy(struct bob_ev_set *o);
void bob_ev_set_result(struct bob_ev_set *o);

/* Finds or creates a set; NULL: failed. */
struct bob_ev_set *bob_ev_sets_find(struct bob_ev_sets *s, const char *event, uint32_t hook,
				    uint32_t phase, const struct bob_set_call *call,
				    uint32_t depth);
/* Finds the set with the key of `like`; NULL: none. */
struct bob_ev_set *bob_ev_sets_look(struct bob_ev_sets *s, const struct bob_ev_set *like);
/* Moves like->set to the table, which has no set with its key. False: the table is full. */
bool bob_ev_sets_adopt(struct bob_ev_sets *s, const struct bob_ev_set *like);
/* As bob_ev_sets_find, for the path of an event's definition. */
struct bob_ev_set *bob_ev_sets_find_place(struct bob_ev_sets *s, const char *event, uint32_t hook,
					  uint32_t phase, const struct bob_ev_path *path);
/* Destroys all sets; the table is empty afterwards. */
void bob_ev_sets_empty(struct bob_ev_sets *s);

#endif
