/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks: code of the user's that runs at every event of a recorded program -- its own (bobbin/events.h), calls of MPI, wrapped and
 * hooked functions -- and what it brings, gathered in the trace: docs/hooks.md, which has an example.
 *
 * From a program (bob_hook_add) or from a plug-in, a shared object with a `struct bob_plugin` under the name bob_plugin (bobbin record
 * --plugin, BOBBIN_PLUGINS). Without a recorder of events or of MPI adding one does nothing.
 *
 * Threads: hooks are called by the thread that has the event, by several at once. A hook may do whatever the program may do there; events that
 * happen in it are recorded, but no hook is called for them. What is passed is valid during the call. */
#ifndef BOBBIN_HOOKS_H
#define BOBBIN_HOOKS_H

#include "bobbin/events.h"

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
	/* When it begins, the parameters that go in. When it has ended: of an event of the program's own those that come out, of a call of
	 * MPI all. Of MPI they are as they are recorded (docs/mpi.md): ranks in the communicator, handles by number. */
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

/* How data that a hook returns are kept at an event, and how those of several iterations, threads and ranks become one. NULL in a hook: they
 * are numbers, kept one by one as long as they have few different values, then as a histogram. None of these may fail but create, add and
 * unpack, which return NULL or 0 then: the trace says so. None may throw, jump away or end the process. `merge` must give the same in any order. */
struct bob_value_set {
	uint32_t size;		/* of this struct */
	uint32_t reserved;
	void *(*create)(void *ctx);
	int (*add)(void *ctx, void *set, const union bob_datum *data);
	int (*merge)(void *ctx, void *into, const void *from);
	/* Bytes that it needs; they are written if `room` is enough. */
	size_t (*pack)(void *ctx, const void *set, void *to, size_t room);
	/* From bytes of another process. They may be anything. */
	void *(*unpack)(void *ctx, const void *bytes, size_t len);
	/* A text for people, as pack; NULL: none. */
	size_t (*print)(void *ctx, const void *set, char *to, size_t room);
	void (*destroy)(void *ctx, void *set);
	/* On rank 0, in MPI_Finalize, what all threads of all ranks made of it at an event; without MPI when the process ends. NULL: not asked for. */
	void (*result)(void *ctx, const char *event, uint32_t phase, const void *set);
};

enum bob_hook_flag {
	/* `callback` alone is called, once when the event begins and once when it has ended; nothing is added to the trace. */
	BOB_HOOK_CALLBACK_ONLY = 1
};

struct bob_hook {
	uint32_t size;		/* of this struct */
	uint32_t flags;		/* enum bob_hook_flag */
	const char *name;	/* of what it brings, in the trace */
	/* Which events, decided before anything is called: 0 and NULL are all. */
	uint32_t kinds;		/* enum bob_hook_kind, several */
	uint32_t reserved;
	const char *events;	/* patterns of names with *, ? and [set], apart by ':' */
	/* What parameters are: "count > 1000 && dest != 0"; of an end those it began with. */
	const char *when;
	void (*callback)(void *ctx, const struct bob_hook_event *e);
	/* A phase begins; ends, and returns 1 if there are data. At an event's prologue BOB_PHASE_COMPUTE ends and
	 * BOB_PHASE_EVENT begins, at its epilogue the other way round. `start` may be NULL. */
	void (*start)(void *ctx, const struct bob_hook_event *e, uint32_t phase);
	int (*end)(void *ctx, const struct bob_hook_event *e, uint32_t phase,
		   union bob_datum *data);
	const struct bob_value_set *set;
	void *ctx;
};

#define BOB_HOOKS_TABLE "bobbin_hooks_1"
struct bob_hooks_table {
	uint32_t size;
	uint32_t reserved;
	int (*add)(const struct bob_hook *h);
};

/* Its struct, and what that points to, must stay as they are. 1: it will be called; 0: nothing is recorded, or it is none
 * (the trace says why). Hooks are called in the order in which they were added; never removed. */
static inline int bob_hook_add(const struct bob_hook *h)
{
	const struct bob_hooks_table *t =
		bob_events_dlsym ?
			(const struct bob_hooks_table *)bob_events_dlsym(NULL, BOB_HOOKS_TABLE) :
			NULL;

	return t && t->size >= sizeof(*t) ? t->add(h) : 0;
}

#define BOB_PLUGIN_VERSION 1u
struct bob_plugin {
	uint32_t version;	/* BOB_PLUGIN_VERSION: another one is refused */
	uint32_t size;		/* of this struct */
	const char *name;
	/* Called once when the program starts. 0: all is well; else it is not used, and the trace says so. */
	int (*begin)(void);
	void (*finish)(void);	/* when it ends; NULL: nothing */
};

#ifdef __cplusplus
}
#endif
#endif
