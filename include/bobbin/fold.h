/* SPDX-License-Identifier: BSD-3-Clause */
/* The folding library: compresses sequences of events with values losslessly while they arrive, and
 * reads, merges and expands them in folded form. docs/fold.md has the algorithm and its costs.
 *
 * An event is a *leaf*: a *shape* (what happened where: a key chosen by the caller and the call
 * path, its *signature*) and a few *words*, the values. Only shapes take part in finding loops.
 * Each word of each shape is a column of its own, stored as nested affine pieces where it is
 * affine.
 *
 * Memory: a folder runs in memory that the caller provides, a reader takes an allocator. There are
 * no globals, and no libc calls except memcpy, memmove, memset and memcmp. Errors: bob_status;
 * hostile bytes give BOB_ERR_CORRUPT. ABI: all structs here are fixed (bobbin.h). */
#ifndef BOBBIN_FOLD_H
#define BOBBIN_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BOB_FOLD_WORDS_MAX 128u
#define BOB_FOLD_KEY_MAX 255u	/* bytes */
#define BOB_FOLD_NO_PATH 0u	/* the path without calls */

struct bob_fold_shape {
	const uint8_t *key;
	size_t key_len;
	uint32_t path;
	uint32_t words;
};

/* --- folding --- */

/* Folds one sequence. Threads: one folder, one thread. */
struct bob_folder;

/* The bytes passed to `write` so far, followed by those of bob_folder_rest, are the sequence so
 * far. */
typedef void (*bob_fold_write_fn)(void *ctx, const void *bytes, size_t len);

/* The address space of a folder, an upper bound of its memory; regular sequences use little of
 * it. */
BOB_API size_t bob_folder_size(void);
/* `mem` is bob_folder_size() zeroed bytes, aligned to 64, owned by the caller, who simply frees
 * it. */
BOB_API struct bob_folder *bob_folder_begin(void *mem, bob_fold_write_fn write, void *ctx);

/* Extend a call path: `parent` (BOB_FOLD_NO_PATH at first) and the place of one more call.
 * Recursion is folded: a path that would end in the same places twice becomes the shorter one.
 * BOB_ERR_FULL: see bob_folder_again. */
BOB_API bob_status bob_folder_path(struct bob_folder *f, uint32_t parent, uint64_t place,
				   uint32_t *path);
/* Find or create the shape of this key and path, whose leaves have `words` words. Keep the number,
 * because the look-up is slower than putting an event. Errors: BOB_ERR_INVAL (too many words or
 * bytes, or the shape has another number of words), BOB_ERR_FULL. */
BOB_API bob_status bob_folder_shape(struct bob_folder *f, const void *key, size_t key_len,
				    uint32_t path, uint32_t words, uint32_t *shape);
/* Add one event, with as many words as its shape has. `shape` is not checked in release builds.
 * Budget: <= 8 ns a word where the sequence is regular, <= 40 where it is random
 * (bench/fold/bench_folder.c). */
BOB_API void bob_folder_put(struct bob_folder *f, uint32_t shape, const uint64_t *word);
/* Add `count` consecutive events of one shape. The first `steps` words of the shape start at
 * word[w] and change by step[w] from one event to the next. The other words are in `more`, event by
 * event. Equivalent to adding them one by one, but cheaper. */
BOB_API void bob_folder_put_row(struct bob_folder *f, uint32_t shape, const uint64_t *word,
				const uint64_t *step, uint32_t steps, const uint64_t *more,
				size_t count);
/* Let `mark`, not 0, identify this shape, whose events have one word, until bob_folder_again. */
BOB_API void bob_folder_mark(struct bob_folder *f, uint32_t shape, uint64_t mark);
/* Add up to `count` events of one word each, given as pairs of a number and the word. The number
 * with the bits of `with` set is the shape's mark. Stops before an unknown mark, and where
 * BOB_FOLD_ROW_MIN events of one mark follow. Returns how many were added, possibly none.
 * Equivalent to adding them one by one, but cheaper: each pair is compared with the prediction. A
 * mark that was not used for long may have to be set again. */
#define BOB_FOLD_ROW_MIN 8
BOB_API size_t bob_folder_put_marked(struct bob_folder *f, const uint64_t *pair, size_t count,
				     uint64_t with);
