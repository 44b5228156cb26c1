/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of memory engines. A *descriptor* is static and made once for a piece of code. Each
 * thread has a sequence of *records*: each says that the piece ran, and with which register values.
 * A record is a header and some words, 64 bits each:
 *
 *     header   bit 63 is set, bits 0..30 are the descriptor's number in the process, the other
 *              bits are arbitrary (code stores a header as a sign-extended 32-bit immediate)
 *     words    register values at the beginning of the piece; payload words have bit 63 clear
 *
 * A record is contiguous in memory (a buffer, a chunk of a trace): if an engine's buffer ends
 * within a loop, the engine ends that record and begins another one with the current registers. If
 * a buffer must survive the process, the engine writes words first and the header last, into zeroed
 * memory. Sizes, types, offsets and program counters are in the descriptor, so a block that uses
 * one base register costs one word, however many accesses it has. Engines: src/valgrind, src/agent
 * (plans by src/plan/mem). Records of a thread are in execution order, accesses of a descriptor in
 * program order. See docs/memory.md.
 *
 * Freestanding; does not allocate. */
#ifndef BOB_MEM_RECORD_H
#define BOB_MEM_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#define BOB_MEM_HEADER 0x8000000000000000ull
#define BOB_MEM_NUMBER 0x7fffffffu /* part of a header */
#define BOB_MEM_WORDS_MAX 64u	/* of a descriptor, including payload */
#define BOB_MEM_ACCESSES_MAX 4096u /* of a descriptor; engines split longer pieces */
#define BOB_MEM_TRIPS_MAX (1ull << 48) /* of one record of a loop */
#define BOB_MEM_NO_WORD 0xffu
#define BOB_MEM_NO_IMAGE 0xffffffffu /* JIT and other code in no file: `pc` is then an address */

enum bob_mem_kind {
	/* Runs once. Record: `words` words. */
	BOB_MEM_BLOCK = 1,
	/* Runs n times without other code in between. Record: `words` words as of its beginning. If
	 * `payload` is 0, one word follows, the final value of the counter:
	 *     n = (that word - word[counter]) / step[counter].constant
	 * Else n times `payload` words follow, up to the next header. Word w in iteration i is
	 * word[w] + i * step[w]; accesses refer to payload word k as word `words + k`. String
	 * instructions with a rep prefix are loops, too. */
	BOB_MEM_LOOP = 2,
	/* Not an access; `words` words. */
	BOB_MEM_MARK = 3
};

enum bob_mem_type {
	BOB_MEM_LOAD = 0,
	BOB_MEM_STORE = 1,
	/* read-modify-write by one locked instruction, including a failed compare-and-swap */
	BOB_MEM_ATOMIC = 2
};

struct bob_mem_access {
	/* address = word + offset; without a word: link address in the image */
	int64_t offset;
	uint32_t pc;		/* of the instruction, relative to the descriptor's pc */
	uint16_t size;		/* bytes, never 0 */
	uint8_t type;		/* enum bob_mem_type */
	uint8_t word;		/* or BOB_MEM_NO_WORD */
	uint8_t guard;		/* word with the bit that decides whether it happens;
				 * BOB_MEM_NO_WORD: it always does. In a loop it is payload or
				 * constant */
	/* number of that bit: happens if set. Each lane of a masked move is an access */
	uint8_t guard_bit;
};

/* The difference of a loop's word between iterations: constant + scale * word[word], where that
 * word is constant. */
struct bob_mem_step {
	int64_t constant;
	uint8_t word;		/* or BOB_MEM_NO_WORD */
	uint8_t scale;
};

/* Bits. */
enum bob_mem_flow {
	BOB_MEM_ENTERS = 1, /* begins with the first instruction of a function */
	BOB_MEM_CALLS = 2, /* ends with a call (a tail call does not) */
	BOB_MEM_RETURNS = 4, /* ends with a return */
	/* The remainder of a piece after accesses were removed (select.h). With
	 * accesses, it implies nothing about calls. Without accesses, it only describes
	 * calls: with CALLS, that there was one; else, that calls whose stack pointer
	 * is at or below this one have ended. */
	BOB_MEM_PART = 8
};

