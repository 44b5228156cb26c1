/* SPDX-License-Identifier: BSD-3-Clause */
/* Generator of wrappers from a list of C prototypes: docs/wrap.md. A spec is parsed by C's grammar;
 * the caller, who knows the program, chooses how each function is intercepted; then C source is
 * written that a plain compiler turns into a library.
 *
 * Threads: a spec belongs to one thread. errno is not used. Specs are untrusted: size, nesting
 * depth and number of items are bounded (below), and nothing in a spec is executed here. */
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
#define BOB_WRAP_DEPTH_MAX 64u		/* nesting depth of declarators */
#define BOB_WRAP_NAME_MAX 255u

/* Kind of a type, as far as its words alone determine it. */
enum bob_wrap_kind {
	BOB_WRAP_VOID,
	BOB_WRAP_INT,		/* at most 64 bits; also enumerations */
	BOB_WRAP_REAL,
	BOB_WRAP_COMPLEX,
	BOB_WRAP_POINTER,
	BOB_WRAP_TEXT,		/* `string` */
	BOB_WRAP_NAMED,		/* a name that the include section defines: the compiler decides */
	BOB_WRAP_OTHER		/* struct, union, 128 bits, va_list: passed on, not recorded */
};

/* Text of a type before and after a name; array and function parameters have become pointers. */
struct bob_wrap_type {
	const char *before, *after;
	enum bob_wrap_kind kind;
	bool is_long_double;	/* more than 64 bits */
};

struct bob_wrap_parameter {
	struct bob_wrap_type type;
	const char *name;	/* never NULL: numbered if the spec has none */
	bool is_recorded;	/* false: no numeric value, or does not fit in the event */
};

enum bob_wrap_block { BOB_WRAP_BEFORE, BOB_WRAP_AFTER, BOB_WRAP_AROUND, BOB_WRAP_BLOCKS };

/* How calls are intercepted; set by the caller (bob_wrap_choose) before code is written. */
enum bob_wrap_how {
	BOB_WRAP_PRELOAD,	/* by a library that is loaded before those that define it */
	/* also by a library, after the agent has patched the function's first instructions */
	BOB_WRAP_PATCH,
	BOB_WRAP_LINK,		/* linked into the program, with -Wl,--wrap */
	BOB_WRAP_LEAVE		/* not intercepted */
};

struct bob_wrap_function {
	const char *name;	/* in C */
	const char *symbol;	/* in the linker: the same unless there is an asm label */
	uint32_t line, column;	/* in the spec, from 1 */
	const char *middle;	/* between name and parameter list; `result` surrounds all */
	struct bob_wrap_type result;
	struct bob_wrap_parameter *parameters;
	uint32_t parameter_count;
	bool is_open;		/* `...`, or () without a prototype */
	/* an MPI function: the MPI recorder records it; the wrapper has only the blocks */
	bool is_mpi;
	const char *block[BOB_WRAP_BLOCKS]; /* with its braces; NULL: none */
	uint32_t block_line[BOB_WRAP_BLOCKS];
	uint32_t when_token;	/* internal to the parser */
	/* calls for which it is false are not recorded (archive/events/predicate.h); NULL: all
	 * are */
	const char *when;
	const char *event;	/* arguments of bob_event_register: name ... */
	/* ... and parameters; `?` for a type that only the compiler knows */
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
	/* BOB_WRAP_PATCH: the program's path, as in /proc/self/exe; must outlive the spec */
	const char *program;
	struct bob_wrap_pool *pool; /* owns everything above */
};

/* One printable line, "file:line:column: what was expected". */
struct bob_wrap_complaint {
	char text[512];
};

/* `name` is the file's, for complaints. On BOB_OK *out belongs to the caller (bob_wrap_spec_close);
 * otherwise it is untouched and `why` has the reason. Errors: BOB_ERR_CORRUPT, BOB_ERR_UNSUPPORTED
 * (a function that cannot be wrapped), BOB_ERR_FULL (a limit), BOB_ERR_NOMEM. */
bob_status bob_wrap_spec_read(const char *text, size_t len, const char *name,
			      struct bob_wrap_spec **out, struct bob_wrap_complaint *why);
/* Sets how calls of `f` are intercepted, and the contents of its event, which depend on it.
 * BOB_ERR_NOMEM. */
bob_status bob_wrap_choose(struct bob_wrap_spec *s, struct bob_wrap_function *f,
			   enum bob_wrap_how how);
static inline bool bob_wrap_has_blocks(const struct bob_wrap_function *f)
{
	return f->block[BOB_WRAP_BEFORE] || f->block[BOB_WRAP_AFTER] || f->block[BOB_WRAP_AROUND];
}

/* Whether a stub passes on the arguments, not C. */
static inline bool bob_wrap_has_stub(const struct bob_wrap_function *f)
{
	return f->is_open || (f->how == BOB_WRAP_PATCH && !bob_wrap_has_blocks(f));
}

/* Whether C passes on the arguments, called by a stub. */
static inline bool bob_wrap_is_called(const struct bob_wrap_function *f)
{
	return !f->is_open && f->how == BOB_WRAP_PATCH && bob_wrap_has_blocks(f);
}

void bob_wrap_spec_close(struct bob_wrap_spec *s); /* NULL is allowed */

/* Representation of a value in a register or on the stack, as BOB_TYPE of wrapper.h names it: b h i
 * l signed, B H I L unsigned of 1 to 8 bytes, f d x real, p a pointer, s `string`. 0: unknown from
 * the words alone. */
char bob_wrap_letter(const struct bob_wrap_type *t);

/* Why a function of this name cannot be wrapped; NULL: it can. */
const char *bob_wrap_refusal(const char *symbol);

/* Writes the C source of one library: with `linked` all functions that are BOB_WRAP_LINK, else
 * those that are preloaded or patched. `file` is its name, for #line; `how_to` is one line of build
 * instructions. Errors: see ferror(out). */
void bob_wrap_write(const struct bob_wrap_spec *s, bool linked, const char *file,
		    const char *how_to, FILE *out);

/* Headers that the generated source includes, by their relative paths; NULL ends the list. */
extern const struct bob_embedded bob_wrap_headers[];
/* Built-in specs, by name. */
extern const struct bob_embedded bob_wrap_specs[];

#endif