/* Write the bytes that complete those written so far; the folder continues as before. After a crash
 * the newest copy of them completes the sequence up to that call. */
BOB_API void bob_folder_rest(struct bob_folder *f, bob_fold_write_fn write, void *ctx);
/* End the sequence: the remaining bytes go to the folder's own `write`. */
BOB_API void bob_folder_end(struct bob_folder *f);
/* Make space for more shapes or paths: end the current part and start a new one in the same memory.
 * Shapes and paths have to be created again. Readers see one sequence. */
BOB_API void bob_folder_again(struct bob_folder *f);
/* Bounded-error mode, off by default: each value of word `word` of this shape is reproduced with an
 * error of at most `within` (at most 2^62) and with the same top bit. The stored value is the
 * prediction of its column if that is close enough. Otherwise it is the candidate whose step from
 * the previous value, or in a column without predictions the value itself, is divisible by the
 * largest power of two. Call it again after bob_folder_again. BOB_ERR_INVAL: no such shape or word,
 * or too large a bound. */
BOB_API bob_status bob_folder_tolerate(struct bob_folder *f, uint32_t shape, uint32_t word,
				       uint64_t within);
/* Lossy matching, defined by the caller: from now on, a new key and path are compared with the
 * existing shapes of as many words, the oldest first. The first one for which `match` returns 1
 * becomes their shape. `match` is called only for new keys and paths. NULL: off. It survives
 * bob_folder_again. */
typedef int (*bob_fold_match_fn)(void *ctx, const struct bob_fold_shape *known,
				 const struct bob_fold_shape *fresh);
BOB_API void bob_folder_match(struct bob_folder *f, bob_fold_match_fn match, void *ctx);
BOB_API uint64_t bob_folder_events(const struct bob_folder *f);
/* Columns so far: bob_folder_rest takes about 0.3 us for each. */
BOB_API uint32_t bob_folder_columns(const struct bob_folder *f);

/* --- reading --- */

/* Like realloc: `old` is NULL for a new block, `size` 0 frees; returns NULL if there is no
 * memory. */
struct bob_alloc {
	void *(*resize)(void *ctx, void *old, size_t old_size, size_t size);
	void *ctx;
};

/* The folded sequences of one or more *participants* (threads, ranks). Immutable, any thread. */
struct bob_folded;

/* Open what a folder wrote; `bytes` are copied. The caller owns *out (bob_folded_close). `id` is
 * that of the participant. Errors: BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
BOB_API bob_status bob_folded_open(const void *bytes, size_t len, uint64_t id,
				   const struct bob_alloc *alloc, struct bob_folded **out);
BOB_API void bob_folded_close(struct bob_folded *f); /* NULL is allowed */

BOB_API uint32_t bob_folded_count(const struct bob_folded *f); /* participants */
/* Ids that share their upper half (threads of one process, say) are expected to differ from others
 * by the same values. */
BOB_API uint64_t bob_folded_id(const struct bob_folded *f, uint32_t participant);
BOB_API uint64_t bob_folded_events(const struct bob_folded *f, uint32_t participant);

BOB_API uint32_t bob_folded_shapes(const struct bob_folded *f);
/* *out borrows from `f`. */
BOB_API void bob_folded_shape(const struct bob_folded *f, uint32_t shape,
			      struct bob_fold_shape *out);
/* The last place of a path and the path before it; 0 for BOB_FOLD_NO_PATH. */
BOB_API int bob_folded_path(const struct bob_folded *f, uint32_t path, uint32_t *parent,
			    uint64_t *place);

/* --- reading without expanding --- */

/* The values of a loop nest:
 *
 *     for idx[n-1] = 0 .. count(n-1) - 1
 *       ...
 *         for idx[0] = 0 .. count(0) - 1
 *             value = base + sum over d of idx[d] * step[d]
 *
 * where count(d) = count[d] + sum over outer dimensions e > d of grow[d,e] * idx[e], and a count of
 * 0 or less means no iteration. A piece without dimensions is one value. All arithmetic is modulo
 * 2^64. */
