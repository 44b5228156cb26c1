/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes events with values (MPI calls, a user's own events) of one thread to a process file. They
 * are folded online (bobbin/fold.h), and nothing is lost when the process is killed.
 *
 * An event has a *definition*: a key (what it is), a call path (where), and the layout of its
 * words: a fixed number of words, then *vectors*, whose lengths are among these words. Folded, an
 * event is a leaf with the words, followed by one leaf per element of each vector. So a vector is a
 * loop in the trace, with columns of its own.
 *
 *     key of an event:   u8 vectors, + 64 if it never completed (then it may have none); for each
 *                        u8 word that is its length, u8 words of an element (0: bytes); the
 *                        definition's key
 *     key of an element: u8 255, u8 number of the vector, u8 words
 *
 * Definitions are numbered in order and written to chunks of their own (EVENT_DEFS), one record
 * each. Until they are folded, events are records of the stream's log (record_buffers.h). Records
 * are 64-bit values: a header and its contents.
 *
 *     header:     bit 63: set; bit 62: complete; bits 32..60: values that follow;
 *                 bits 0..31: number of the definition
 *     definition: words | vectors << 8 | bytes of the key << 16 | calls of the path << 32; vectors:
 *                 word | words of an element << 8 each, a value each; the key, padded with zeros
 *                 to a multiple of 8; the places of the path, outermost first
 *     event:      its words, then the elements of its vectors
 *
 * A *flat* stream is not folded: its records stay in consecutive RAW chunks.
 *
 * An event that has begun and is not complete is the last record: a call that never returned. If it
 * had to move to another buffer, both buffers have it.
 *
 * Freestanding. Owner: the caller. Threads: one stream, one thread. */
#ifndef BOB_ARCHIVE_EVENT_WRITE_H
#define BOB_ARCHIVE_EVENT_WRITE_H

#include "archive/write/record_buffers.h"

#define BOB_EVENT_VECTORS_MAX 8u
#define BOB_EVENT_KEY_MAX 224u
#define BOB_EVENT_DEPTH_MAX 256u	/* calls of a path; outer ones are omitted */
#define BOB_EVENT_DEFS_MAX (1u << 16)	/* at a time: see bob_event_writer_forget */
#define BOB_EVENT_NUMBER_MAX (1u << 24)

#define BOB_EVENT_HEADER (1ull << 63)
#define BOB_EVENT_COMPLETE (1ull << 62)
#define BOB_EVENT_LENGTH_MAX ((1u << 29) - 1)

struct bob_event_layout {
	uint8_t words;			/* fixed words of every event; <= BOB_FOLD_WORDS_MAX */
	uint8_t vectors;
	struct {
		uint8_t length;		/* index of the word with the number of elements */
		/* words per element; 0: the length is in bytes, and an element has 8 of them */
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
	int open;			/* of a leaf: its events never completed */
};

struct bob_event_writer;

/* The record that is open, or the position of the next one: the part of a writer that the inline
 * functions use, at its beginning. Not for callers. */
struct bob_event_buffer {
	uint64_t *at, *end;	/* of the buffer; NULL: recording has stopped */
	/* values from `at` on that may have been written, including the header */
	uint64_t dirty;
	uint32_t number;	/* definition of the open event */
};

/* Size of a writer: zeroed address space, aligned to 64. Pages are touched as definitions are
 * added. */
size_t bob_event_writer_size(void);
/* `mem` is memory of that size and belongs to the caller. `stream`: for the chunks' headers.
 * BOB_ERR_FULL: no space for a chunk. */
bob_status bob_event_writer_begin(void *mem, bob_fold_chunk_fn chunk, void *ctx, uint32_t stream,
				  struct bob_event_writer **out);
/* A writer of a flat stream: nothing is folded, records stay in RAW chunks. */
bob_status bob_event_writer_begin_flat(void *mem, bob_fold_chunk_fn chunk, void *ctx,
				       uint32_t stream, struct bob_event_writer **out);
/* Sets the function that zeroes memory. Default: memset. A better one exists for megabytes of which
 * few pages have been touched. */
typedef void (*bob_event_zero_fn)(void *p, size_t bytes);
void bob_event_writer_zero(struct bob_event_writer *w, bob_event_zero_fn zero);
/* Sets the function that calls fn(arg) on a stack of 16 KB, because folding may need more than the
 * thread's stack has. Default: fn is called directly. */
typedef void (*bob_event_run_fn)(void (*fn)(void *arg), void *arg);
void bob_event_writer_run(struct bob_event_writer *w, bob_event_run_fn run);
/* After BOB_ERR_FULL from any call except bob_event_writer_define recording stops; recorded events
 * stay.
 *
 * Adds a definition; *def is copied. BOB_ERR_FULL: the table is full; see bob_event_writer_forget.
 * BOB_ERR_INVAL. */
bob_status bob_event_writer_define(struct bob_event_writer *w, const struct bob_event_def *def,
				   uint32_t *number);
/* Returns a definition; borrowed until bob_event_writer_forget. */
bob_status bob_event_writer_says(const struct bob_event_writer *w, uint32_t number,
				 struct bob_event_def *def);
/* Removes all definitions; no more events of them may come. Numbers are not reused. */
bob_status bob_event_writer_forget(struct bob_event_writer *w);
/* Folds and commits what was put, as a part of its own: readers find it complete in the file,
 * followed by later parts. Definitions stay; an incomplete event is dropped. BOB_ERR_INVAL: the
 * stream is flat. */
bob_status bob_event_writer_cut(struct bob_event_writer *w);
/* Number of values put so far. It changes with every event. */
uint64_t bob_event_writer_values(const struct bob_event_writer *w);
/* Writes what was put so far, folded, as bytes for bob_folded_open. The file does not change. An
 * incomplete event stays incomplete. BOB_ERR_INVAL: the stream is flat; BOB_ERR_FULL: recording has
 * stopped, or there is more than can be read again (fold_write.h). */
bob_status bob_event_writer_so_far(struct bob_event_writer *w, bob_fold_write_fn write, void *ctx);
/* Begins an event of definition `number`. Returns memory for `words` values, or NULL if recording
 * has stopped, with the reason in *why (BOB_ERR_FULL). The previous event must be put or
 * dropped. */
static inline uint64_t *bob_event_writer_open(struct bob_event_writer *w, uint32_t number,
					      uint32_t words, bob_status *why);
/* Grows the open event, of which `have` values are set, to `words` values. Returns their new
 * address. */
uint64_t *bob_event_writer_more(struct bob_event_writer *w, uint32_t have, uint32_t words,
				bob_status *why);
/* Changes the definition of the open event. */
void bob_event_writer_rename(struct bob_event_writer *w, uint32_t number);
/* Publishes the first `words` values of an event that may take long to complete: readers see it as
 * incomplete. */
static inline void bob_event_writer_begun(struct bob_event_writer *w, uint32_t words);
/* Completes the event. BOB_ERR_INVAL: `words` does not fit the layout; the event is dropped. */
bob_status bob_event_writer_put(struct bob_event_writer *w, uint32_t words);
/* Ends the stream with its thread. */
bob_status bob_event_writer_end(struct bob_event_writer *w);

/* --- inline fast path --- */

/* Slow path of bob_event_writer_open: the buffer is full, or the previous event was dropped. */
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

/* --- shared with readers --- */

int bob_event_is_layout(const struct bob_event_layout *l);
/* Number of 64-bit values that hold so many bytes. */
uint64_t bob_event_padded(uint64_t bytes);

/* Number of elements of vector `i` of an event with the fixed words `word`, and words per
 * element. */
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

/* Number of values of an event with the fixed words `word`; 0: more than BOB_EVENT_LENGTH_MAX. */
uint64_t bob_event_length(const struct bob_event_layout *l, const uint64_t *word);
/* Folds recursion in a path as a folder does. Capacity of `to`: `depth`. Returns the number of
 * places. */
uint32_t bob_event_fold_path(const uint64_t *place, uint32_t depth, uint64_t *to);
/* Parses the key of a leaf with `words` words, if it is an event: its key points into `key`, it has
 * no path. BOB_NONE: an element. Errors: BOB_ERR_CORRUPT. */
bob_status bob_event_leaf_key(const uint8_t *key, size_t len, uint32_t words,
			      struct bob_event_def *def);
/* Is it the key of an element of vector `vector` with `words` words? */
int bob_event_is_element(const uint8_t *key, size_t len, uint32_t vector, uint32_t words);
/* Parses a definition's record: `count` values after the header. *def points into them. */
bob_status bob_event_def_read(const uint64_t *value, size_t count, struct bob_event_def *def);

#endif
