/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the memory accesses of a thread, one by one or folded to loop nests; its synchronisation
 * operations; and the variables at addresses. Ownership, threads, units and errors are those of
 * trace.h, which includes this header. */
#ifndef BOBBIN_MEMORY_H
#define BOBBIN_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "bobbin/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bob_trace;
struct bob_piece;		/* bobbin/fold.h */
struct bob_fold_at;		/* bobbin/fold.h */
struct bob_folded;		/* bobbin/fold.h */

/* --- accesses one by one --- */

enum bob_access_type {
	BOB_ACCESS_LOAD = 0,
	BOB_ACCESS_STORE = 1,
	BOB_ACCESS_ATOMIC = 2	/* a read-modify-write instruction */
};

#define BOB_ACCESS_LOST 1u	/* flag: accesses are missing just before this one */

struct bob_access {		/* fixed */
	uint64_t address;
	uint64_t pc;		/* link address in `image`; address if it is in no image */
	uint32_t image;		/* index in the process; ~0: no image (code made at run time) */
	uint16_t size;		/* bytes */
	uint8_t type;		/* enum bob_access_type */
	uint8_t flags;
};

/* How many accesses a thread has, without damaged parts. The first call reads all its records. */
BOB_API uint64_t bob_trace_accesses(const struct bob_trace *t, uint32_t thread);

/* Cursor over the accesses of one thread, in the order of execution. Its memory use does not depend
 * on their number. Errors of open: BOB_ERR_NOMEM, BOB_ERR_INVAL (no such thread), BOB_NONE (the
 * thread has no memory records). */
struct bob_access_cursor;
BOB_API bob_status bob_access_cursor_open(const struct bob_trace *t, uint32_t thread,
					  struct bob_access_cursor **out, struct bob_error *err);
/* The next accesses, at most `capacity`; BOB_OK with *count > 0. BOB_END after the last.
 * BOB_ERR_CORRUPT if something is damaged; the next call continues after it, with flag LOST. */
BOB_API bob_status bob_access_cursor_read(struct bob_access_cursor *c, struct bob_access *to,
					  size_t capacity, size_t *count, struct bob_error *err);
BOB_API void bob_access_cursor_close(struct bob_access_cursor *c); /* NULL is allowed */

/* --- synchronisation (docs/memory.md, "Synchronisation") --- */

enum bob_sync_order {
	BOB_SYNC_ORDER_NONE = 0,
	BOB_SYNC_ORDER_TURN = 1, /* number `number`, from 0, of all operations with this `order` in
				  * the process */
	BOB_SYNC_ORDER_GIVE = 2, /* increments the counter of `order` */
	BOB_SYNC_ORDER_AWAIT = 3 /* happens after the counter of `order` has reached `number` */
};

struct bob_sync_event {		/* fixed */
	uint32_t kind;		/* kind of operation: bob_sync_name */
	uint32_t rule;		/* enum bob_sync_order */
	uint64_t order;		/* identifies what is ordered */
	uint64_t object;	/* an address, the number of a thread's stream, or a team */
	uint64_t number;
};
/* "lock", "at barrier", ...; "" for an unknown kind. */
BOB_API const char *bob_sync_name(uint32_t kind);
/* Make bob_access_cursor_read also stop at synchronisation operations of the thread: it returns
 * BOB_NONE with a *count of 0, and bob_access_cursor_sync describes the operation. With `only`,
 * accesses are skipped. */
BOB_API void bob_access_cursor_stop_at_syncs(struct bob_access_cursor *c, int only);
BOB_API void bob_access_cursor_sync(const struct bob_access_cursor *c, struct bob_sync_event *sync);
/* The `order` whose counter the end of a thread increments, for operations that await it. */
BOB_API uint64_t bob_trace_end_order(const struct bob_trace *t, uint32_t thread);

/* --- marks of events with values --- */

/* Positions of the thread's events with values, such as calls of MPI, among its accesses: the n-th
 * of these marks is the n-th event. */
