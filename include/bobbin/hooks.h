/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks: user code that runs at every event of a recorded program (its own events
 * (bobbin/events.h), calls of MPI, wrapped and hooked functions) and whose results are collected in
 * the trace. docs/hooks.md has an example.
 *
 * A program adds a hook with bob_hook_add. A plug-in is a shared object with a `struct bob_plugin`
 * named bob_plugin (bobbin record --plugin, BOBBIN_PLUGINS). Without a recorder of events or of
 * MPI, adding a hook has no effect.
 *
 * Threads: the thread that has the event calls the hook, possibly several threads at once. A hook
 * may do whatever the program may do there; events that happen in it are recorded, but no hook is
 * called for them. Arguments are borrowed during the call. */
#ifndef BOBBIN_HOOKS_H
#define BOBBIN_HOOKS_H

#include "bobbin/events.h"
#include "bobbin/fold.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bob_hook_kind {
	BOB_HOOK_MPI = 1,	/* a call of MPI */
	BOB_HOOK_CUSTOM = 2,	/* an event of the program */
	BOB_HOOK_FUNCTION = 4	/* a function that is wrapped or hooked */
};

enum bob_arg_type { BOB_ARG_INT, BOB_ARG_DOUBLE, BOB_ARG_STRING };

struct bob_hook_parameter {
	const char *name;
	uint32_t type;		/* enum bob_arg_type */
	uint32_t reserved;
};

struct bob_hook_event {
	uint32_t size;		/* of this struct: later versions append */
	uint32_t kind;		/* enum bob_hook_kind */
	const char *name;	/* "MPI_Send", "step" */
	uint32_t at_end;	/* 0: it begins (prologue); 1: it has ended (epilogue) */
	/* At its begin, the input parameters. At its end, the output parameters of an event of the
	 * program, or all parameters of a call of MPI. Those of MPI are as recorded (docs/mpi.md):
	 * ranks in the communicator, handles by number. */
	uint32_t count;
	const struct bob_hook_parameter *parameter;
	const union bob_arg *value;
};

enum bob_phase {
	BOB_PHASE_COMPUTE,	/* from the end of one event to the beginning of the next */
	BOB_PHASE_EVENT		/* during the event: communication, execution */
};

union bob_datum {
	double d;
	void *p;		/* for the user's own value sets */
};

/* How data returned by a hook are stored at an event, and how those of several iterations, threads
 * and ranks are combined. NULL in a hook: the data are numbers, stored individually while they have
 * few different values, then as a histogram. Only create, add, unpack and add_packed may fail, by
 * returning NULL or 0; the trace then says so. No function may throw, jump away or end the process:
 * if one throws, the set is lost. `merge` must be associative and commutative. */
struct bob_value_set {
	uint32_t size;		/* of this struct */
	uint32_t reserved;
	void *(*create)(void *ctx);
	int (*add)(void *ctx, void *set, const union bob_datum *data);
	int (*merge)(void *ctx, void *into, const void *from);
	/* Returns the number of bytes needed, at most 256 MB and the same in each call; writes them
	 * if `capacity` is sufficient. */
	size_t (*pack)(void *ctx, const void *set, void *to, size_t capacity);
	/* From bytes of another process, which are untrusted. */
	void *(*unpack)(void *ctx, const void *bytes, size_t len);
	/* Display text, with the same rules as pack; NULL: none. */
	size_t (*print)(void *ctx, const void *set, char *to, size_t capacity);
	void (*destroy)(void *ctx, void *set);
	/* Called with the combined set of all threads of all ranks at an event: on rank 0 in
	 * MPI_Finalize; without MPI in bob_ranks_finalize, or when the process ends. NULL: not
	 * needed. */
	void (*result)(void *ctx, const char *event, uint32_t phase, const void *set);
	/* Add a packed set: unpack, merge and destroy in one call. Returns 0 if it failed, perhaps
	 * partly. NULL, or not in `size`: those three are called. */
	int (*add_packed)(void *ctx, void *into, const void *bytes, size_t len);
};

