/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that a thread has in addition to its stack: thread_area.c. Threads: each has its own area,
 * and accesses no other. The caller frees nothing. */
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
	uint64_t owner;		/* its thread, and the number of previous owners: thread_area.c */
	uint32_t turn;		/* next index of `argument` */
	uint32_t runs;		/* number of runs of area_run_blocked */
	/* addresses of the thread's stack with much stack below them; size 0: unknown */
	uint64_t roomy_lo, roomy_size;
	uint8_t argument[BOB_AREA_ARGUMENTS][BOB_AREA_ARGUMENT_BYTES];
	struct bob_sync_thread sync; /* mem/sync.c */
	uint64_t scratch[BOB_AREA_SCRATCH_WORDS]; /* mem/buffer.c: records that are dropped */
};

extern __thread struct bob_thread_area *bob_thread_area; /* NULL: none yet */

/* The calling thread's area; it gets one if it has none. NULL: no memory, system calls are
 * forbidden, or a vfork child. */
struct bob_thread_area *area_get(void);
/* Run fn(arg) on the area's stack; on the caller's stack if there is no area, or the caller is
 * already on it. The caller has blocked signals: a handler of the program must run on the program's
 * stack. */
void area_run(void (*fn)(void *), void *arg);
/* The same for other parts; blocks signals. fn(arg) runs on the caller's stack if system calls are
 * forbidden, in a task that shares its parent's thread pointer, and if that stack is known to be
 * large, so that in most programs signals are not delayed. */
void area_run_blocked(void (*fn)(void *), void *arg);
/* Whether the address is in the stack of the calling thread's area. */
bool area_holds(uint64_t rsp);
/* Copy an argument that the program passes to libc by pointer, to be passed instead. The copy is
 * valid until the calling thread has made BOB_AREA_ARGUMENTS more: a handler may do the same before
 * libc has read it. `bytes` is at most BOB_AREA_ARGUMENT_BYTES. */
void *area_argument(const void *from, size_t bytes);
/* In a fork child: release the areas of other threads. */
void area_after_fork(void);

#endif