enum bob_value_mark {
	BOB_VALUE_WHOLE = 1,	/* an event during which nothing was recorded */
	BOB_VALUE_BEGIN = 2,	/* accesses up to END happened during it */
	BOB_VALUE_END = 3,
	BOB_VALUE_NO_MARK = 4	/* `count` events have no mark */
};
struct bob_value_place {	/* fixed */
	uint32_t kind;		/* enum bob_value_mark */
	uint32_t what;		/* WHOLE, BEGIN: kind of event; MPI: number of the function */
	uint64_t count;		/* NO_MARK */
};
/* The same as bob_access_cursor_stop_at_syncs, for these marks. *place is the mark at which reading
 * stopped; bob_access_cursor_value returns 0 if it was synchronisation instead. */
BOB_API void bob_access_cursor_stop_at_values(struct bob_access_cursor *c);
BOB_API int bob_access_cursor_value(const struct bob_access_cursor *c,
				    struct bob_value_place *place);

/* --- debug information of an access --- */

enum bob_place_kind {
	BOB_PLACE_NONE = 0,	/* unknown */
	/* accessed through the pointer, reference or array `name`: "a[]", "p->n" */
	BOB_PLACE_POINTER = 1,
	BOB_PLACE_LOCAL = 2,	/* a variable in the function's frame */
	/* the function's frame, but not a variable: saved registers, temporaries */
	BOB_PLACE_STACK = 3,
	/* the frame, with an index; `name` only if all addresses are within that variable */
	BOB_PLACE_INDEXED = 4,
	BOB_PLACE_THREAD = 5,	/* the image's thread-local variables; `name` is one of them */
	/* the same with an index; `name` only if all addresses are within that variable */
	BOB_PLACE_THREAD_INDEXED = 6
};

struct bob_place {		/* fixed */
	uint32_t kind;		/* enum bob_place_kind */
	const char *name;	/* "" if none */
	/* LOCAL, STACK: the address minus the canonical frame address; INDEXED: that of the
	 * variable; THREAD, THREAD_INDEXED: the same in the image's thread-local block */
	int64_t frame;
	uint64_t size;		/* INDEXED, THREAD_INDEXED: size of the variable */
};

/* The source line of an instruction, and the places that its loads and stores (including atomics)
 * refer to. */
struct bob_source_line {	/* sized */
	const char *file;	/* "" if unknown */
	uint32_t line;		/* 0: unknown */
	struct bob_place load, store;
};

/* Source line of the instruction at link address `pc`. BOB_NONE: it has no debug information. */
BOB_API bob_status bob_trace_source_sized(const struct bob_trace *t, uint32_t process,
					  uint32_t image, uint64_t pc, struct bob_source_line *out,
					  size_t out_size);
static inline bob_status bob_trace_source(const struct bob_trace *t, uint32_t process,
					  uint32_t image, uint64_t pc, struct bob_source_line *out)
{
	return bob_trace_source_sized(t, process, image, pc, out, sizeof(*out));
}
/* A function that is inlined, and where it is called. Texts are borrowed from the trace. */
struct bob_inlined_frame {	/* fixed */
	const char *function;	/* its linkage name, else its qualified name; "" if unknown */
	const char *file;	/* of the call; "" if unknown */
	uint32_t line;		/* of the call; 0: unknown */
};

/* The inlined functions that contain the instruction at link address `pc`, innermost first. Each is
 * called in the next one; the last one in the function of bob_trace_function_at. So the line of
 * bob_trace_source is in the first one. Returns their number, at most 255, and stores at most
 * `capacity` of them. 0: none, or no debug information. */
BOB_API uint32_t bob_trace_inlined(const struct bob_trace *t, uint32_t process, uint32_t image,
				   uint64_t pc, struct bob_inlined_frame *to, uint32_t capacity);
/* Whether there is source information for any image of the process. */
BOB_API int bob_trace_has_source(const struct bob_trace *t, uint32_t process);

/* A static variable of an image, or a section where no variable is known. */
struct bob_object {		/* sized */
	const char *name;
	uint64_t address, size;	/* address in the process */
	uint32_t image;
	int is_section;		/* no variable is known there */
};

