/* SPDX-License-Identifier: BSD-3-Clause */
/* The folding library: sequences of events that carry values, folded losslessly while they come in,
 * and read, merged and expanded on the folded form. docs/fold.md says how it works and what it
 * costs.
 *
 * An event is a *leaf*: a *shape* (what happened where: a key of your own and the call path, its
 * *signature*) and a few *words*, the values. Only shapes take part in finding loops; each word of
 * each shape is a column of its own, kept as nested affine pieces where it is affine.
 *
 * Nothing here allocates behind your back, calls libc (but memcpy, memmove, memset, memcmp) or
 * keeps globals: a folder runs in memory that you give it, a reader takes an allocator. Errors are
 * bob_status; hostile bytes give BOB_ERR_CORRUPT. */
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
#define BOB_FOLD_NO_PATH 0u	/* the signature of no calls */

struct bob_fold_shape {
	const uint8_t *key;
	size_t key_len;
	uint32_t path;
	uint32_t words;
};

/* --- folding --- */

/* Folds one sequence. Threads: one folder, one thread. */
struct bob_folder;

/* The bytes that `write` got so far, followed by those of bob_folder_rest, are the sequence so
 * far. */
typedef void (*bob_fold_write_fn)(void *ctx, const void *bytes, size_t len);

/* Address space of a folder: a bound of what it uses; regular sequences touch little of it. */
BOB_API size_t bob_folder_size(void);
/* `mem` is bob_folder_size() zeroed bytes, aligned to 64, and yours; there is no close. */
BOB_API struct bob_folder *bob_folder_begin(void *mem, bob_fold_write_fn write, void *ctx);

/* A call path: `parent` (BOB_FOLD_NO_PATH at first) and the place of one call more. Recursion is
 * folded: a path that would end in the same places twice is the shorter one. BOB_ERR_FULL: see
 * bob_folder_again. */
BOB_API bob_status bob_folder_path(struct bob_folder *f, uint32_t parent, uint64_t place,
				   uint32_t *path);
/* The shape of this key and path, whose leaves have `words` words; a new one if there is none yet.
 * Keep the number: this is slower than putting. BOB_ERR_INVAL: too many words or bytes, or the
 * shape has another number of words. BOB_ERR_FULL. */
BOB_API bob_status bob_folder_shape(struct bob_folder *f, const void *key, size_t key_len,
				    uint32_t path, uint32_t words, uint32_t *shape);
/* One event; `word` are as many as its shape says. `shape` is not checked in release builds.
 * Budget: <= 8 ns a word where the sequence is regular, <= 40 where it is random
 * (bench/fold/bench_folder.c). */
BOB_API void bob_folder_put(struct bob_folder *f, uint32_t shape, const uint64_t *word);
/* `count` events of one shape, one after the other. The first `steps` words of the shape change
 * from one event to the next by step[w] and begin with word[w]; its other words lie one after the
 * other in `more`, those of an event together. As if they were put one by one, but cheaper. */
BOB_API void bob_folder_put_row(struct bob_folder *f, uint32_t shape, const uint64_t *word,
				const uint64_t *step, uint32_t steps, const uint64_t *more,
				size_t count);
/* Events of this shape, which have one word, are told by `mark`, not 0, until the folder begins
 * anew. */
BOB_API void bob_folder_mark(struct bob_folder *f, uint32_t shape, uint64_t mark);
/* `count` events of one word, as pairs: a number that is the shape's mark if the bits of `with` are
 * set in it, too, and the word. They are put as far as marks are known and no row of
 * BOB_FOLD_ROW_MIN of one mark begins: returns how many, perhaps none. As if put one by one, but
 * cheaper: what comes is compared with what is expected. A mark may have to be said again when it
 * was not seen for long. */
#define BOB_FOLD_ROW_MIN 8
BOB_API size_t bob_folder_put_marked(struct bob_folder *f, const uint64_t *pair, size_t count,
				     uint64_t with);
/* What completes the bytes given so far goes to `write`; the folder goes on as before. So a crash
 * costs what came after the newest copy of it that you kept. */
BOB_API void bob_folder_rest(struct bob_folder *f, bob_fold_write_fn write, void *ctx);
/* Ends the sequence; what is left goes to the folder's own `write`. */
BOB_API void bob_folder_end(struct bob_folder *f);
/* When there is no room for more shapes or paths: ends what there is and begins anew behind it, in
 * the same memory. Shapes and paths have to be made again; readers see one sequence. */
BOB_API void bob_folder_again(struct bob_folder *f);
/* Loss, off unless you ask for it: each value of word `word` of this shape comes back no farther
 * from what was put than `within` (at most 2^62), and with the same top bit. It is what its column
 * predicts, if that is near enough; else where the step from the last value is divisible by the
 * largest power of two; in a column that is given up, where the value itself is. Ask again after
 * bob_folder_again. BOB_ERR_INVAL: no such shape or word, or too much. */
