/* SPDX-License-Identifier: BSD-3-Clause */
/* record --mem: starts the program under the engine that records its memory accesses. */
#ifndef BOB_CLI_MEM_ENGINE_H
#define BOB_CLI_MEM_ENGINE_H

#include "cli/record/recording.h"

struct cli_mem {
	const char *engine;	/* auto, native or valgrind; cli_mem_check resolves auto */
	int from_start;
	int complete;		/* refuse to start if something could not be recorded */
	/* set by cli_mem_finish; freed by cli_mem_free */
	char *path;		/* of the executable to start */
	char **argv;		/* its arguments, then the program's */
	char *text[16];
	int texts;
};

/* Whether the variables select calls, which a memory trace does not have. 1 after a complaint. */
int cli_mem_chooses_calls(const struct cli_vars *v, const char *verb);
/* Checks whether the engine can be used here, with these variables and this program: 0, or 125
 * after a complaint. Call it before the trace directory is created. */
int cli_mem_check(struct cli_mem *m, const struct cli_vars *v, int is_static);
int cli_mem_is_native(const struct cli_mem *m);
/* Checks that everything the program at `path` starts with can be recorded: 0, or 125 after a
 * complaint. Always 0 for the engine valgrind. */
int cli_mem_require(const struct cli_mem *m, const struct cli_vars *v, const char *path);
/* Engine native: completes the variables; the program is started as for calls. */
void cli_mem_native(const struct cli_mem *m, struct cli_vars *v);
/* Engine valgrind: completes path, argv and variables; `dir` is the absolute trace directory. 0, or
 * 125 after a complaint. */
int cli_mem_finish(struct cli_mem *m, struct cli_vars *v, const char *dir, char **command);
void cli_mem_free(struct cli_mem *m);

#endif