/* The object at `address` in the process. BOB_NONE: unknown. */
BOB_API bob_status bob_trace_object_sized(const struct bob_trace *t, uint32_t process,
					  uint64_t address, struct bob_object *out,
					  size_t out_size);
static inline bob_status bob_trace_object(const struct bob_trace *t, uint32_t process,
					  uint64_t address, struct bob_object *out)
{
	return bob_trace_object_sized(t, process, address, out, sizeof(*out));
}
/* The largest range around `address` with the same result of bob_trace_object: *lo <= address <
 * *hi. */
BOB_API void bob_trace_object_span(const struct bob_trace *t, uint32_t process, uint64_t address,
				   uint64_t *lo, uint64_t *hi);

/* --- variables of instrumented sources (docs/source.md) --- */

#define BOB_SHAPE_DIMENSIONS_MAX 15u

/* A variable, and its element at an address. Dimensions are ordered from the fastest varying
 * one. */
struct bob_shape {		/* sized */
	const char *name;	/* "" if unknown */
	uint64_t address;	/* of its first element */
	uint32_t image;		/* in the process; ~0: unknown */
	uint32_t element;	/* bytes */
	uint32_t rank;		/* dimensions; 0: a scalar */
	int rows_first;		/* the source writes the fastest dimension last, as in C */
	/* Number of different bounds that it had, over time or in several places. `bounds` has the
	 * largest ones. */
	uint32_t variants;
	/* subscripts of elements depend on the bounds, or there are 16 variants and perhaps more */
	int varies;
	const int64_t (*bounds)[2]; /* lower bound and extent of each dimension; borrowed */
	uint64_t elements;
	uint64_t number;	/* of the element that contains the address, from 0 */
	uint32_t offset;	/* of the address within the element, bytes */
	/* number < elements, and `subscript` is valid. If neither this nor `before` is set, the
	 * address is after the variable, in storage that it shares. */
	int inside;
	/* the address is before the variable: `offset` bytes into the number-th element before the
	 * first one */
	int before;
	int64_t subscript[BOB_SHAPE_DIMENSIONS_MAX];
};

/* BOB_NONE: no variable with known bounds is there. */
BOB_API bob_status bob_trace_shape_sized(const struct bob_trace *t, uint32_t process,
					 uint64_t address, struct bob_shape *out, size_t out_size);
static inline bob_status bob_trace_shape(const struct bob_trace *t, uint32_t process,
					 uint64_t address, struct bob_shape *out)
{
	return bob_trace_shape_sized(t, process, address, out, sizeof(*out));
}
/* The variable number `index`, ordered by address, and its first element; `element` is 0 if its
 * address belongs to another object. BOB_NONE: the index is out of range. */
BOB_API bob_status bob_trace_shape_at_sized(const struct bob_trace *t, uint32_t process,
					    uint32_t index, struct bob_shape *out, size_t out_size);
static inline bob_status bob_trace_shape_at(const struct bob_trace *t, uint32_t process,
					    uint32_t index, struct bob_shape *out)
{
	return bob_trace_shape_at_sized(t, process, index, out, sizeof(*out));
}

/* --- folded accesses: bobbin/fold.h --- */

/* The folded accesses of a thread, which is participant *participant; NULL: none. Accesses that a
 * killed process had not folded yet are missing (bob_access_cursor has them). */
BOB_API const struct bob_folded *bob_trace_folded(const struct bob_trace *t, uint32_t thread,
						  uint32_t *participant);
/* Whether they include all accesses of the thread. 0: some are raw, or it has none. */
BOB_API int bob_trace_all_folded(const struct bob_trace *t, uint32_t thread);

#define BOB_LEAF_NO_WORD 0xffu

/* An access of a leaf: at word + offset, or at link address `offset` of its image. */
struct bob_leaf_access {	/* fixed */
	int64_t offset;
	uint64_t pc;
	uint16_t size;
	uint8_t type;		/* enum bob_access_type */
	uint8_t word;		/* or BOB_LEAF_NO_WORD */
	uint8_t guarded;	/* happens conditionally */
	int64_t step;		/* LOOP: increment from one iteration to the next ... */
	uint8_t step_word;	/* ... plus this word times step_scale */
	uint8_t step_scale;
};

