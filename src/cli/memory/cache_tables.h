/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of bobbin cache: the machine, its levels, the functions or instructions, and who took
 * lines from whom. */
#ifndef BOB_CLI_CACHE_TABLES_H
#define BOB_CLI_CACHE_TABLES_H

#include <stdio.h>

#include "analysis/cache/replay.h"
#include "cli/session.h"

/* ANY: functions, if the trace knows one. */
enum cli_cache_by {
	CLI_CACHE_FUNCTION,
	CLI_CACHE_PC,
	CLI_CACHE_LINE,
	CLI_CACHE_VARIABLE,
	CLI_CACHE_ANY
};

/* 0 to 3: misses of L1 to L4. */
enum cli_cache_sort { CLI_CACHE_ACCESSES = 4, CLI_CACHE_SHARING, CLI_CACHE_NAME };

/* What belongs to one function, instruction, source line or variable, in all processes. */
struct cli_cache_row {
	uint32_t number;	/* function, if it is known */
	int known;
	const char *image;	/* short name, "" if none */
	uint64_t pc;		/* 0 where rows are no instructions */
	const char *file;	/* LINE: "" if not known */
	uint32_t line;
	struct bob_variable variable; /* VARIABLE */
	struct bob_cache_site c;
};

struct cli_cache_tables {
	struct cli_session *s;
	struct bob_cache_config config;
	enum cli_cache_by by;
	int sort;
	uint64_t limit;		/* rows, 0: all */
	FILE *out;
	struct cli_cache_row *rows;
	size_t count, room;
	struct bob_cache_site total;
};

/* Misses of a level, whatever the cause. */
uint64_t cli_cache_misses(const struct bob_cache_counts *c);

/* Adds the sites of one process. 0, or -1: no memory. */
int cli_cache_tables_add(struct cli_cache_tables *t, const struct bob_cache_replay *r,
			 uint32_t process);
/* After the last process: rows are what they are to be. */
void cli_cache_tables_unite(struct cli_cache_tables *t);
/* Lines on the machine; `name` is the preset's or the file's. */
void cli_cache_print_machine(const struct bob_cache_config *c, const char *name, const char *about,
			     FILE *out);
int cli_cache_print_levels(struct cli_cache_tables *t);
int cli_cache_print_rows(struct cli_cache_tables *t);
/* Who took lines from whom, in one process whose threads in the simulation are `threads`. */
int cli_cache_print_sharing(struct cli_cache_tables *t, const struct bob_cache_replay *r,
			    const uint32_t *threads);

#endif
