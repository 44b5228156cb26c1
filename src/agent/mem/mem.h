/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the agent: recording memory accesses (docs/mem-native.md). Images run translated code,
 * whose probes write records (mem/record.h) through the slots of struct bob_mem_slots.
 *
 *   image.c    puts memory plans to work; takes functions back
 *   desc.c     the descriptors of all images, numbered, and in the file
 *   buffer.c   what probes write into, from a thread's first record to its last
 *   select.c   ... and a buffer before that, where only some addresses are recorded
 *   signal.c   handlers of the program, which may interrupt a probe
 *   trap.c     landings with too few bytes for a jump
 *   sync.c     functions that synchronise threads
 *   event.c    what others record meanwhile: calls of MPI
 *   collect.c  buffers that another process folds (docs/collector.md)
 *   source.c   what instrumented sources record (src/probe), instead of translated code
 *
 * Threads: slots and struct bob_mem_thread belong to their thread (or to the one that finds it
 * dead), the rest is written under the process's lock. All signals are blocked while a buffer is
 * changed. */
#ifndef BOB_AGENT_MEM_MEM_H
#define BOB_AGENT_MEM_MEM_H

#include "agent/agent.h"
#include "agent/streams.h"
#include "agent/waits.h"
#include "archive/write/ring.h"
#include "mem/select.h"
#include "mem/sync.h"
#include "plan/mem/format.h"

/* What the probes of this thread use. */
extern __thread struct bob_mem_slots bob_mem_slots;

struct bob_mem_thread {
	struct bob_mem_writer writer;
	void *work;		/* what the writer works in; NULL: raw */
	struct bob_ring_writer ring; /* its buffers, if another process folds them */
	uint64_t *limit;	/* of the buffer in use; NULL: none */
	struct bob_chunk_head *raw;
	uint64_t raw_bytes;	/* of the next raw chunk */
	uint64_t raw_words;	/* in closed ones */
	struct bob_mem_select *select; /* NULL: everything is recorded */
};

/* Which of a thread's records are recorded. */
struct bob_mem_select {
	uint64_t *at, *end;	/* the record buffer of the chosen ones; NULL: none yet */
	uint32_t busy;		/* a thread selects; at the end of the process no other will */
	bob_status why;		/* there is no space */
	struct bob_mem_selector selector;
	uint64_t buffer[];	/* what probes write into */
};

struct bob_mem_image {
	const struct bob_mem_plan_head *plan; /* mapped for ever */
	uint64_t arena, arena_bytes; /* as bob_image's; 0: not at work */
	uint32_t first_desc;
	uint32_t *desc_at;	/* of each descriptor, in the plan's bytes */
	/* as in the plan, with the original's bytes while the new ones are in place */
	uint8_t *text;
	/* by function: why it runs as it was (enum bob_mem_decline), 0: it does not */
	uint8_t *out;
};

/* --- image.c --- lock held --- */
/* The image runs translated from here on; false: it does not, *why says. */
bool mem_image_add(struct bob_image *im, const struct bob_mem_plan_head *plan,
		   struct bob_meta *meta, enum bob_skip *why);
/* It was unloaded and has come back, perhaps to another place. */
bool mem_image_again(struct bob_image *im, enum bob_skip *why);
/* Its META record: what is not translated. */
void mem_image_describe(const struct bob_image *im, struct bob_meta *meta);
#define BOB_MEM_INT3 0xccu
/* Restore the function's own bytes: control entered it at a place that the planner did not know.
 * False: the system refused. */
bool mem_restore(struct bob_image *im, uint32_t func);
/* All functions of it; the caller holds the process's lock, and ends the recording. */
void mem_restore_all(struct bob_image *im);
/* Any thread, no lock: the image in whose translated code `addr` is, and where. */
const struct bob_image *mem_image_running(uint64_t addr, uint32_t *code);

/* --- desc.c --- lock held, but for the last --- */
/* Numbers for the image's descriptors. */
bool mem_descs_add(struct bob_image *im);
/* Into the file: those of one image; those of marks, first of all: their numbers are those of enum
 * bob_mem_mark. */