enum bob_leaf_kind {
	BOB_LEAF_BLOCK = 1,	/* happens once */
	BOB_LEAF_LOOP = 2,	/* n times: (last word - word[counter]) / counter_step */
	BOB_LEAF_MARK = 3,	/* no accesses */
	/* no accesses; the next ones (its word is their number) repeat earlier ones and do not
	 * count */
	BOB_LEAF_AGAIN = 4,
	BOB_LEAF_SYNC = 5,	/* no accesses; its words: the object, optionally a number */
	BOB_LEAF_VALUES = 6	/* no accesses; an event with values, see `value` */
};

struct bob_leaf {		/* sized */
	uint32_t image;		/* ~0: in no image */
	uint32_t kind;		/* enum bob_leaf_kind */
	uint32_t words;
	uint32_t counter;
	int64_t counter_step;
	uint64_t pc;		/* of the first instruction */
	uint32_t accesses;
	uint32_t sync;		/* SYNC: kind of operation, see bob_sync_name */
	uint32_t value;		/* VALUES: enum bob_value_mark; the word of NO_MARK is its count */
	uint32_t value_what;	/* VALUES: as in bob_value_place.what */
	/* at the first instruction, the stack pointer is this word + sp_begin; or
	 * BOB_LEAF_NO_WORD */
	uint32_t sp_word;
	int32_t sp_begin;
};

/* What a shape of bob_trace_folded represents. At most `capacity` accesses are written to `to`,
 * which may be NULL. BOB_NONE: no such shape, or it is unknown. */
BOB_API bob_status bob_trace_leaf_sized(const struct bob_trace *t, uint32_t thread, uint32_t shape,
					struct bob_leaf *leaf, size_t leaf_size,
					struct bob_leaf_access *to, size_t capacity);
static inline bob_status bob_trace_leaf(const struct bob_trace *t, uint32_t thread, uint32_t shape,
					struct bob_leaf *leaf, struct bob_leaf_access *to,
					size_t capacity)
{
	return bob_trace_leaf_sized(t, thread, shape, leaf, sizeof(*leaf), to, capacity);
}

/* The addresses (without `offset`) of an access of a LOOP leaf, over all iterations, as one piece:
 * `word` with one more loop, the innermost. `word` is the piece of the access's word; `begin` and
 * `end` are the pieces of words `counter` and `words`; `by` is that of `step_word`, or NULL.
 * Returns 0 if they do not combine. Of `leaf` it uses no member after sp_begin. */
BOB_API int bob_leaf_iterations(const struct bob_leaf *leaf, const struct bob_leaf_access *a,
				const struct bob_piece *word, const struct bob_piece *begin,
				const struct bob_piece *end, const struct bob_piece *by,
				struct bob_piece *out);

/* The folded accesses of a thread one by one, each with its shape and the loops around it. Accesses
 * that a killed process had not yet folded are missing. Threads: one cursor, one thread.
 * Errors of open: BOB_ERR_NOMEM, BOB_ERR_INVAL (no such thread), BOB_NONE (nothing is folded). */
struct bob_loop_cursor;
BOB_API bob_status bob_loop_cursor_open(const struct bob_trace *t, uint32_t thread,
					struct bob_loop_cursor **out, struct bob_error *err);
/* BOB_END after the last. BOB_ERR_CORRUPT if something is damaged; final. */
BOB_API bob_status bob_loop_cursor_next(struct bob_loop_cursor *c, struct bob_access *a,
					uint32_t *shape, struct bob_error *err);
/* The same as bob_fold_cursor_loops, for the access returned last. */
BOB_API uint32_t bob_loop_cursor_loops(const struct bob_loop_cursor *c, struct bob_fold_at *to,
				       uint32_t capacity);
BOB_API void bob_loop_cursor_close(struct bob_loop_cursor *c); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