enum bob_hook_flag {
	/* Only `callback` is called, once when the event begins and once when it has ended; nothing
	 * is added to the trace. */
	BOB_HOOK_CALLBACK_ONLY = 1,
	/* One set for each place of an event (its call path, and so for each leaf of the folded
	 * trace), instead of one for all events of a name. Events without a signature share one
	 * set. */
	BOB_HOOK_BY_PLACE = 2,
	/* The hook calls bob_hook_exchange. All ranks must add such a hook, or none: in Finalize
	 * they notify each other that there will be no further exchange. */
	BOB_HOOK_EXCHANGES = 4
};

struct bob_hook {
	uint32_t size;		/* of this struct */
	uint32_t flags;		/* enum bob_hook_flag */
	const char *name;	/* name of its results in the trace */
	/* Selection of events, before anything is called: 0 and NULL select all. */
	uint32_t kinds;		/* bits of enum bob_hook_kind */
	uint32_t reserved;
	const char *events;	/* patterns of names with *, ? and [set], separated by ':' */
	/* A condition on parameters: "count > 1000 && dest != 0"; at an end, on those of the
	 * begin. */
	const char *when;
	void (*callback)(void *ctx, const struct bob_hook_event *e);
	/* A phase begins; a phase ends: returns 1 if there are data. At an event's prologue
	 * BOB_PHASE_COMPUTE ends and BOB_PHASE_EVENT begins, at its epilogue the reverse. `start`
	 * may be NULL. */
	void (*start)(void *ctx, const struct bob_hook_event *e, uint32_t phase);
	int (*end)(void *ctx, const struct bob_hook_event *e, uint32_t phase,
		   union bob_datum *data);
	const struct bob_value_set *set;
	void *ctx;
};

/* --- the folded trace so far: loops, leaves, counts, columns, as in bobbin/fold.h --- */

struct bob_so_far;

/* A parameter of a leaf, and the word that has its value. */
struct bob_hook_word {
	const char *name;
	/* enum bob_arg_type; for a string the word is its length, the bytes are a vector */
	uint32_t type;
	uint32_t word;
};

enum bob_hook_part {
	BOB_PART_WHOLE,
	BOB_PART_BEGIN,		/* of an event that contains others */
	BOB_PART_END,
	/* of a vector (requests, bytes of a string) of the event in the preceding leaf */
	BOB_PART_ELEMENT
};

struct bob_hook_leaf {
	uint32_t kind;		/* enum bob_hook_kind; 0: an element */
	uint32_t part;		/* enum bob_hook_part */
	const char *name;	/* "MPI_Send", "step"; "" for an element */
	uint32_t count;
	uint32_t reserved;
	const struct bob_hook_word *parameter;
};

/* The functions of bobbin/fold.h with these names. `folded` belongs to the recorder and may be
 * passed to these only. Later versions append members. */
struct bob_fold_reading {
	uint32_t size;		/* of this struct */
	uint32_t reserved;
	uint64_t (*events)(const struct bob_folded *f, uint32_t participant);
	uint32_t (*parts)(const struct bob_folded *f, uint32_t participant);
	uint32_t (*shapes)(const struct bob_folded *f);
	void (*shape)(const struct bob_folded *f, uint32_t shape, struct bob_fold_shape *out);
	int (*path)(const struct bob_folded *f, uint32_t path, uint32_t *parent, uint64_t *place);
	uint32_t (*loops)(const struct bob_folded *f);
	const uint32_t *(*body)(const struct bob_folded *f, uint32_t loop, uint32_t *len);
	bob_status (*spine)(const struct bob_folded *f, uint32_t participant, uint32_t part,
			    int (*visit)(void *ctx, uint32_t item), void *ctx);
	bob_status (*pieces)(const struct bob_folded *f, uint32_t participant, uint32_t part,
			     uint32_t item, uint32_t word,
			     int (*visit)(void *ctx, const struct bob_piece *p), void *ctx,
			     int *left);
	bob_status (*counts)(const struct bob_folded *f, uint32_t participant, uint32_t part,
			     uint64_t *shape, uint64_t *loop);
	bob_status (*pack)(const struct bob_folded *f, bob_fold_write_fn write, void *ctx);
	/* The event of a shape. Valid until the next call. Returns 0 if there is no such shape. */
	int (*leaf)(const struct bob_so_far *s, uint32_t shape, struct bob_hook_leaf *out);
	/* Convert a place of a path to a number that is equal in all processes that have loaded the
	 * same file, whatever other files they have loaded. */
	uint64_t (*common_place)(uint64_t place);
};