#define BOB_PIECE_DIMS 6u
#define BOB_PIECE_PAIRS (BOB_PIECE_DIMS * (BOB_PIECE_DIMS - 1) / 2)
struct bob_piece {
	uint64_t base;
	uint32_t dims;
	uint64_t count[BOB_PIECE_DIMS];	/* [0] is the innermost loop */
	uint64_t step[BOB_PIECE_DIMS];
	uint64_t grow[BOB_PIECE_PAIRS];	/* bob_piece_pair(d, e), d < e */
};

/* Pairs are numbered by e, so pieces with fewer dimensions use the first pairs, and adding a loop
 * moves none. */
static inline unsigned bob_piece_pair(unsigned d, unsigned e)
{
	return e * (e - 1) / 2 + d;
}

/* The number of a participant's parts: 1, plus 1 for each bob_folder_again. */
BOB_API uint32_t bob_folded_parts(const struct bob_folded *f, uint32_t participant);
/* Whether a part begins after the participant's first `events`. True at the end of all events. */
BOB_API int bob_folded_parted(const struct bob_folded *f, uint32_t participant, uint64_t events);

/* Items: 2 * shape, or 2 * loop + 1. A loop's body consists of shapes and loops with smaller
 * numbers. */
BOB_API uint32_t bob_folded_loops(const struct bob_folded *f);
BOB_API const uint32_t *bob_folded_body(const struct bob_folded *f, uint32_t loop, uint32_t *len);
/* The items of the spine, in order; `visit` returns 0 to continue. */
BOB_API bob_status bob_folded_spine(const struct bob_folded *f, uint32_t participant, uint32_t part,
				    int (*visit)(void *ctx, uint32_t item), void *ctx);
/* The pieces of a column: word `word` of an item that is a shape, or the trip counts of an item
 * that is a loop. *left is 1 if values that are not affine follow. Patterns are expanded by
 * repetition: return non-zero to stop early. BOB_NONE: the part has no such column. */
BOB_API bob_status bob_folded_pieces(const struct bob_folded *f, uint32_t participant,
				     uint32_t part, uint32_t item, uint32_t word,
				     int (*visit)(void *ctx, const struct bob_piece *p), void *ctx,
				     int *left);

/* Count the occurrences of each shape and the iterations of each loop, summed over its executions.
 * `shape` has an element for each shape, `loop` for each loop. Errors: BOB_ERR_CORRUPT. */
BOB_API bob_status bob_folded_counts(const struct bob_folded *f, uint32_t participant,
				     uint32_t part, uint64_t *shape, uint64_t *loop);
/* The sum of a piece's values, modulo 2^64. BOB_ERR_CORRUPT: it has more rows of different length
 * than a folder creates. */
BOB_API bob_status bob_piece_sum(const struct bob_piece *p, uint64_t *sum);

/* --- expanding --- */

struct bob_fold_event {
	uint32_t shape;
	uint32_t words;
	const uint64_t *word;	/* valid until the next call */
};

/* One participant's events, in order; memory use does not depend on their number. Threads: one. */
struct bob_fold_cursor;

BOB_API bob_status bob_fold_cursor_open(const struct bob_folded *f, uint32_t participant,
					struct bob_fold_cursor **out);
BOB_API void bob_fold_cursor_close(struct bob_fold_cursor *c); /* NULL is allowed */
/* BOB_END after the last. BOB_ERR_CORRUPT: the bytes end too early. */
BOB_API bob_status bob_fold_cursor_next(struct bob_fold_cursor *c, struct bob_fold_event *event);

/* A loop around the event returned last: its iteration, from 0, and the trip count of this
 * execution. */
struct bob_fold_at {
	uint32_t loop;
	uint32_t reserved;
	uint64_t iteration, trips;
};
/* Write these loops, outermost first, at most `capacity` of them. Returns their total number. */
BOB_API uint32_t bob_fold_cursor_loops(const struct bob_fold_cursor *c, struct bob_fold_at *to,
				       uint32_t capacity);

/* --- merging --- */

/* Merge all participants of `a` and `b`, which do not change. An id must not be in both. Merging is
 * associative and commutative: the same participants give the same bytes in any order. */
