/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the agent: recording of memory accesses (docs/mem-native.md). Images run translated
 * code, whose probes write records (mem/record.h) through the slots of struct bob_mem_slots.
 *
 *   image.c    applies memory plans; restores functions
 *   desc.c     descriptors of all images: numbers, and output to the file
 *   buffer.c   record buffers, from a thread's first record to its last
 *   select_addresses.c   selection buffers before them, if only some addresses are recorded
 *   signal.c   handlers of the program, which may interrupt a probe
 *   trap.c     landings with too few bytes for a jump
 *   sync.c     functions that synchronise threads
 *   event.c    events of other recorders: calls of MPI
 *   collect.c  buffers that a collector process folds (docs/collector.md)
 *   probe_images.c   records of instrumented sources (src/probe), instead of translated code
 *
 * Threads: slots and struct bob_mem_thread belong to their thread, or to the thread that detects
 * that it has ended. Everything else is written under the process's lock. All signals are blocked
 * while a buffer is changed. */
#ifndef BOB_AGENT_MEM_MEM_H
#define BOB_AGENT_MEM_MEM_H

#include "agent/agent.h"
#include "agent/streams.h"
#include "agent/waits.h"
#include "archive/write/ring.h"
#include "mem/select.h"
#include "mem/sync.h"
#include "plan/mem/format.h"

/* The slots that probes of this thread use. */
extern __thread struct bob_mem_slots bob_mem_slots;

struct bob_mem_thread {
	struct bob_mem_writer writer;
	void *work;		/* working memory of the writer; NULL: raw */
	struct bob_ring_writer ring; /* its buffers, if a collector folds them */
	uint64_t *limit;	/* of the current buffer; NULL: none */
	struct bob_chunk_head *raw;
	uint64_t raw_bytes;	/* of the next raw chunk */
	uint64_t raw_words;	/* total of closed chunks */
	struct bob_mem_select *select; /* NULL: all accesses are recorded */
};

/* State of a thread's selection. */
struct bob_mem_select {
	uint64_t *at, *end;	/* the record buffer of selected records; NULL: none yet */
	uint32_t busy;		/* set while a thread selects; at the end of the process it stays
				 * set */
	bob_status why;		/* the reason why there is no space */
	struct bob_mem_selector selector;
	uint64_t buffer[];	/* selection buffer: probes write here */
};

struct bob_mem_image {
	const struct bob_mem_plan_head *plan; /* never unmapped */
	uint64_t arena, arena_bytes; /* as in struct bob_image; 0: not applied */
	uint32_t first_desc;
	uint32_t *desc_at;	/* offset of each descriptor in the plan's bytes */
	/* as in the plan; swapped with the original bytes while it is applied */
	uint8_t *text;
	/* by function: why it runs unchanged (enum bob_mem_decline); 0: it is translated */
	uint8_t *out;
};

/* --- image.c --- lock held --- */
/* Apply the plan to the image. False: it was not applied, *why is the reason. */
bool mem_image_add(struct bob_image *im, const struct bob_mem_plan_head *plan,
		   struct bob_meta *meta, enum bob_skip *why);
/* Apply it again, after the image was unloaded and loaded again, perhaps at another address. */
bool mem_image_again(struct bob_image *im, enum bob_skip *why);
/* Append its META record: what is not translated. */
void mem_image_describe(const struct bob_image *im, struct bob_meta *meta);
#define BOB_MEM_INT3 0xccu
/* Restore the original bytes of the function, because control entered it at an address that the
 * planner did not know. False: the system refused. */
bool mem_restore(struct bob_image *im, uint32_t func);
/* Restore all functions of the image. The caller holds the process's lock, and ends the
 * recording. */
void mem_restore_all(struct bob_image *im);
/* The image whose translated code contains `addr`, and the offset there. Any thread, no lock. */
const struct bob_image *mem_image_running(uint64_t addr, uint32_t *code);