/* What the calling thread has recorded so far: one participant, number 0. The event for which the
 * hook is called is included when it has ended, not when it begins; an enclosing event is included
 * once something was recorded within it. */
struct bob_so_far {
	uint32_t size;		/* of this struct */
	uint32_t reserved;
	uint64_t bytes;		/* folded size, including values */
	const struct bob_folded *folded;
	const struct bob_fold_reading *read;
};

/* Packs the result for all ranks from the set `all`, like pack of a value set. An exchange calls it
 * twice: for the length, with `to` NULL and `capacity` 0; then, unless that is 0, for the bytes. */
typedef size_t (*bob_hook_report_fn)(void *ctx, const void *all, void *to, size_t capacity);

#define BOB_HOOKS_TABLE "bobbin_hooks_1"
struct bob_hooks_table {
	uint32_t size;
	uint32_t reserved;
	int (*add)(const struct bob_hook *h);
	bob_status (*so_far)(uint64_t bytes_most, const struct bob_so_far **out);
	int (*rank)(uint32_t *rank);
	void (*say)(const char *line);
	bob_status (*exchange)(const struct bob_hook *h, const void *mine,
			       bob_hook_report_fn report, const void **result, size_t *len);
	int (*post)(const char *name, const void *bytes, size_t len);
	size_t (*posted)(const char *name, void *to, size_t capacity);
};

static inline const struct bob_hooks_table *bob_hooks_recorder(void)
{
	const struct bob_hooks_table *t =
		bob_events_dlsym ?
			(const struct bob_hooks_table *)bob_events_dlsym(NULL, BOB_HOOKS_TABLE) :
			NULL;

	return t && t->size >= sizeof(*t) ? t : NULL;
}

/* The folded trace so far; borrowed until the hook returns or calls this again. A second call is
 * free if nothing was recorded in between. Memory and time depend on the folded size, not on the
 * number of events (docs/hooks.md), and recording is not affected. `bytes_most`: maximum size of
 * the folded trace; 0: 64 MB. Errors: BOB_NONE (the thread is not recorded), BOB_ERR_INVAL (no hook
 * is running, or nothing is folded: --mpi-level=flat), BOB_ERR_FULL (it is larger), BOB_ERR_NOMEM.
 * *out is then untouched. */
static inline bob_status bob_hook_so_far(uint64_t bytes_most, const struct bob_so_far **out)
{
	const struct bob_hooks_table *t = bob_hooks_recorder();

	return t ? t->so_far(bytes_most, out) : BOB_NONE;
}

/* The rank of this process, in MPI_COMM_WORLD, or without MPI from bobbin/ranks.h. 0: unknown. */
static inline int bob_hook_rank(uint32_t *rank)
{
	const struct bob_hooks_table *t = bob_hooks_recorder();

	return t ? t->rank(rank) : 0;
}

/* Add a line to the trace, which `bobbin info` prints. */
static inline void bob_hook_say(const char *line)
{
	const struct bob_hooks_table *t = bob_hooks_recorder();

	if (t)
		t->say(line);
}

/* --- exchange between all ranks --- */