BOB_API bob_status bob_folded_merge(const struct bob_folded *a, const struct bob_folded *b,
				    const struct bob_alloc *alloc, struct bob_folded **out);
/* Renaming; a NULL function keeps the old names. Processes of one program number things
 * independently: give them common names before merging. */
struct bob_fold_rename {
	uint64_t (*id)(void *ctx, uint64_t id); /* of a participant; their order must not change */
	/* `to` holds BOB_FOLD_KEY_MAX bytes. */
	bob_status (*key)(void *ctx, const uint8_t *key, size_t len, uint8_t *to, size_t *to_len);
	uint64_t (*place)(void *ctx, uint64_t place); /* of a call path */
	void *ctx;
};
/* BOB_ERR_INVAL: two keys of one path, or two places, would become equal, or participants change
 * their order. */
BOB_API bob_status bob_folded_rename(const struct bob_folded *f,
				     const struct bob_fold_rename *rename,
				     const struct bob_alloc *alloc, struct bob_folded **out);
/* A source of bob_folded_merge_all. */
struct bob_fold_source {
	const struct bob_folded *folded;
	/* participants that its `id` renames to BOB_FOLD_OMIT are left out; NULL: keep names */
	const struct bob_fold_rename *rename;
	/* for each participant of `folded`: the number of leading events to leave out. A part must
	 * begin there, else BOB_ERR_INVAL. NULL: 0 for all. */
	const uint64_t *skip;
	/* append its events to those that earlier sources have of the same participant */
	int goes_on;
};
#define BOB_FOLD_OMIT (~0ull)
/* Merge any number of folded traces at once, each under its own names: the same bytes as merging
 * pair by pair, in less time. Errors are those of bob_folded_merge and bob_folded_rename. */
BOB_API bob_status bob_folded_merge_all(const struct bob_fold_source *from, uint32_t count,
					const struct bob_alloc *alloc, struct bob_folded **out);
/* Copy the only participant of `f` with another id. BOB_ERR_INVAL: it has more than one. */
BOB_API bob_status bob_folded_copy(const struct bob_folded *f, uint64_t id,
				   const struct bob_alloc *alloc, struct bob_folded **out);
/* --- lossy operations: none of this happens unless the caller asks --- */

/* Count the participants in which each group of shapes occurs. `group` has the group number of each
 * shape, less than the number of shapes; NULL: each shape is a group. `count` has as many elements
 * as there are shapes. */
BOB_API bob_status bob_folded_spread(const struct bob_folded *f, const uint32_t *group,
				     uint32_t *count);
/* Fold the events for which `keep` returns 1 again, so that loops that the others separated are
 * joined. `keep` gets the events in order, participant by participant, with the participant's
 * index. A participant may be left without events. */
BOB_API bob_status bob_folded_select(const struct bob_folded *f,
				     int (*keep)(void *ctx, uint32_t participant,
						 const struct bob_fold_event *event),
				     void *ctx, const struct bob_alloc *alloc,
				     struct bob_folded **out);

/* A user's folding rules: a shared object defines such a struct with the name bob_fold_plugin, for
 * `bobbin fold --fold-plugin`. NULL functions select the default. */
#define BOB_FOLD_PLUGIN_VERSION 1u
struct bob_fold_plugin {
	uint32_t version;	/* BOB_FOLD_PLUGIN_VERSION */
	uint32_t size;		/* of this struct: later versions append */
	const char *name;	/* written into traces; no spaces */
	void *ctx;
	/* For bob_folder_match: which shapes are the same. */
	bob_fold_match_fn match;
	/* For bob_folded_plug: the same event of `count` participants, whose ids are ascending.
	 * word[i] are the words of participant i; make those equal that should be united. */
	void (*merge)(void *ctx, const struct bob_fold_shape *shape, const uint64_t *id,
		      uint64_t *const *word, uint32_t count);
};
/* Fold all participants again, with the words that plugin->merge returns. It is called for each
 * event, in order, of participants that have the same sequence of shapes; participants whose
 * sequence is unique are copied. Uses up to 16 MB for each participant. BOB_ERR_INVAL: unknown
 * version. */
BOB_API bob_status bob_folded_plug(const struct bob_folded *f, const struct bob_fold_plugin *plugin,
				   const struct bob_alloc *alloc, struct bob_folded **out);

