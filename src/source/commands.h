/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses and stores what the user wants to trace: the command language of `bobbin instrument`
 * (docs/source.md; the paper's figure 2), one command per line.
 *
 *     trace file F
 *     trace variable NAME[1..10][3..4] from 100 to 300      or NAME(1:10,3:4)
 *     trace code at loop level from 50 to 125               or subroutine level
 *     trace communication from 1 to 99
 *     trace allocator NAME size(1,2) free(3)
 *     show   undo   help   bye
 *
 * NAME may be qualified: unit:x, module%x, /common/x; it may be * (all). In C a way may lead on
 * from it: x->member, x.member, x[*]; in Fortran x%component. Words may be in any case; a line that
 * is empty or begins with # is ignored.
 *
 * Owner: a table owns what it holds (an arena of its own). Threads: one. Lines, columns from 1. */
#ifndef BOB_SOURCE_COMMANDS_H
#define BOB_SOURCE_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/host/arena.h"
#include "bobbin/status.h"

#define BOB_REQUEST_RANK_MAX 15u
#define BOB_COMMAND_BYTES_MAX 4096u /* of a line */

enum bob_request_what {
	BOB_REQUEST_VARIABLE,
	BOB_REQUEST_LOOPS,
	BOB_REQUEST_CALLS,		/* code at subroutine level */
	BOB_REQUEST_COMMUNICATION,
	/* nothing to be traced: what functions of the program give memory out */
	BOB_REQUEST_ALLOCATOR
};

enum bob_request_scope {
	BOB_SCOPE_ANY,		/* wherever there is one of that name */
	BOB_SCOPE_UNIT,		/* unit:x */
	BOB_SCOPE_MODULE,	/* module%x */
	BOB_SCOPE_COMMON	/* /common/x */
};

/* What an allocator's arguments are, from 1; 0: none. */
struct bob_request_allocator {
	uint32_t size[2];	/* bytes, multiplied */
	bool is_counted;	/* ... elements, not bytes */
	bool is_text;		/* it gives a text */
	uint32_t old;		/* is freed */
};

/* Open ends are INT64_MIN and INT64_MAX. */
struct bob_request_range {
	int64_t first, last;
};

struct bob_request {
	enum bob_request_what what;
	enum bob_request_scope scope;
	const char *in;		/* the unit, module or block; "" */
	const char *name;	/* of the variable, as written */
	const char *path;	/* after it, "->v[*]", "%v"; NULL: none */
	struct bob_request_range box[BOB_REQUEST_RANK_MAX]; /* as written, first subscript first */
	uint32_t rank;		/* 0: the whole variable */
	struct bob_request_allocator allocator;
	uint32_t first_line, last_line; /* 1, UINT32_MAX where nothing was said */
	uint32_t command, column; /* of the name, or of what is traced, for complaints */
	struct bob_request *next;
};

struct bob_request_file {
	const char *path;
	uint32_t command;
	struct bob_request *first, *last;
	struct bob_request_file *next;
};

struct bob_requests {
	struct bob_arena arena;
	struct bob_request_file *first, *last;
	uint32_t commands;	/* lines so far */
};

enum bob_command {
	BOB_COMMAND_NONE,	/* an empty line */
	BOB_COMMAND_TRACE,	/* is in the table */
	BOB_COMMAND_FILE,	/* a file has begun: what came before concerns others */
	BOB_COMMAND_SHOW,	/* the caller's business */
	BOB_COMMAND_UNDO,	/* done; *complaint says that nothing was there to be undone */
	BOB_COMMAND_HELP,
	BOB_COMMAND_BYE
};

struct bob_command_complaint {
	uint32_t column;	/* 0: none */
	char text[256];		/* what is wrong, and what was expected */
};

/* One line, without its newline. BOB_OK: *command is its kind. BOB_ERR_INVAL: it is not a command,
 * the table is unchanged. BOB_ERR_NOMEM. */
bob_status bob_requests_put(struct bob_requests *w, const char *line, size_t len,
			    enum bob_command *command, struct bob_command_complaint *why);
/* As a command, zero terminated, cut at `size`. Returns its length. */
size_t bob_request_print(const struct bob_request *w, char *to, size_t size);
void bob_requests_free(struct bob_requests *w);

/* Lists what there is to say, a line each. */
extern const char bob_commands_help[];

#endif