/* Combine the sets of all ranks. Every rank calls it at the same event, one exchange after the
 * other, in a hook or outside. The sets `mine` are of the hook's value set; the hook was added, and
 * has the flag BOB_HOOK_EXCHANGES. They are merged on the way to rank 0, with the tree and
 * transport of MPI_Finalize or bob_ranks_finalize. There `report` packs the result for all ranks
 * (NULL: pack). `mine` stays the caller's and does not change. A process without a rank gets its
 * own set. Returns in bounded time, whatever other ranks do.
 *
 * BOB_OK: *result, *len bytes, is the same on all ranks; borrowed until the next exchange. On
 * errors it is untouched.
 * BOB_ERR_FULL: the ranks did not all arrive in time (BOBBIN_MERGE_WAIT for each step), or one is
 * already in Finalize, now or in an earlier exchange: the trace has the reason, and no rank tries
 * again.
 * BOB_NONE: ranks cannot communicate, or not from this thread.
 * BOB_ERR_INVAL: no such hook, no value set, another exchange is in progress, or an event is being
 * recorded. BOB_ERR_NOMEM. */
static inline bob_status bob_hook_exchange(const struct bob_hook *h, const void *mine,
					   bob_hook_report_fn report, const void **result,
					   size_t *len)
{
	const struct bob_hooks_table *t = bob_hooks_recorder();

	return t ? t->exchange(h, mine, report, result, len) : BOB_NONE;
}

/* Post a result of a hook under a name, for any code of the process; replaces the previous one. At
 * most 16 names of 63 bytes, with 256 bytes each. Returns 0 if it does not fit, or nothing is
 * recorded. Threads: any. */
static inline int bob_hook_post(const char *name, const void *bytes, size_t len)
{
	const struct bob_hooks_table *t = bob_hooks_recorder();

	return t ? t->post(name, bytes, len) : 0;
}

/* Get a copy of at most `capacity` bytes of a posted result. Returns its length; 0: there is none.
 * May also be called outside of hooks. */
static inline size_t bob_hook_posted(const char *name, void *to, size_t capacity)
{
	const struct bob_hooks_table *t = bob_hooks_recorder();

	return t ? t->posted(name, to, capacity) : 0;
}

/* The result of the plug-in `cluster` from the last comparison of ranks, at an event that all ranks
 * have (docs/hooks.md). */
struct bob_cluster {
	uint32_t comparison;	/* 1: the first */
	uint32_t rank, ranks;	/* this rank; the number of ranks compared */
	/* this rank's cluster; the number of clusters, which are ordered by their smallest ranks */
	uint32_t cluster, clusters;
	uint32_t members;	/* ranks in this rank's cluster */
	uint32_t like;		/* the representative of this rank's cluster */
	uint32_t reserved;
};

/* Returns 1 and fills *out; 0: ranks have not been compared, or this rank's trace was not
 * included. */
static inline int bob_cluster_here(struct bob_cluster *out)
{
	return bob_hook_posted("cluster", out, sizeof(*out)) == sizeof(*out);
}

/* Add a hook. The struct, and what it points to, must not change. Returns 1; 0: nothing is
 * recorded, or the hook is invalid (the trace has the reason). Hooks are called in the order in
 * which they were added, and never removed. */
static inline int bob_hook_add(const struct bob_hook *h)
{
	const struct bob_hooks_table *t = bob_hooks_recorder();

	return t ? t->add(h) : 0;
}

#define BOB_PLUGIN_VERSION 1u
struct bob_plugin {
	uint32_t version;	/* BOB_PLUGIN_VERSION: others are refused */
	uint32_t size;		/* of this struct */
	const char *name;
	/* Called once when the program starts. Returns 0 on success; otherwise the plug-in is not
	 * used, and the trace says so. */
	int (*begin)(void);
	void (*finish)(void);	/* called when the program ends; NULL: not needed */
};

#ifdef __cplusplus
}
#endif
#endif