BOB_API bob_status bob_folder_tolerate(struct bob_folder *f, uint32_t shape, uint32_t word,
				       uint64_t within);
/* Loss as you define it: from now on, a key and path that are new are held against the shapes of as
 * many words that are there, the oldest first; the first one for which `match` returns 1 is their
 * shape. So it is asked once for a key and path. NULL: no more. It survives bob_folder_again. */
typedef int (*bob_fold_match_fn)(void *ctx, const struct bob_fold_shape *known,
				 const struct bob_fold_shape *fresh);
BOB_API void bob_folder_match(struct bob_folder *f, bob_fold_match_fn match, void *ctx);
BOB_API uint64_t bob_folder_events(const struct bob_folder *f);
/* Columns so far: bob_folder_rest takes about 0.3 us for each. */
BOB_API uint32_t bob_folder_columns(const struct bob_folder *f);

/* --- reading --- */

/* Like realloc: `old` is NULL for a new block, `size` 0 frees; NULL where there is no memory. */
struct bob_alloc {
	void *(*resize)(void *ctx, void *old, size_t old_size, size_t size);
	void *ctx;
};

/* The folded sequences of one or more *participants* (threads, ranks). Immutable, any thread. */
struct bob_folded;

/* `bytes` are what a folder wrote. They are copied. *out is yours (bob_folded_close). `id` is the
 * participant's. BOB_ERR_CORRUPT, BOB_ERR_NOMEM. */
BOB_API bob_status bob_folded_open(const void *bytes, size_t len, uint64_t id,
				   const struct bob_alloc *alloc, struct bob_folded **out);
BOB_API void bob_folded_close(struct bob_folded *f); /* NULL is allowed */

BOB_API uint32_t bob_folded_count(const struct bob_folded *f); /* participants */
/* Ids with the same upper half, of a process's threads say, may well differ from others by the
 * same. */
BOB_API uint64_t bob_folded_id(const struct bob_folded *f, uint32_t participant);
BOB_API uint64_t bob_folded_events(const struct bob_folded *f, uint32_t participant);

BOB_API uint32_t bob_folded_shapes(const struct bob_folded *f);
/* What it points to lives as long as `f`. */
BOB_API void bob_folded_shape(const struct bob_folded *f, uint32_t shape,
			      struct bob_fold_shape *out);
/* The last place of a path and the path before it; 0 for BOB_FOLD_NO_PATH. */
BOB_API int bob_folded_path(const struct bob_folded *f, uint32_t path, uint32_t *parent,
			    uint64_t *place);

/* --- looking at it without expanding --- */

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

/* The pairs of a piece with fewer dimensions are the first ones, so adding a loop moves nothing. */
static inline unsigned bob_piece_pair(unsigned d, unsigned e)
{
	return e * (e - 1) / 2 + d;
}

/* A participant has one part, or more if its folder began anew. */
BOB_API uint32_t bob_folded_parts(const struct bob_folded *f, uint32_t participant);
/* Does a part begin behind the participant's first `events`? At the end of all it does. */
BOB_API int bob_folded_parted(const struct bob_folded *f, uint32_t participant, uint64_t events);

/* Items: 2 * shape, or 2 * loop + 1. A loop's body is of earlier loops and shapes. */
BOB_API uint32_t bob_folded_loops(const struct bob_folded *f);
BOB_API const uint32_t *bob_folded_body(const struct bob_folded *f, uint32_t loop, uint32_t *len);
/* The items of the spine, in order; `visit` returns 0 to go on. */
BOB_API bob_status bob_folded_spine(const struct bob_folded *f, uint32_t participant, uint32_t part,
				    int (*visit)(void *ctx, uint32_t item), void *ctx);
/* The pieces of a column: word `word` of an item that is a shape, or the trip counts of one that is
 * a loop. *left is 1 if values that are not affine follow them. Patterns are repeated: stop when it
 * is enough. BOB_NONE: the part has no such column. */
BOB_API bob_status bob_folded_pieces(const struct bob_folded *f, uint32_t participant,
				     uint32_t part, uint32_t item, uint32_t word,
				     int (*visit)(void *ctx, const struct bob_piece *p), void *ctx,
				     int *left);

/* How often each shape comes and how many iterations each loop has, all runs together: `shape` has
 * room for all shapes, `loop` for all loops. BOB_ERR_CORRUPT. */
BOB_API bob_status bob_folded_counts(const struct bob_folded *f, uint32_t participant,
				     uint32_t part, uint64_t *shape, uint64_t *loop);