/* --- desc.c --- lock held, except for mem_event_known and mem_desc --- */
/* Allocate numbers for the image's descriptors. */
bool mem_descs_add(struct bob_image *im);
/* Write the descriptors of one image, or of marks, to the file. Marks come first: their numbers are
 * those of enum bob_mem_mark. */
bool mem_descs_write(const struct bob_image *im);
bool mem_marks_write(void);
static inline uint32_t mem_sync_desc(enum bob_sync_kind kind)
{
	return BOB_MEM_MARKS + (uint32_t)kind;
}
/* Marks of events: two for each kind of event. */
#define MEM_EVENTS BOB_AGENT_EVENTS
static inline uint32_t mem_event_desc(uint32_t what, bool begin)
{
	return BOB_MEM_MARKS + BOB_SYNC_KIND_COUNT + 2 * what + begin;
}
/* Ensure that both are in the file. False: not possible. No lock. */
bool mem_event_known(uint32_t what);
const struct bob_mem_desc *mem_desc(void *unused, uint32_t number);
/* The descriptor with accesses and steps, valid while the lock is held, and its image's bias. */
bool mem_desc_whole(uint32_t number, struct bob_mem_desc *d, uint64_t *bias);
/* Write a new descriptor to the file. Returns its number; 0: no space. Lock held. */
uint32_t mem_desc_make(const struct bob_mem_desc *d);
/* The part of an open record that has happened, as up to two complete records. */
struct mem_cut {
	uint64_t accesses;	/* number of accesses; 0: nothing has happened */
	bool all;		/* everything has happened */
	bool loop;		/* complete iterations: the record itself, ended here ... */
	uint64_t end;		/* ... with this word as its end */
	bool part;		/* part of an iteration or block: words of descriptor `number` */
	uint32_t number, words;
	/* of the current iteration (with payload: of the next one, if all of this one has
	 * happened) */
	uint64_t word[BOB_MEM_WORDS_MAX];
};
/* `word` follows the record's header. `counter` is the register that counts a loop; in a loop with
 * payload, the number of complete iterations in the record. False: no descriptor can be created. */
bool mem_cut(const struct bob_image *im, const struct bob_mem_where *at, const uint64_t *word,
	     uint64_t counter, struct mem_cut *out);

/* --- buffer.c --- */
bool mem_thread_begin(struct bob_thread *t);
/* The thread records nothing more. `own`: it is the calling thread. */
void mem_thread_end(struct bob_thread *t, bool own);
void mem_thread_free(struct bob_thread *t);
/* Complete the records of the calling thread as a separate part in the file; raw buffers stay as
 * they are. */
void mem_part(void);
/* Write the records of the calling thread to the file, so that nothing is lost. */
void mem_flush(struct bob_thread *t);
/* Start recording in all threads; in the calling one immediately. */
void mem_begin(void);
void mem_before_fork(void);
/* A task is about to start that shares the caller's thread-local storage and runs concurrently.
 * Restores all functions and ends the recording of the process. */
void mem_end_shared(void);
void mem_main(struct bob_regs *r);
/* Called from memory.S, which preserves all registers. */
void bob_mem_full(void);
/* Make space for another record. Signals are blocked. */
void mem_make_space(void);
/* Whether the calling thread is being recorded. */
bool mem_is_recorded(void);

/* The thread's next buffer in the file; its records end at `at`. NULL: none, *why is the reason. */
uint64_t *mem_buffer_next(struct bob_thread *t, const uint64_t *at, uint64_t **end,
			  bob_status *why);

/* --- select_addresses.c --- */
/* Initialise for this process, also in a child. False: no memory. */
bool mem_select_begin(void);
/* The image was loaded, perhaps at another address than before. Lock held. */
void mem_select_image(const struct bob_image *im);
bool mem_select_thread(struct bob_thread *t); /* false: no memory */
/* Process the records up to `at` (NULL: none yet). The selection buffer is then free up to *end.
 * BOB_NONE: the process has ended. Signals are blocked. */
