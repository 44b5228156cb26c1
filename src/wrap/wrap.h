/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrappers made from a list of C prototypes: docs/wrap.md. A spec is read and held against C's
 * grammar, each function in it is given a way of coming between (by the caller, who knows the
 * program), and C is written that a plain compiler turns into a library.
 *
 * Threads: a spec belongs to one thread. errno is not used. A spec is hostile: its size, its depth
 * and the number of things in it are bounded (below), and nothing in it is executed here. */
#ifndef BOB_WRAP_WRAP_H
#define BOB_WRAP_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/host/embed.h"
#include "bobbin/status.h"

#define BOB_WRAP_SPEC_MAX (1u << 20)	/* bytes */
#define BOB_WRAP_FUNCTIONS_MAX 4096u
#define BOB_WRAP_PARAMETERS_MAX 127u
#define BOB_WRAP_DEPTH_MAX 64u		/* declarators in one another */
#define BOB_WRAP_NAME_MAX 255u

/* What is known of a type from its words alone. */
enum bob_wrap_kind {
	BOB_WRAP_VOID,
	BOB_WRAP_INT,		/* of at most 64 bits, enumerations */
	BOB_WRAP_REAL,
	BOB_WRAP_COMPLEX,
	BOB_WRAP_POINTER,
	BOB_WRAP_TEXT,		/* `string` */
	BOB_WRAP_NAMED,		/* a name that the include section defines: the compiler knows */
	BOB_WRAP_OTHER		/* struct, union, 128 bits, va_list: passed on, not recorded */
};

/* A type around a name; arrays and functions that are parameters are pointers already. */
struct bob_wrap_type {
	const char *before, *after;
	enum bob_wrap_kind kind;
	bool is_long_double;	/* of more than 64 bits */
};

struct bob_wrap_parameter {
	struct bob_wrap_type type;
	const char *name;	/* never NULL: numbered where the spec has none */
	bool is_recorded;	/* false: no number, or does not fit in an event */
};

enum bob_wrap_block { BOB_WRAP_BEFORE, BOB_WRAP_AFTER, BOB_WRAP_AROUND, BOB_WRAP_BLOCKS };

/* How calls are come between; chosen by the caller (bob_wrap_choose) before anything is written. */
enum bob_wrap_how {
	BOB_WRAP_PRELOAD,	/* a library that is loaded before those that define it */
	/* in a library, too, which has the function's first instructions changed */
	BOB_WRAP_PATCH,
	BOB_WRAP_LINK,		/* linked into the program, with -Wl,--wrap */
	BOB_WRAP_LEAVE		/* not at all */
};

struct bob_wrap_function {
	const char *name;	/* of C */
	const char *symbol;	/* of the linker: the same but for an asm label */
	uint32_t line, column;	/* in the spec, from 1 */
	const char *middle;	/* between name and parameter list; `result` goes around all */
	struct bob_wrap_type result;
	struct bob_wrap_parameter *parameters;
	uint32_t parameter_count;
	bool is_open;		/* `...`, or () which says nothing */
	/* one of MPI's: recorded by the recorder of MPI; a wrapper has only its blocks */
	bool is_mpi;
	const char *block[BOB_WRAP_BLOCKS]; /* with its braces; NULL: none */
	uint32_t block_line[BOB_WRAP_BLOCKS];
	uint32_t when_token;	/* of the reader alone */
	/* calls of which it is not true are not recorded (archive/events/predicate.h); NULL: all
	 * are */
	const char *when;
	const char *event;	/* of bob_event_register: name ... */
	/* ... and parameters; a `?` in place of a type: the compiler knows */
	const char *event_parameters;
	bool is_result_recorded;
	uint32_t left_out;	/* number of parameters that did not fit in the event */
	enum bob_wrap_how how;
	uint64_t address;	/* BOB_WRAP_PATCH: its link address in `program` */
};

struct bob_wrap_include {
	const char *text;
	uint32_t line;		/* of its first line */
};

struct bob_wrap_pool;
struct bob_wrap_spec {
	const char *name;	/* of its file */
	struct bob_wrap_include *includes;
	uint32_t include_count;
	struct bob_wrap_function *functions;
	uint32_t function_count;
	/* BOB_WRAP_PATCH: its path, as /proc/self/exe says it; lives as long as the spec is used */
	const char *program;
	struct bob_wrap_pool *pool; /* all of it lives there */
};

/* One printable line, "file:line:column: what was expected". */
struct bob_wrap_complaint {
	char text[512];
};

/* `name` is the file's, for complaints. On BOB_OK *out belongs to the caller (bob_wrap_spec_close);
 * else it is untouched and `why` says what is wrong. Errors: BOB_ERR_CORRUPT, BOB_ERR_UNSUPPORTED
 * (a function that cannot be wrapped), BOB_ERR_FULL (a bound), BOB_ERR_NOMEM. */
bob_status bob_wrap_spec_read(const char *text, size_t len, const char *name,
			      struct bob_wrap_spec **out, struct bob_wrap_complaint *why);
/* Sets how calls of `f` are come between, and what its event has, which depends on it.
 * BOB_ERR_NOMEM. */
bob_status bob_wrap_choose(struct bob_wrap_spec *s, struct bob_wrap_function *f,
			   enum bob_wrap_how how);
static inline bool bob_wrap_has_blocks(const struct bob_wrap_function *f)
{
	return f->block[BOB_WRAP_BEFORE] || f->block[BOB_WRAP_AFTER] || f->block[BOB_WRAP_AROUND];
}

/* Is it passed on by a stub, and not by C? */
static inline bool bob_wrap_has_stub(const struct bob_wrap_function *f)
{
	return f->is_open || (f->how == BOB_WRAP_PATCH && !bob_wrap_has_blocks(f));
}

/* Is it passed on by C, which a stub calls? */
static inline bool bob_wrap_is_called(const struct bob_wrap_function *f)
{
	return !f->is_open && f->how == BOB_WRAP_PATCH && bob_wrap_has_blocks(f);
}

void bob_wrap_spec_close(struct bob_wrap_spec *s); /* NULL is allowed */

/* How a value of the type lies in a register or on the stack, as BOB_TYPE of wrapper.h says it: b h
 * i l signed, B H I L unsigned of 1 to 8 bytes, f d x real, p a pointer, s `string`. 0: the words
 * do not say. */
char bob_wrap_letter(const struct bob_wrap_type *t);

/* Why a function of this name is never wrapped; NULL: it may be. */
const char *bob_wrap_refusal(const char *symbol);

/* The C source of the wrappers of one library: all that are BOB_WRAP_LINK, or (`linked` false)
 * those that are preloaded or patched. `file` is the name it will have, for #line; `how_to` one
 * line on building it. Failures are the stream's. */
void bob_wrap_write(const struct bob_wrap_spec *s, bool linked, const char *file,
		    const char *how_to, FILE *out);

/* The headers that go beside it, by their paths there; NULL ends the list. */
extern const struct bob_embedded bob_wrap_headers[];
/* Specs that are there, by their names. */
extern const struct bob_embedded bob_wrap_specs[];

#endif