bool mem_descs_write(const struct bob_image *im);
bool mem_marks_write(void);
static inline uint32_t mem_sync_desc(enum bob_sync_kind kind)
{
	return BOB_MEM_MARKS + (uint32_t)kind;
}
/* Marks of events: two for each thing that they may be. */
#define MEM_EVENTS BOB_AGENT_EVENTS
static inline uint32_t mem_event_desc(uint32_t what, bool begin)
{
	return BOB_MEM_MARKS + BOB_SYNC_KIND_COUNT + 2 * what + begin;
}
/* These two are in the file. False: they cannot be. No lock. */
bool mem_event_known(uint32_t what);
const struct bob_mem_desc *mem_desc(void *unused, uint32_t number);
/* The same with accesses and steps, valid while the lock is held, and its image's bias. Lock
 * held. */
bool mem_desc_whole(uint32_t number, struct bob_mem_desc *d, uint64_t *bias);
/* Another one, in the file; its number, 0: no space. Lock held. */
uint32_t mem_desc_make(const struct bob_mem_desc *d);
/* What has happened of a record that is open, as up to two records that are complete. */
struct mem_cut {
	uint64_t accesses;	/* 0: nothing has */
	bool all;		/* everything has */
	bool loop;		/* complete iterations: the record itself, ended here ... */
	uint64_t end;		/* ... by this word */
	bool part;		/* of an iteration, or of a block: words of this descriptor */
	uint32_t number, words;
	uint64_t word
		/* in the iteration under way (payload: in the next one, if all has happened) */
		[BOB_MEM_WORDS_MAX];
};
/* `word` follows the record's header; `counter` is the register that counts a loop; in a loop with
 * payload, whose complete iterations are in the record, how many these are. False: no descriptor
 * can be made. */
bool mem_cut(const struct bob_image *im, const struct bob_mem_where *at, const uint64_t *word,
	     uint64_t counter, struct mem_cut *out);

/* --- buffer.c --- */
bool mem_thread_begin(struct bob_thread *t);
/* Nothing more comes from it. `own`: the calling thread's. */
void mem_thread_end(struct bob_thread *t, bool own);
void mem_thread_free(struct bob_thread *t);
/* What the calling thread has recorded is a part of its own, and complete in the file; raw buffers
 * stay as they are. */
void mem_part(void);
/* What the calling thread has recorded is in the file, whatever happens next. */
void mem_flush(struct bob_thread *t);
/* Recording begins in all threads; the caller's at once. */
void mem_begin(void);
void mem_before_fork(void);
/* A task is about to begin that shares the caller's thread-local storage and runs beside it. All
 * functions get their own bytes back, and the recording of the process ends. */
void mem_end_shared(void);
void mem_main(struct bob_regs *r);
/* From entry.S's neighbour memory.S, which keeps all registers. */
void bob_mem_full(void);
/* Make space for one record more; signals are blocked. */
void mem_make_space(void);
/* Is what this thread does recorded now? */
bool mem_is_recorded(void);

/* The thread's next buffer in the file; its records end at `at`. NULL: there is none, *why says. */
uint64_t *mem_buffer_next(struct bob_thread *t, const uint64_t *at, uint64_t **end,
			  bob_status *why);

/* --- select.c --- */
/* For this process, or anew in a child. False: no memory. */
bool mem_select_begin(void);
/* The image is there, perhaps at another place than before. Lock held. */
void mem_select_image(const struct bob_image *im);
bool mem_select_thread(struct bob_thread *t); /* false: no memory */
/* Records up to `at` are processed; NULL: there are none yet. The selection buffer is free again,
 * up to *end. BOB_NONE: the process has ended. Signals are blocked. */
bob_status mem_select_next(struct bob_thread *t, const uint64_t *at, uint64_t **end);
/* The end of selection; *at: the end of the chosen records in the buffer. False: another thread is
 * doing it. */
