/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that a thread has in addition to its stack: thread_area.c.
 *
 * Threads: each has its own, and no other thread touches it. The caller frees none of it. */
#ifndef BOB_AGENT_THREAD_AREA_H
#define BOB_AGENT_THREAD_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/sync.h"

#define BOB_AREA_SCRATCH_WORDS 512u
#define BOB_AREA_ARGUMENTS 4u
#define BOB_AREA_ARGUMENT_BYTES 160u

struct bob_thread_area {
	struct bob_thread_area *next;	/* list of all */
	uint64_t owner;		/* its thread, and how often it had another: thread_area.c */
	uint32_t turn;		/* of `argument` */
	uint32_t runs;		/* of area_run_blocked */
	/* addresses of the thread's stack that have much of it below; size 0: not known */
	uint64_t roomy_lo, roomy_size;
	uint8_t argument[BOB_AREA_ARGUMENTS][BOB_AREA_ARGUMENT_BYTES];
	struct bob_sync_thread sync; /* mem/sync.c */
	uint64_t scratch[BOB_AREA_SCRATCH_WORDS]; /* mem/buffer.c: records that are not kept */
};

extern __thread struct bob_thread_area *bob_thread_area; /* NULL: none yet */

/* The calling thread's; it gets one if it has none. NULL: no memory, no system calls, or a vfork
 * child. */
struct bob_thread_area *area_get(void);
/* fn(arg) on its stack; on the caller's if there is none, or the caller is there already. The
 * caller has blocked signals: a handler of the program must find the program's stack. */
void area_run(void (*fn)(void *), void *arg);
/* The same for other parts; blocks signals. fn(arg) runs on the caller's stack where no system
 * calls may be made, in a task that shares its parent's thread pointer, and where that stack is
 * known to be large: most programs' signals do not wait. */
void area_run_blocked(void (*fn)(void *), void *arg);
/* Does the calling thread's stack beside its own hold this address? */
bool area_holds(uint64_t rsp);
/* A copy of what the program passes to libc by pointer, to be passed instead. It stays until the
 * calling thread has made BOB_AREA_ARGUMENTS more: a handler may come before libc has read it, and
 * do the same. `bytes` is at most BOB_AREA_ARGUMENT_BYTES. */
void *area_argument(const void *from, size_t bytes);
/* In a fork child: those of other threads have no owner. */
void area_after_fork(void);

#endif
