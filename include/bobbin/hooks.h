/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks: code of the user that runs at every event of a recorded program -- its own
 * (bobbin/events.h), calls of MPI, wrapped and hooked functions -- and whose results the trace
 * gathers: docs/hooks.md, which has an example.
 *
 * From a program (bob_hook_add) or from a plug-in, a shared object with a `struct bob_plugin` under
 * the name bob_plugin (bobbin record --plugin, BOBBIN_PLUGINS). Without a recorder of events or of
 * MPI adding one does nothing.
 *
 * Threads: hooks are called by the thread that has the event, by several at once. A hook may do
 * whatever the program may do there; events that happen in it are recorded, but no hook is called
 * for them. Arguments are borrowed during the call. */
#ifndef BOBBIN_HOOKS_H
#define BOBBIN_HOOKS_H

#include "bobbin/events.h"
#include "bobbin/fold.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bob_hook_kind {
	BOB_HOOK_MPI = 1,	/* a call of MPI */
	BOB_HOOK_CUSTOM = 2,	/* an event of the program's own */
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
	uint32_t at_end;	/* 0: it begins, its prologue; 1: it has ended, its epilogue */
	/* When it begins, the parameters that go in. When it has ended: of an event of the
	 * program's own those that come out, of a call of MPI all. Of MPI they are as they are
	 * recorded (docs/mpi.md): ranks in the communicator, handles by number. */
	uint32_t count;
	const struct bob_hook_parameter *parameter;
	const union bob_arg *value;
};

enum bob_phase {
	BOB_PHASE_COMPUTE,	/* from the end of one event to the beginning of the next */
	BOB_PHASE_EVENT		/* in the event: communication, execution */
};

union bob_datum {
	double d;
	void *p;		/* for value sets of your own */
};

/* How data that a hook returns are kept at an event, and how those of several iterations, threads
 * and ranks become one. NULL in a hook: they are numbers, kept one by one as long as they have few
 * different values, then as a histogram. None of these may fail but create, add, unpack and
 * add_packed, which return NULL or 0 then: the trace says so. None may throw, jump away or end the
 * process: the set of one that throws is lost. `merge` must give the same in any order. */
struct bob_value_set {
	uint32_t size;		/* of this struct */
	uint32_t reserved;
	void *(*create)(void *ctx);
	int (*add)(void *ctx, void *set, const union bob_datum *data);
	int (*merge)(void *ctx, void *into, const void *from);
	/* Bytes that it needs, 256 MB at most; they are written if `capacity` is enough. The same each
	 * time. */
	size_t (*pack)(void *ctx, const void *set, void *to, size_t capacity);
	/* From bytes of another process, which are not trusted. */
	void *(*unpack)(void *ctx, const void *bytes, size_t len);
	/* A text for people, as pack; NULL: none. */
	size_t (*print)(void *ctx, const void *set, char *to, size_t capacity);
	void (*destroy)(void *ctx, void *set);
	/* Gets the united set of all threads of all ranks at an event, on rank 0, in MPI_Finalize;
	 * without MPI in bob_ranks_finalize, or when the process ends. NULL: not needed. */
	void (*result)(void *ctx, const char *event, uint32_t phase, const void *set);
	/* Adds a packed set: unpack, merge and destroy in one. 0: it failed, perhaps in part. NULL,
	 * or not in `size`: these three are called. */
	int (*add_packed)(void *ctx, void *into, const void *bytes, size_t len);
};

enum bob_hook_flag {
	/* `callback` alone is called, once when the event begins and once when it has ended;
	 * nothing is added to the trace. */
	BOB_HOOK_CALLBACK_ONLY = 1,
	/* There is a set for each place an event comes from -- its call path, so of each leaf of
	 * the folded trace -- not one for all events of a name. Events without a signature have one
	 * for all. */
	BOB_HOOK_BY_PLACE = 2,
	/* It calls bob_hook_exchange. All ranks add such a hook, or none: in Finalise they notify
	 * each other that there will be no further exchange. */
	BOB_HOOK_EXCHANGES = 4
};