enum bob_mem_mark {
	BOB_MEM_SIGNAL_BEGIN = 1, /* word 0: signal number; word 1: 0 */
	BOB_MEM_SIGNAL_END = 2,
	/* synchronisation of threads: mem/sync.h; the words depend on `sync` */
	BOB_MEM_SYNC = 3,
	BOB_MEM_LOST = 4,	/* accesses are missing here. Word 0: how many, 0: unknown */
	/* earlier records already contain the next `word 0` accesses of the thread: a
	 * signal handler interrupted the recording. They count once */
	BOB_MEM_AGAIN = 5,
	/* The thread's next event with values (archive/write/event_write.h: a call of MPI); the
	 * descriptor's pc is its kind. The n-th of these marks is the n-th event, so no number is
	 * stored. */
	BOB_MEM_EVENT = 6,	/* nothing was recorded from its beginning to its end */
	/* records up to EVENT_END happened during it; without EVENT_END it never ended */
	BOB_MEM_EVENT_BEGIN = 7,
	BOB_MEM_EVENT_END = 8,
	/* word 0 events of the thread have no mark, because accesses were not recorded then */
	BOB_MEM_EVENTS = 9,
	BOB_MEM_MARKS
};
/* Number of words that each kind of mark must have. */
extern const uint8_t bob_mem_mark_words[BOB_MEM_MARKS];

struct bob_mem_desc {
	/* link address of the first instruction; EVENT, EVENT_BEGIN: the kind of event */
	uint64_t pc;
	uint32_t image;		/* number in the process, or BOB_MEM_NO_IMAGE */
	uint8_t kind;		/* enum bob_mem_kind */
	uint8_t mark;		/* enum bob_mem_mark */
	uint8_t sync;		/* SYNC: enum bob_sync_kind */
	uint8_t words;
	uint8_t payload;
	uint8_t flow;		/* enum bob_mem_flow */
	uint8_t sp_word;	/* the stack pointer is this word + sp_begin at the first
				 * instruction, + sp_end at the last one. BOB_MEM_NO_WORD: unknown;
				 * then `flow` is 0 */
	uint8_t counter;	/* LOOP without payload */
	int32_t sp_begin, sp_end;
	uint32_t last;		/* pc of the last instruction, relative to pc: the call site of a
				 * call */
	uint32_t access_count;
	const struct bob_mem_access *access;
	const struct bob_mem_step *step; /* LOOP: one for each word */
};

/* Encode a descriptor; `bytes` has BOB_MEM_DESC_BYTES(access_count). Returns the length. The
 * encoding is compact because it counts in `stream_bytes`. */
#define BOB_MEM_DESC_BYTES(accesses) (64 + BOB_MEM_WORDS_MAX * 12 + (size_t)(accesses)*24)
size_t bob_mem_desc_put(const struct bob_mem_desc *d, uint8_t *bytes);
/* Decode at *at, bounded by `end`; *at moves only on BOB_OK. `access` and `step` are the caller's,
 * with BOB_MEM_ACCESSES_MAX and BOB_MEM_WORDS_MAX elements; *d points to them. All fields are
 * checked: words, guards and counters exist, and the step of a counter is a non-zero constant.
 * Errors: BOB_ERR_CORRUPT. */
bob_status bob_mem_desc_get(const uint8_t **at, const uint8_t *end, struct bob_mem_desc *d,
			    struct bob_mem_access *access, struct bob_mem_step *step);

/* One access of the program. */
struct bob_mem_event {
	uint64_t address;
	uint64_t pc;		/* link address in `image` */
	uint32_t image;
	uint16_t size;
	uint8_t type;
};

/* Iterator over the accesses of one record. */
struct bob_mem_walk {
	const struct bob_mem_desc *desc;
	const uint64_t *word;	/* borrowed */
	uint64_t iterations, iteration;
	uint64_t bias;		/* added to link addresses of the descriptor's image */
	uint32_t next;		/* access */
};

/* The number of words of the record, without its header, among the `capacity` words after the
 * header. `open`: the buffer was being written, so an iteration of payload with a zero word is
 * incomplete. BOB_ERR_CORRUPT: the record does not end within the capacity. */
bob_status bob_mem_record_count(const struct bob_mem_desc *d, const uint64_t *word, size_t capacity,
				int open, size_t *count);
/* The number of words before the first header. */
size_t bob_mem_payload_count(const uint64_t *word, size_t capacity);
/* `word` are the `count` words after the header. BOB_ERR_CORRUPT: they do not match the
 * descriptor. */
bob_status bob_mem_walk_begin(struct bob_mem_walk *w, const struct bob_mem_desc *d,
			      const uint64_t *word, size_t count, uint64_t bias);
/* BOB_END after the last access. BOB_NONE: no further access in this iteration, call again (so that
 * the work of a call is bounded). */
bob_status bob_mem_walk_next(struct bob_mem_walk *w, struct bob_mem_event *event);
/* The number of accesses of a record; `begun` is as bob_mem_walk_begin left it. Constant time for
 * loops without payload. */
uint64_t bob_mem_walk_count(const struct bob_mem_walk *begun);

#endif
