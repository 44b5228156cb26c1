/* SPDX-License-Identifier: BSD-3-Clause */
/* Events with values -- MPI calls, a user's own events -- of one thread into a process file, folded
 * while they come in (bobbin/fold.h), nothing lost when the process is killed.
 *
 * An event is of a *definition*: a key (what it is), a call path (where), and how its words lie: so
 * many that every event of it has, then *vectors*, whose lengths are among these words. Folded it
 * is a leaf with the words, followed by one leaf for each element of each vector, so a vector is a
 * loop in the trace, and columns of its own.
 *
 *     key of an event:   u8 vectors, + 64 if it never completed (then it may have none); for each u8 word that is its length, u8 words of an element (0: bytes); the definition's key
 *     key of an element: u8 255, u8 number of the vector, u8 words
 *
 * Definitions are numbered as they come and kept in chunks of their own (EVENT_DEFS), a record
 * each. Until they are folded events are records of the stream's log (record_buffers.h). Records
 * are 64-bit values: a header, then what it says.
 *
 *     bit 63: set; bit 62: complete; bits 32..60: values that follow; bits 0..31: number of the definition
 *     definition: words | vectors << 8 | bytes of the key << 16 | calls of the path << 32; vectors: word | words of an element << 8
 *     each, a value each; the key, padded with zeros to a multiple of 8; the places of the path, outermost first
 *     event: its words, then the elements of its vectors
 *
 * A *flat* stream is not folded: its records stay in RAW chunks, one after the other.
 *
 * An event that has begun and is not complete is the last record: a call that never returned. If it
 * had to move to another buffer, that has it, too.
 *
 * Freestanding. Owner: the caller. Threads: one stream, one thread. */
#ifndef BOB_ARCHIVE_EVENT_WRITE_H
#define BOB_ARCHIVE_EVENT_WRITE_H

#include "archive/write/record_buffers.h"

#define BOB_EVENT_VECTORS_MAX 8u
#define BOB_EVENT_KEY_MAX 224u
#define BOB_EVENT_DEPTH_MAX 256u	/* calls of a path; outer ones are left out */
#define BOB_EVENT_DEFS_MAX (1u << 16)	/* at a time: see bob_event_writer_forget */
#define BOB_EVENT_NUMBER_MAX (1u << 24)

#define BOB_EVENT_HEADER (1ull << 63)
#define BOB_EVENT_COMPLETE (1ull << 62)
#define BOB_EVENT_LENGTH_MAX ((1u << 29) - 1)

struct bob_event_layout {
	uint8_t words;			/* of every event; <= BOB_FOLD_WORDS_MAX */
	uint8_t vectors;
	struct {
		uint8_t length;		/* the word that says how many elements there are */
		/* of an element; 0: the length is in bytes, 8 of them are an element */
		uint8_t words;
	} vector[BOB_EVENT_VECTORS_MAX];
};

struct bob_event_def {
	const uint8_t *key;
	uint32_t key_len;
	uint32_t depth;
	/* of the calls, outermost first: image << 48 | link address */
	const uint64_t *place;
	struct bob_event_layout layout;
	int open;			/* of a leaf: events of it never completed */
};

struct bob_event_writer;

/* The record that is open, or where the next one will be: what the functions in line need of a
 * writer, at its beginning. Theirs and the writer's alone. */
struct bob_event_buffer {
	uint64_t *at, *end;	/* of the buffer; NULL: nothing more can be recorded */
	/* values from `at` on that may have been written, header included */
	uint64_t dirty;
	uint32_t number;	/* of the open event's definition */
};

/* Zeroed address space, aligned to 64. A part of it is touched for each definition. */
size_t bob_event_writer_size(void);
/* `mem` is that, and the caller's. `stream` is the one in the chunks' heads. BOB_ERR_FULL: no space
 * for a chunk. */
bob_status bob_event_writer_begin(void *mem, bob_fold_chunk_fn chunk, void *ctx, uint32_t stream,
				  struct bob_event_writer **out);
/* The same, but nothing is folded: every record stays as it is, in chunks of its own kind (RAW). */
bob_status bob_event_writer_begin_flat(void *mem, bob_fold_chunk_fn chunk, void *ctx,
				       uint32_t stream, struct bob_event_writer **out);
/* How memory becomes zeros again, where most of it still is: megabytes of which few pages have been
 * touched. Not called: memset. */
typedef void (*bob_event_zero_fn)(void *p, size_t bytes);
void bob_event_writer_zero(struct bob_event_writer *w, bob_event_zero_fn zero);
/* What calls fn(arg) where there is a stack of 16 KB: folding takes more than a thread may have.
 * Without it fn is called as it is. */
typedef void (*bob_event_run_fn)(void (*fn)(void *arg), void *arg);
void bob_event_writer_run(struct bob_event_writer *w, bob_event_run_fn run);
/* After BOB_ERR_FULL of any call but bob_event_writer_define nothing more is recorded; what was
 * stays.
 *
 * What *def says is copied. BOB_ERR_FULL: no more definitions fit; see bob_event_writer_forget.
 * BOB_ERR_INVAL. */
bob_status bob_event_writer_define(struct bob_event_writer *w, const struct bob_event_def *def,
				   uint32_t *number);