struct bob_hook {
	uint32_t size;		/* of this struct */
	uint32_t flags;		/* enum bob_hook_flag */
	const char *name;	/* of what it brings, in the trace */
	/* Selection of events, before anything is called: 0 and NULL select all. */
	uint32_t kinds;		/* enum bob_hook_kind, several */
	uint32_t reserved;
	const char *events;	/* patterns of names with *, ? and [set], apart by ':' */
	/* A condition on parameters: "count > 1000 && dest != 0"; at an end, on those of the
	 * begin. */
	const char *when;
	void (*callback)(void *ctx, const struct bob_hook_event *e);
	/* A phase begins; ends, and returns 1 if there are data. At an event's prologue
	 * BOB_PHASE_COMPUTE ends and BOB_PHASE_EVENT begins, at its epilogue the other way round.
	 * `start` may be NULL. */
	void (*start)(void *ctx, const struct bob_hook_event *e, uint32_t phase);
	int (*end)(void *ctx, const struct bob_hook_event *e, uint32_t phase,
		   union bob_datum *data);
	const struct bob_value_set *set;
	void *ctx;
};

/* --- the folded trace so far: loops, leaves, counts, columns, as bobbin/fold.h has them --- */

struct bob_so_far;

/* Parameters of a leaf, and the word of each. */
struct bob_hook_word {
	const char *name;
	/* enum bob_arg_type; of a string the word is its length, the bytes are a vector */
	uint32_t type;
	uint32_t word;
};

enum bob_hook_part {
	BOB_PART_WHOLE,
	BOB_PART_BEGIN,		/* of an event in which others lie */
	BOB_PART_END,
	/* of a vector (requests, bytes of a string) of the event that the leaf before it is */
	BOB_PART_ELEMENT
};

struct bob_hook_leaf {
	uint32_t kind;		/* enum bob_hook_kind; 0: an element */
	uint32_t part;		/* enum bob_hook_part */
	const char *name;	/* "MPI_Send", "step"; "" of an element */
	uint32_t count;
	uint32_t reserved;
	const struct bob_hook_word *parameter;
};

/* Functions of bobbin/fold.h, of the same names there; `folded` may be given to these only, since
 * it is the recorder's. Later versions append. */
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
	/* The event of a shape. Valid until the next call. 0: there is no such shape. */
	int (*leaf)(const struct bob_so_far *s, uint32_t shape, struct bob_hook_leaf *out);
	/* A place of a path, as a number that is the same in all processes that have loaded the
	 * same file, whatever else they have. */
	uint64_t (*common_place)(uint64_t place);
};

/* What the calling thread has recorded up to now: one participant, number 0. The event that the
 * hook is called for is included when it has ended, not when it begins; an event around it is
 * included once something was recorded within it. */
struct bob_so_far {
	uint32_t size;		/* of this struct */
	uint32_t reserved;
	uint64_t bytes;		/* that it is folded to, values included */
	const struct bob_folded *folded;
	const struct bob_fold_reading *read;
};

/* Packs what all ranks get of `all`, a set: as pack of a value set. It is called twice in an
 * exchange: for the length, with neither `to` nor `capacity`; then, unless that is 0, for the
 * bytes. */
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

/* Borrowed, until the hook returns or calls it again; a second call is free if nothing was recorded
 * in between. Memory and time depend on the folded size, not on the number of events
 * (docs/hooks.md), and recording is not affected. `bytes_most`: the most bytes of a folded trace;
 * 0: 64 MB. BOB_NONE: nothing of the thread is recorded. BOB_ERR_INVAL: no hook is running; nothing
 * is folded (--mpi-level=flat). BOB_ERR_FULL: it has more bytes. BOB_ERR_NOMEM. *out is untouched
 * then. */
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