bob_status mem_select_next(struct bob_thread *t, const uint64_t *at, uint64_t **end);
/* End the selection; *at is the end of the selected records in the buffer. False: another thread is
 * doing it. */
bool mem_select_end(struct bob_thread *t, bool own, const uint64_t **at);
void mem_select_free(struct bob_thread *t);

/* --- collect.c --- signals are blocked --- */
/* Create the thread's ring. False: there is no collector, or no space. */
bool mem_ring_begin(struct bob_thread *t);
/* The next buffer, from the ring instead of bob_mem_writer_next. If there is no collector any more,
 * the buffer comes from there, and the thread has no ring afterwards. `at` NULL: the thread has no
 * buffer yet. */
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
/* The stream number of the calling thread. Lock held. */
uint32_t mem_thread_number(void);
void mem_sync_begin(uint32_t number); /* the number was used */
void mem_sync_after_fork(void); /* in the child */
/* Called from sync.S, before a function and after it. */
enum bob_around_way bob_sync_called(uint32_t id, struct bob_regs *r, struct bob_sync_call *call,
				    uint64_t caller);
void bob_sync_returned(const struct bob_sync_call *call, uint64_t result);
struct mem_thread_start {
	uint64_t function, argument;
};
struct mem_thread_start mem_sync_thread(void *start);

/* --- event.c --- */
/* As in struct bob_agent_streams. */
uint64_t *mem_event_begins(uint32_t what);
void mem_event_ends(uint32_t what, uint64_t *mark);
bool mem_events_missing(uint64_t count);

/* --- probe_images.c --- */
/* As in struct bob_agent_streams. */
uint32_t mem_source_add(const struct bob_agent_source *s);
bool mem_source_report(const void *meta, size_t bytes);
bool mem_source_record(uint32_t number, const uint64_t *word, uint32_t words);
bool mem_source_access(uint32_t number, uint64_t word);
/* All images that were added, oldest first, linked by `next`. */
const struct bob_image *mem_sources(void);
/* In a fork child: write the variables that the parent reported to its own file. */
void mem_sources_report_again(void);

/* --- trap.c --- */
/* On SIGTRAP with this program counter: whether it was one of ours; then *rip is where to
 * continue. */
bool mem_trapped(uint64_t *rip);

/* --- arch/x86_64/memory.S and memory.c --- */
extern const uint8_t bob_mem_full_entry[], bob_mem_main_entry[];
extern const uint8_t bob_mem_signal_entry[], bob_mem_signal_masked[];
extern const uint8_t bob_mem_restorer[];
extern uint64_t bob_mem_real_main;
extern const uint8_t bob_sync_thread_entry[], bob_mem_mark_begin[], bob_mem_mark_end[];
extern const uint8_t bob_mem_whole_begin[], bob_mem_whole_end[];
extern const uint8_t bob_mem_words_begin[], bob_mem_words_end[];
/* Put a record with `words` words. 0: no space. */
int bob_mem_words(uint64_t header, const uint64_t *word, uint64_t words);
int bob_mem_mark(uint64_t header, uint64_t first, uint64_t second, uint64_t words);
/* If the most recent record is the mark `was` without words that ends at `at`, replace its header
 * by `now`. Otherwise returns 0. */
int bob_mem_whole(uint64_t *at, uint64_t was, uint64_t now);
/* Write the code that a full buffer calls to the first BOB_PLAN_HANDLER_BYTES of an arena. */
void mem_entry_copy(uint8_t *to);
int32_t mem_slots_offset(void); /* relative to the thread pointer */
/* Access to a handler's third argument. Registers have the processor's numbers. */
uint64_t *mem_context_register(void *context, unsigned number);
uint64_t *mem_context_pc(void *context);

#endif