/* The sum of a piece's values, modulo 2^64. BOB_ERR_CORRUPT: it has more rows of different length
 * than any folder makes. */
BOB_API bob_status bob_piece_sum(const struct bob_piece *p, uint64_t *sum);

/* --- expanding --- */

struct bob_fold_event {
	uint32_t shape;
	uint32_t words;
	const uint64_t *word;	/* valid until the next call */
};

/* One participant's events, in order, without making them all. Threads: one. */
struct bob_fold_cursor;

BOB_API bob_status bob_fold_cursor_open(const struct bob_folded *f, uint32_t participant,
					struct bob_fold_cursor **out);
BOB_API void bob_fold_cursor_close(struct bob_fold_cursor *c); /* NULL is allowed */
/* BOB_END after the last. BOB_ERR_CORRUPT: the bytes promise more than they hold. */
BOB_API bob_status bob_fold_cursor_next(struct bob_fold_cursor *c, struct bob_fold_event *event);

/* A loop that the event given last is in: its iteration, from 0, and how many there are of this
 * run. */
struct bob_fold_at {
	uint32_t loop;
	uint32_t reserved;
	uint64_t iteration, trips;
};
/* These loops, the outermost first, `room` of them at most; how many there are. */
BOB_API uint32_t bob_fold_cursor_loops(const struct bob_fold_cursor *c, struct bob_fold_at *to,
				       uint32_t room);

/* --- merging --- */

/* All participants of `a` and `b`, which stay as they are; an id must not be in both. A pure
 * function: whatever is merged with what first, the same participants give the same bytes. */
BOB_API bob_status bob_folded_merge(const struct bob_folded *a, const struct bob_folded *b,
				    const struct bob_alloc *alloc, struct bob_folded **out);
/* What is called otherwise elsewhere; NULL: as it is. Merge what is of one program, but numbered by
 * each process for itself, after giving it common names. */
struct bob_fold_rename {
	uint64_t (*id)(void *ctx, uint64_t id); /* of a participant; their order must stay */
	/* `to` has room for BOB_FOLD_KEY_MAX bytes. */
	bob_status (*key)(void *ctx, const uint8_t *key, size_t len, uint8_t *to, size_t *to_len);
	uint64_t (*place)(void *ctx, uint64_t place); /* of a call path */
	void *ctx;
};
/* BOB_ERR_INVAL: two keys of one path, or two places, would be the same, or participants change
 * their order. */
BOB_API bob_status bob_folded_rename(const struct bob_folded *f,
				     const struct bob_fold_rename *rename,
				     const struct bob_alloc *alloc, struct bob_folded **out);
/* Any number of traces at once, each under its own names (NULL: as they are): the same bytes as
 * pair by pair, in less time. Errors as of these two. */
struct bob_fold_source {
	const struct bob_folded *folded;
	const struct bob_fold_rename *rename; /* what its `id` calls BOB_FOLD_NOBODY is left out */
	/* By participant of `folded`: so many events at the beginning are left out. A part must
	 * begin there (BOB_ERR_INVAL: none does). NULL: nothing is. */
	const uint64_t *behind;
	/* what it has of a participant comes behind what sources before it have of it */
	int goes_on;
};
#define BOB_FOLD_NOBODY (~0ull)
BOB_API bob_status bob_folded_merge_all(const struct bob_fold_source *from, uint32_t count,
					const struct bob_alloc *alloc, struct bob_folded **out);
/* The one participant of `f` under another id. BOB_ERR_INVAL: it has more than one. */
BOB_API bob_status bob_folded_copy(const struct bob_folded *f, uint64_t id,
				   const struct bob_alloc *alloc, struct bob_folded **out);
/* --- giving up something: none of this happens unless you call it --- */

/* In how many participants each group of shapes comes. `group` has a number for each shape, below
 * that of the shapes; NULL: each is one of its own. `count` has room for as many as there are
 * shapes. */
BOB_API bob_status bob_folded_spread(const struct bob_folded *f, const uint32_t *group,
				     uint32_t *count);
/* The events for which `keep` returns 1, folded anew: what was apart only because of the others is
 * together. Events come in order, one participant after the other, its place among the participants
 * with each. A participant may be left without events. */
BOB_API bob_status bob_folded_select(const struct bob_folded *f,
				     int (*keep)(void *ctx, uint32_t participant,
						 const struct bob_fold_event *event),
				     void *ctx, const struct bob_alloc *alloc,
				     struct bob_folded **out);

/* How someone wants to fold: a shared object has such a struct under the name bob_fold_plugin, for
 * `bobbin fold --fold-plugin`. What is NULL is done as always. */
