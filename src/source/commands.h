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
 * NAME may be qualified (unit:x, module%x, /common/x) or be * (all). In C an access path may
 * follow: x->member, x.member, x[*]; in Fortran x%component. Words may be in any case. Empty lines
 * and lines that begin with # are ignored.
 *
 * Owner: a table owns its contents (in its arena). Threads: one. Lines and columns count from 1. */
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
	/* traces nothing: declares a function of the program that allocates memory */
	BOB_REQUEST_ALLOCATOR
};

enum bob_request_scope {
	BOB_SCOPE_ANY,		/* any variable of that name */
	BOB_SCOPE_UNIT,		/* unit:x */
	BOB_SCOPE_MODULE,	/* module%x */
	BOB_SCOPE_COMMON	/* /common/x */
};

/* The roles of an allocator's arguments, numbered from 1; 0: no argument has the role. */
struct bob_request_allocator {
	uint32_t size[2];	/* factors of the size in bytes */
	/* the size is a number of elements of the pointer's target, not of bytes */
	bool is_counted;
	bool is_text;		/* the result is a text; its length is the size */
	uint32_t old;		/* the block that is freed */
};

/* Open ends are INT64_MIN and INT64_MAX. */
struct bob_request_range {
	int64_t first, last;
};

struct bob_request {
	enum bob_request_what what;
	enum bob_request_scope scope;
	const char *in;		/* the unit, module or block; "" for BOB_SCOPE_ANY */
	const char *name;	/* of the variable, as written */
	const char *path;	/* access path after it, "->v[*]", "%v"; NULL: none */
	struct bob_request_range box[BOB_REQUEST_RANK_MAX]; /* as written, first subscript first */
	uint32_t rank;		/* 0: the whole variable */
	struct bob_request_allocator allocator;
	uint32_t first_line, last_line; /* defaults: 1, UINT32_MAX */
	/* where the name (or what is traced) is in the commands, for messages */
	uint32_t command, column;
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
	uint32_t commands;	/* number of lines read */
};

enum bob_command {
	BOB_COMMAND_NONE,	/* an empty line */
	BOB_COMMAND_TRACE,	/* added to the table */
	BOB_COMMAND_FILE,	/* the following requests belong to a new file */
	BOB_COMMAND_SHOW,	/* to be executed by the caller */
	BOB_COMMAND_UNDO,	/* done; *why reports if there was nothing to undo */
	BOB_COMMAND_HELP,
	BOB_COMMAND_BYE
};

struct bob_command_complaint {
	uint32_t column;	/* 0: no complaint */
	char text[256];		/* what is wrong, and what was expected */
};

/* Parses one line, without its newline. BOB_OK: *command is its kind. BOB_ERR_INVAL: it is not a
 * command, `why` has the reason, and the table is unchanged. BOB_ERR_NOMEM. */
bob_status bob_requests_put(struct bob_requests *w, const char *line, size_t len,
			    enum bob_command *command, struct bob_command_complaint *why);
/* Prints the request as a command, zero terminated, truncated to `size`. Returns the length. */
size_t bob_request_print(const struct bob_request *w, char *to, size_t size);
void bob_requests_free(struct bob_requests *w);

/* All commands, one line each. */
extern const char bob_commands_help[];

#endif