/* A line for the reader of the trace: `bobbin info` prints it. */
static inline void bob_hook_say(const char *line)
{
	const struct bob_hooks_table *t = bob_hooks_recorder();

	if (t)
		t->say(line);
}

/* --- ranks at an event that all of them have --- */

/* Every rank calls it at the same event, one exchange after the other, in a hook or outside. The
 * ranks' sets `mine` are of the hook's own kind: it has been added, has a value set, and
 * BOB_HOOK_EXCHANGES. They are united on the way to rank 0, over the tree and with the transport of
 * MPI_Finalize or bob_ranks_finalize; there `report` packs what all ranks get of the result (NULL:
 * pack). `mine` stays the caller's and does not change. A process that is no rank gets back its own
 * set. It returns in bounded time, whatever others do.
 *
 * BOB_OK: *result, *len bytes of it, is the same on all ranks; borrowed until the next exchange.
 * Else it is untouched.
 * BOB_ERR_FULL: ranks have not come together in time (BOBBIN_MERGE_WAIT for each step), or one is
 * in Finalise already, now or before: the trace says why, and no rank tries again.
 * BOB_NONE: ranks cannot reach each other, or not from this thread.
 * BOB_ERR_INVAL: no such hook, no value set, another exchange is under way, or an event is being
 * recorded. BOB_ERR_NOMEM. */
static inline bob_status bob_hook_exchange(const struct bob_hook *h, const void *mine,
					   bob_hook_report_fn report, const void **result,
					   size_t *len)
{
	const struct bob_hooks_table *t = bob_hooks_recorder();

	return t ? t->exchange(h, mine, report, result, len) : BOB_NONE;
}

/* A result of a hook, for any code of the process that asks for it by this name: the newest. At
 * most 16 names of 63 bytes, 256 bytes each. 0: it does not fit, or nothing is recorded. Threads:
 * any. */
static inline int bob_hook_post(const char *name, const void *bytes, size_t len)
{
	const struct bob_hooks_table *t = bob_hooks_recorder();

	return t ? t->post(name, bytes, len) : 0;
}

/* Its length, and `capacity` bytes of it at most; 0: there are no such bytes. Outside hooks, too; a
 * copy. */
static inline size_t bob_hook_posted(const char *name, void *to, size_t capacity)
{
	const struct bob_hooks_table *t = bob_hooks_recorder();

	return t ? t->posted(name, to, capacity) : 0;
}

/* The result of the plug-in `cluster` from the last comparison of ranks, at an event that all have
 * (docs/hooks.md). */
struct bob_cluster {
	uint32_t comparison;	/* 1: the first */
	uint32_t rank, ranks;	/* this one; how many were compared */
	uint32_t cluster,
		clusters; /* its own, below how many: in the order of their smallest ranks */
	uint32_t members;	/* ranks in its own */
	uint32_t like;		/* the one of them that the others are like: one in each cluster */
	uint32_t reserved;
};

/* 1: *out is filled; 0: ranks have not been compared, or this one's trace was not among them. */
static inline int bob_cluster_here(struct bob_cluster *out)
{
	return bob_hook_posted("cluster", out, sizeof(*out)) == sizeof(*out);
}

/* The struct, and what it points to, must not change. 1: it will be called; 0: nothing is recorded,
 * or the hook is invalid (the trace says why). Hooks are called in the order in which they were
 * added; never removed. */
static inline int bob_hook_add(const struct bob_hook *h)
{
	const struct bob_hooks_table *t = bob_hooks_recorder();

	return t ? t->add(h) : 0;
}

#define BOB_PLUGIN_VERSION 1u
struct bob_plugin {
	uint32_t version;	/* BOB_PLUGIN_VERSION: another one is refused */
	uint32_t size;		/* of this struct */
	const char *name;
	/* Called once when the program starts. 0: all is well; else it is not used, and the trace
	 * says so. */
	int (*begin)(void);
	void (*finish)(void);	/* when it ends; NULL: nothing */
};

#ifdef __cplusplus
}
#endif
#endif