/* --- bytes --- */

/* Convert to bytes, for the caller's own transport, and back. Columns of participants that differ
 * affinely take the space of one. `write` gets the bytes in any number of consecutive pieces; after
 * a failure they are incomplete and must be discarded. */
BOB_API bob_status bob_folded_pack(const struct bob_folded *f, bob_fold_write_fn write, void *ctx);
BOB_API bob_status bob_folded_unpack(const void *bytes, size_t len, const struct bob_alloc *alloc,
				     struct bob_folded **out);

/* The differences between participants that are neither equal nor affine: `count` differences to
 * the first participant. `uses`, `trips`: how many numbers have these differences, of words and of
 * trip counts. Borrowed during the call. */
struct bob_fold_shift {
	const uint64_t *value;
	uint32_t count, uses, trips;
};
/* The same as two byte streams: shifts of more than a few bytes for which `is_apart` returns 1 go
 * to `write_apart`; for example base addresses, which are not a property of the program. Unpacking
 * needs both. */
BOB_API bob_status bob_folded_pack_apart(
	const struct bob_folded *f, int (*is_apart)(void *ctx, const struct bob_fold_shift *shift),
	bob_fold_write_fn write, bob_fold_write_fn write_apart, void *ctx);
BOB_API bob_status bob_folded_unpack_apart(const void *bytes, size_t len, const void *apart,
					   size_t apart_len, const struct bob_alloc *alloc,
					   struct bob_folded **out);

/* --- signature trees --- */

/* The call paths of one or more folded traces. Processes that merge repeatedly exchange the tree
 * once, and then folded traces without paths. Paths are numbered from 1, parents first, in an order
 * that depends only on the paths; so equal trees have equal numbers in all processes. Immutable,
 * any thread. */
struct bob_fold_tree;

/* The tree of the paths of `f`. The caller owns *out (bob_fold_tree_close), which does not refer to
 * `f`. Errors: BOB_ERR_NOMEM. */
BOB_API bob_status bob_fold_tree_of(const struct bob_folded *f, const struct bob_alloc *alloc,
				    struct bob_fold_tree **out);
/* The union of both trees, which do not change. Associative and commutative. */
BOB_API bob_status bob_fold_tree_merge(const struct bob_fold_tree *a, const struct bob_fold_tree *b,
				       const struct bob_alloc *alloc, struct bob_fold_tree **out);
BOB_API void bob_fold_tree_close(struct bob_fold_tree *t); /* NULL is allowed */
BOB_API uint32_t bob_fold_tree_count(const struct bob_fold_tree *t); /* paths */
/* As bob_folded_path. */
BOB_API int bob_fold_tree_path(const struct bob_fold_tree *t, uint32_t path, uint32_t *parent,
			       uint64_t *place);
/* The path that extends `parent` by `place`; BOB_FOLD_NO_PATH: not in the tree. */
BOB_API uint32_t bob_fold_tree_find(const struct bob_fold_tree *t, uint32_t parent, uint64_t place);
/* Convert to bytes, equal for equal trees, and back. BOB_ERR_CORRUPT, BOB_ERR_VERSION,
 * BOB_ERR_NOMEM. */
BOB_API bob_status bob_fold_tree_pack(const struct bob_fold_tree *t, bob_fold_write_fn write,
				      void *ctx);
BOB_API bob_status bob_fold_tree_unpack(const void *bytes, size_t len,
					const struct bob_alloc *alloc, struct bob_fold_tree **out);
/* As bob_folded_pack and bob_folded_unpack, without paths. Unpacking needs an equal tree; the
 * result does not refer to it. BOB_ERR_INVAL: a path of `f` is not in the tree, or the bytes belong
 * to another tree. */
BOB_API bob_status bob_folded_pack_under(const struct bob_folded *f,
					 const struct bob_fold_tree *tree, bob_fold_write_fn write,
					 void *ctx);
BOB_API bob_status bob_folded_unpack_under(const void *bytes, size_t len,
					   const struct bob_fold_tree *tree,
					   const struct bob_alloc *alloc, struct bob_folded **out);

#ifdef __cplusplus
}
#endif
#endif
