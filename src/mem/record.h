/* SPDX-License-Identifier: BSD-3-Clause */
/* What a memory engine records: static *descriptors*, made once for a piece of code, and per thread
 * a row of *records*, which say that the piece ran and with what register values. A record is a
 * header and some words, 64 bits each:
 *
 *     header   bit 63 set, bits 0..30 the descriptor's number in the process; the others may be anything
 *              (code stores a header at once as an immediate of 32 bits, extended by its sign)
 *     words    register values at the beginning of the piece; payload words have bit 63 clear
 *
 * A record lies in one piece of memory (a buffer, a chunk of a trace): an engine whose buffer ends
 * within a loop ends that record and begins another with the registers as they are. Where a buffer
 * must survive the process, words are written first and the header last, into zeroed memory.
 * Sizes, types, offsets and program counters are in the descriptor, so a block that uses one base
 * register costs one word however many accesses it has. Engines: src/valgrind, src/agent (plans by
 * src/plan/mem). The order of the records of a thread is the order of execution, and the accesses
 * of a descriptor are in program order. notes: docs/memory.md.
 *
 * Freestanding; nothing here allocates. */
#ifndef BOB_MEM_RECORD_H
#define BOB_MEM_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#define BOB_MEM_HEADER 0x8000000000000000ull
#define BOB_MEM_NUMBER 0x7fffffffu /* of a header */
#define BOB_MEM_WORDS_MAX 64u	/* of a descriptor, payload included */
#define BOB_MEM_ACCESSES_MAX 4096u /* of a descriptor; engines split longer pieces */
#define BOB_MEM_TRIPS_MAX (1ull << 48) /* of one record of a loop */
#define BOB_MEM_NO_WORD 0xffu
#define BOB_MEM_NO_IMAGE 0xffffffffu /* JIT and other code in no file: `pc` is then an address */

enum bob_mem_kind {
	/* Runs once. Record: `words` words. */
	BOB_MEM_BLOCK = 1,
	/* Runs n times in a row without anything between. Record: `words` words at its beginning;
	 * then, if `payload` is 0, one word more, the counter's value at the end:
	 *     n = (that word - word[counter]) / step[counter].constant
	 * else n times `payload` words, and the next header ends it. Word w in iteration i is
	 * word[w] + i * step[w]; payload word k is word `words + k` of the accesses. String
	 * instructions with a rep prefix are loops too. */
	BOB_MEM_LOOP = 2,
	/* Something that is no access; `words` words. */
	BOB_MEM_MARK = 3
};

enum bob_mem_type {
	BOB_MEM_LOAD = 0,
	BOB_MEM_STORE = 1,
	BOB_MEM_ATOMIC =
		2 /* read, modify, write by one instruction under lock; a failed compare-and-swap
				 * is one too */
};

struct bob_mem_access {
	/* address = word + offset; without a word: link address in the image */
	int64_t offset;
	uint32_t pc;		/* of the instruction, from the descriptor's pc */
	uint16_t size;		/* bytes, never 0 */
	uint8_t type;		/* enum bob_mem_type */
	uint8_t word;		/* or BOB_MEM_NO_WORD */
	uint8_t guard;		/* word that decides whether it happens; BOB_MEM_NO_WORD: it always does. In a
				 * loop it is payload, or does not change */
	/* of that word: happens if set. Lanes of a masked move are one access each */
	uint8_t guard_bit;
};

/* How a word of a loop changes from one iteration to the next: constant + scale * word[word], where
 * that word does not change itself. */
struct bob_mem_step {
	int64_t constant;
	uint8_t word;		/* or BOB_MEM_NO_WORD */
	uint8_t scale;
};

enum bob_mem_flow {		/* flags */
		    BOB_MEM_ENTERS = 1, /* begins with the first instruction of a function */
		    BOB_MEM_CALLS = 2, /* ends with a call (a tail call does not) */
		    BOB_MEM_RETURNS = 4, /* ends with a return */
		    /* What was left of a piece when accesses were left out (select.h). With
		     * accesses it says nothing of calls; without any it says nothing else: with
		     * CALLS that there was one, and that those are over whose stack pointer is not
		     * above this one */
		    BOB_MEM_PART = 8
};