#define BOB_FOLD_PLUGIN_VERSION 1u
struct bob_fold_plugin {
	uint32_t version;	/* BOB_FOLD_PLUGIN_VERSION */
	uint32_t size;		/* of this struct: later versions append */
	const char *name;	/* it is written into traces; without spaces */
	void *ctx;
	/* Of bob_folder_match: which shapes are one. */
	bob_fold_match_fn match;
	/* Of bob_folded_plug: the same event of `count` participants, whose ids are ascending.
	 * word[i] are the words of participant i; change what is to be united. */
	void (*merge)(void *ctx, const struct bob_fold_shape *shape, const uint64_t *id,
		      uint64_t *const *word, uint32_t count);
};
/* All participants again, with what plugin->merge makes of their words. It is called for the events
 * of those participants that have the same shapes in the same order, all of their events, in order;
 * for nobody who is alone with what he does. Takes up to 16 MB for each participant. BOB_ERR_INVAL:
 * a version that is not known. */
BOB_API bob_status bob_folded_plug(const struct bob_folded *f, const struct bob_fold_plugin *plugin,
				   const struct bob_alloc *alloc, struct bob_folded **out);

/* --- bytes --- */

/* To bytes, for your own transport, and back. Columns of participants that differ affinely take the
 * room of one. Bytes come in any number of pieces, one behind the other; if it fails, those that
 * came are worth nothing. */
BOB_API bob_status bob_folded_pack(const struct bob_folded *f, bob_fold_write_fn write, void *ctx);
BOB_API bob_status bob_folded_unpack(const void *bytes, size_t len, const struct bob_alloc *alloc,
				     struct bob_folded **out);

/* How participants differ in something that is neither equal nor affine: less the first one's,
 * `values` are its `count` values. `uses`, `trips`: in how many numbers they differ so, of words
 * and of trip counts. */
struct bob_fold_shift {
	const uint64_t *value;
	uint32_t count, uses, trips;
};
/* The same in two rows of bytes: shifts of more than a few bytes that `is_apart` returns 1 for go
 * to `write_apart`. Base addresses, for instance, which say nothing about the program. Unpacking
 * needs both. */
BOB_API bob_status bob_folded_pack_apart(
	const struct bob_folded *f, int (*is_apart)(void *ctx, const struct bob_fold_shift *shift),
	bob_fold_write_fn write, bob_fold_write_fn write_apart, void *ctx);
BOB_API bob_status bob_folded_unpack_apart(const void *bytes, size_t len, const void *apart,
					   size_t apart_len, const struct bob_alloc *alloc,
					   struct bob_folded **out);

/* --- signature trees --- */

/* Call paths alone, of one folded trace or many: sides that merge send each other these once, and
 * folded traces without paths as often as they like. Paths are numbered from 1, parents before what
 * goes on from them, in an order that depends on nothing but the paths; so in one tree the same
 * path is the same number on all sides. Immutable, any thread. */
struct bob_fold_tree;

/* The paths of `f`. *out is yours (bob_fold_tree_close), and needs `f` no more. BOB_ERR_NOMEM. */
BOB_API bob_status bob_fold_tree_of(const struct bob_folded *f, const struct bob_alloc *alloc,
				    struct bob_fold_tree **out);
/* All paths of both, which stay as they are. A pure function of the paths, whatever is merged
 * first. */
BOB_API bob_status bob_fold_tree_merge(const struct bob_fold_tree *a, const struct bob_fold_tree *b,
				       const struct bob_alloc *alloc, struct bob_fold_tree **out);
BOB_API void bob_fold_tree_close(struct bob_fold_tree *t); /* NULL is allowed */
BOB_API uint32_t bob_fold_tree_count(const struct bob_fold_tree *t); /* paths */
/* As bob_folded_path. */
BOB_API int bob_fold_tree_path(const struct bob_fold_tree *t, uint32_t path, uint32_t *parent,
			       uint64_t *place);
/* The path that goes on from `parent` to `place`; BOB_FOLD_NO_PATH: there is none. */
BOB_API uint32_t bob_fold_tree_find(const struct bob_fold_tree *t, uint32_t parent, uint64_t place);
/* To bytes, equal for equal trees, and back. BOB_ERR_CORRUPT, BOB_ERR_VERSION, BOB_ERR_NOMEM. */
BOB_API bob_status bob_fold_tree_pack(const struct bob_fold_tree *t, bob_fold_write_fn write,
				      void *ctx);
BOB_API bob_status bob_fold_tree_unpack(const void *bytes, size_t len,
					const struct bob_alloc *alloc, struct bob_fold_tree **out);
/* As bob_folded_pack and bob_folded_unpack, without paths: unpacking needs an equal tree, and what
 * comes out needs none. BOB_ERR_INVAL: a path of `f` is not in the tree; the bytes are of another
 * tree. */
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