bool mem_select_end(struct bob_thread *t, bool own, const uint64_t **at);
void mem_select_free(struct bob_thread *t);

/* --- collect.c --- signals are blocked --- */
/* The thread's ring. False: there is no collector, or no space. */
bool mem_ring_begin(struct bob_thread *t);
/* The next buffer, from the ring instead of bob_mem_writer_next. Without a collector it comes from
 * there, and the thread has no ring from then on. `at` NULL: the thread has no buffer yet. */
uint64_t *mem_ring_next(struct bob_thread *t, const uint64_t *at, size_t need, uint64_t **end,
			bob_status *why);
/* As bob_mem_writer_cut. */
uint64_t *mem_ring_cut(struct bob_thread *t, const uint64_t *at, size_t need, uint64_t **end,
		       bob_status *why);
/* As bob_mem_writer_end. */
void mem_ring_end(struct bob_thread *t, const uint64_t *at);

/* --- signal.c --- */
void mem_signals_begin(void);
void mem_sigmask(struct bob_regs *r);

/* --- sync.c --- */
/* The number of the calling thread's stream; lock held. */
uint32_t mem_thread_number(void);
void mem_sync_begin(uint32_t number); /* ... and it is used */
void mem_sync_after_fork(void); /* in the child */
/* From sync.S, before a function and after it. */
enum bob_around_way bob_sync_called(uint32_t id, struct bob_regs *r, struct bob_sync_call *call,
				    uint64_t caller);
void bob_sync_returned(const struct bob_sync_call *call, uint64_t result);
struct mem_thread_start {
	uint64_t function, argument;
};
struct mem_thread_start mem_sync_thread(void *start);

/* --- event.c --- */
/* As of struct bob_agent_streams. */
uint64_t *mem_event_begins(uint32_t what);
void mem_event_ends(uint32_t what, uint64_t *mark);
bool mem_events_missing(uint64_t count);

/* --- source.c --- */
/* As of struct bob_agent_streams. */
uint32_t mem_source_add(const struct bob_agent_source *s);
bool mem_source_report(const void *meta, size_t bytes);
bool mem_source_record(uint32_t number, const uint64_t *word, uint32_t words);
bool mem_source_access(uint32_t number, uint64_t word);
/* All that were added, oldest first: a list by `next`. */
const struct bob_image *mem_sources(void);
/* In a fork child, for its own file: what the parent reported of variables. */
void mem_sources_report_again(void);

/* --- trap.c --- */
/* SIGTRAP with this program counter: was it one of ours? Then where to go on. */
bool mem_trapped(uint64_t *rip);

/* --- arch/x86_64/memory.S and memory.c --- */
extern const uint8_t bob_mem_full_entry[], bob_mem_main_entry[];
extern const uint8_t bob_mem_signal_entry[], bob_mem_signal_masked[];
extern const uint8_t bob_mem_restorer[];
extern uint64_t bob_mem_real_main;
extern const uint8_t bob_sync_thread_entry[], bob_mem_mark_begin[], bob_mem_mark_end[];
extern const uint8_t bob_mem_whole_begin[], bob_mem_whole_end[];
extern const uint8_t bob_mem_words_begin[], bob_mem_words_end[];
/* One record; `words` of a descriptor. 0: no space. */
int bob_mem_words(uint64_t header, const uint64_t *word, uint64_t words);
int bob_mem_mark(uint64_t header, uint64_t first, uint64_t second, uint64_t words);
/* If the newest thing recorded is a mark without words, `was`, that ends at `at`: it becomes `now`.
 * Else 0. */
int bob_mem_whole(uint64_t *at, uint64_t was, uint64_t now);
/* What a full buffer calls, into the first BOB_PLAN_HANDLER_BYTES of an arena. */
void mem_entry_copy(uint8_t *to);
int32_t mem_slots_offset(void); /* from the thread pointer */
/* Of what a handler gets as its third argument. Registers have the processor's numbers. */
uint64_t *mem_context_register(void *context, unsigned number);
uint64_t *mem_context_pc(void *context);

#endif