enum bob_mem_mark {
	BOB_MEM_SIGNAL_BEGIN = 1, /* word 0: signal number; word 1: 0 */
	BOB_MEM_SIGNAL_END = 2,
	/* threads synchronise: mem/sync.h; which words there are `sync` says */
	BOB_MEM_SYNC = 3,
	BOB_MEM_LOST = 4,	/* accesses are missing here. Word 0: how many if known, else 0 */
	BOB_MEM_AGAIN =
		5, /* the next word 0 accesses of the thread's records are in earlier ones, too: a
				 * handler had come between. They count once */
	/* The thread's next event with values (archive/write/event_write.h: a call of MPI); the
	 * descriptor's pc says what it is. So the n-th mark of these is the n-th event, and no
	 * number has to be kept. */
	BOB_MEM_EVENT = 6,	/* nothing was recorded from its beginning to its end */
	/* what comes up to EVENT_END happened in it; without one it never ended */
	BOB_MEM_EVENT_BEGIN = 7,
	BOB_MEM_EVENT_END = 8,
	/* word 0 events of the thread have no mark: accesses were not recorded then */
	BOB_MEM_EVENTS = 9,
	BOB_MEM_MARKS
};
extern const uint8_t bob_mem_mark_words[BOB_MEM_MARKS]; /* that a mark must have */

struct bob_mem_desc {
	/* link address of the first instruction; EVENT, EVENT_BEGIN: what it is */
	uint64_t pc;
	uint32_t image;		/* number in the process, or BOB_MEM_NO_IMAGE */
	uint8_t kind;		/* enum bob_mem_kind */
	uint8_t mark;		/* enum bob_mem_mark */
	uint8_t sync;		/* SYNC: enum bob_sync_kind */
	uint8_t words;
	uint8_t payload;
	uint8_t flow;		/* enum bob_mem_flow */
	uint8_t sp_word;	/* the stack pointer is this word + sp_begin before the first instruction, + sp_end
				 * before the last one. BOB_MEM_NO_WORD: not known, and `flow` is 0 then */
	uint8_t counter;	/* LOOP without payload */
	int32_t sp_begin, sp_end;
	uint32_t last;		/* pc of the last instruction, from pc: the call site of a call */
	uint32_t access_count;
	const struct bob_mem_access *access;
	const struct bob_mem_step *step; /* LOOP: one a word */
};

/* Bytes of a descriptor; `bytes` has BOB_MEM_DESC_BYTES(access_count). Compact: they count
 * in `stream_bytes`. */
#define BOB_MEM_DESC_BYTES(accesses) (64 + BOB_MEM_WORDS_MAX * 12 + (size_t)(accesses)*24)
size_t bob_mem_desc_put(const struct bob_mem_desc *d, uint8_t *bytes);
/* Reads at *at, never beyond `end`; *at moves only on BOB_OK. `access` and `step` are the caller's,
 * of BOB_MEM_ACCESSES_MAX and BOB_MEM_WORDS_MAX; *d points to them. All fields are checked: words,
 * guards and counters exist, a counter's step is a constant that is not 0. BOB_ERR_CORRUPT. */
bob_status bob_mem_desc_get(const uint8_t **at, const uint8_t *end, struct bob_mem_desc *d,
			    struct bob_mem_access *access, struct bob_mem_step *step);

/* One access as it happened. */
struct bob_mem_event {
	uint64_t address;
	uint64_t pc;		/* link address in `image` */
	uint32_t image;
	uint16_t size;
	uint8_t type;
};

/* The accesses of one record, one by one, without making them all. */
struct bob_mem_walk {
	const struct bob_mem_desc *desc;
	const uint64_t *word;	/* borrowed */
	uint64_t iterations, iteration;
	uint64_t bias;		/* of the descriptor's image: added to link addresses */
	uint32_t next;		/* access */
};

/* How many words the record has, header excluded, of the `capacity` words after its header. With
 * `open` the buffer was being written: an iteration of payload with a zero word is incomplete.
 * BOB_ERR_CORRUPT: the record does not end within the capacity. */
bob_status bob_mem_record_count(const struct bob_mem_desc *d, const uint64_t *word, size_t capacity,
				int open, size_t *count);
/* How many of the `capacity` words come before the first header. */
size_t bob_mem_payload_count(const uint64_t *word, size_t capacity);
/* `word` are the `count` words after the header. BOB_ERR_CORRUPT: they are not what the descriptor
 * says. */
bob_status bob_mem_walk_begin(struct bob_mem_walk *w, const struct bob_mem_desc *d,
			      const uint64_t *word, size_t count, uint64_t bias);
/* BOB_END after the last. BOB_NONE: nothing in the rest of this iteration, call again (so the work
 * of a call is bounded). */
bob_status bob_mem_walk_next(struct bob_mem_walk *w, struct bob_mem_event *event);
/* How many accesses a record has; `begun` is as bob_mem_walk_begin left it. Time does not grow with
 * the iterations of a loop without payload. */
uint64_t bob_mem_walk_count(const struct bob_mem_walk *begun);

#endif