/* What a definition says; until it is discarded. */
bob_status bob_event_writer_says(const struct bob_event_writer *w, uint32_t number,
				 struct bob_event_def *def);
/* No event of the definitions that there are will come. Their numbers are not given again. */
bob_status bob_event_writer_forget(struct bob_event_writer *w);
/* What has been put is folded, committed, and a part of its own: readers find it complete in the
 * file, and later what follows it. Definitions stay; an event that was begun is dropped.
 * BOB_ERR_INVAL: it is flat. */
bob_status bob_event_writer_cut(struct bob_event_writer *w);
/* Values that have been put: as long as these stay, so does what has been put. */
uint64_t bob_event_writer_values(const struct bob_event_writer *w);
/* What has been put, folded, as bytes for bob_folded_open; nothing of it is in the file that would
 * not be there without. An event that was begun stays so. BOB_ERR_INVAL: it is flat; BOB_ERR_FULL:
 * nothing more can be recorded, or there is more than can be read again (fold_write.h). */
bob_status bob_event_writer_so_far(struct bob_event_writer *w, bob_fold_write_fn write, void *ctx);
/* An event of definition `number` begins: memory for `words` of its values. NULL: nothing more can
 * be recorded, *why says (BOB_ERR_FULL). The one before has been put or dropped. */
static inline uint64_t *bob_event_writer_open(struct bob_event_writer *w, uint32_t number,
					      uint32_t words, bob_status *why);
/* The first `have` values of the event are there, and `words` are wanted in all: where they are
 * now. */
uint64_t *bob_event_writer_more(struct bob_event_writer *w, uint32_t have, uint32_t words,
				bob_status *why);
/* The open event is of definition `number`. */
void bob_event_writer_rename(struct bob_event_writer *w, uint32_t number);
/* The event's first `words` values are there, and it may take long to complete: readers see it as
 * it is. */
static inline void bob_event_writer_begun(struct bob_event_writer *w, uint32_t words);
/* It is complete. BOB_ERR_INVAL: `words` are not what the layout says; it is dropped. */
bob_status bob_event_writer_put(struct bob_event_writer *w, uint32_t words);
/* The thread has ended. */
bob_status bob_event_writer_end(struct bob_event_writer *w);

/* --- what events mostly do, in line --- */

/* bob_event_writer_open where the buffer is full, or the event before was dropped. */
uint64_t *bob_event_writer_enter(struct bob_event_writer *w, uint32_t number, uint32_t words,
				 bob_status *why);

static inline uint64_t *bob_event_writer_open(struct bob_event_writer *w, uint32_t number,
					      uint32_t words, bob_status *why)
{
	struct bob_event_buffer *r = (struct bob_event_buffer *)w;

	if (__builtin_expect(r->dirty || words > BOB_EVENT_LENGTH_MAX ||
				     (uint64_t)(r->end - r->at) <= words,
			     0))
		return bob_event_writer_enter(w, number, words, why);
	r->number = number;
	r->dirty = 1 + words;
	*why = BOB_OK;
	return r->at + 1;
}

static inline void bob_event_writer_begun(struct bob_event_writer *w, uint32_t words)
{
	const struct bob_event_buffer *r = (const struct bob_event_buffer *)w;

	__atomic_store_n(r->at, BOB_EVENT_HEADER | (uint64_t)words << 32 | r->number,
			 __ATOMIC_RELEASE);
}

/* --- for readers, too --- */

int bob_event_is_layout(const struct bob_event_layout *l);
/* Values that so many bytes take. */
uint64_t bob_event_padded(uint64_t bytes);

/* Elements of vector `i` of an event whose first values are `word`, and the words of each. */
static inline uint64_t bob_event_elements(const struct bob_event_layout *l, uint32_t i,
					  const uint64_t *word)
{
	uint64_t n = word[l->vector[i].length];

	return l->vector[i].words ? n : n / 8 + (n % 8 != 0);
}

static inline uint32_t bob_event_element_words(const struct bob_event_layout *l, uint32_t i)
{
	return l->vector[i].words ? l->vector[i].words : 1;
}

/* How many values an event of this layout has whose first ones are `word`; 0: more than
 * BOB_EVENT_LENGTH_MAX. */
uint64_t bob_event_length(const struct bob_event_layout *l, const uint64_t *word);
/* The places of a path as a folder has it: recursion folded. `to` has capacity for `depth`. Returns
 * their number. */
uint32_t bob_event_fold_path(const uint64_t *place, uint32_t depth, uint64_t *to);
/* What the key of a leaf with `words` words says, of an event: its key points into `key`, it has no
 * path. BOB_NONE: it is that of an element. BOB_ERR_CORRUPT. */
bob_status bob_event_leaf_key(const uint8_t *key, size_t len, uint32_t words,
			      struct bob_event_def *def);
/* Is it that of an element of vector `vector` with `words` words? */
int bob_event_is_element(const uint8_t *key, size_t len, uint32_t vector, uint32_t words);
/* A definition's record: `count` values after the header. *def points into them. */
bob_status bob_event_def_read(const uint64_t *value, size_t count, struct bob_event_def *def);

#endif
