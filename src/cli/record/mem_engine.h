/* SPDX-License-Identifier: BSD-3-Clause */
/* record --mem: how a program is started under the engine that records its memory accesses. */
#ifndef BOB_CLI_MEM_ENGINE_H
#define BOB_CLI_MEM_ENGINE_H

#include "cli/record/recording.h"

struct cli_mem {
	const char *engine;	/* auto, native or valgrind; cli_mem_check settles it */
	int from_start;
	int complete;		/* refuse to start if something could not be recorded */
	/* filled by cli_mem_finish; freed by cli_mem_free */
	char *path;		/* of what is executed */
	char **argv;		/* its arguments, then the program's */
	char *text[16];
	int texts;
};

/* Do the variables choose calls, which a memory trace has none of? 1 after a complaint. */
int cli_mem_chooses_calls(const struct cli_vars *v, const char *verb);
/* After a complaint 125, else 0: can the engine be used here, with these variables and for such a
 * program? Call it before the trace directory is made. */
int cli_mem_check(struct cli_mem *m, const struct cli_vars *v, int is_static);
int cli_mem_is_native(const struct cli_mem *m);
/* What the program at `path` starts with can be recorded whole: 0, or 125 after a complaint. Engine
 * valgrind can. */
int cli_mem_require(const struct cli_mem *m, const struct cli_vars *v, const char *path);
/* Engine native: complete the variables; the program is started as for calls. */
void cli_mem_native(const struct cli_mem *m, struct cli_vars *v);
/* Engine valgrind: complete path, argv and variables; `dir` is the absolute trace directory. 0, or
 * 125 after a complaint. */
int cli_mem_finish(struct cli_mem *m, struct cli_vars *v, const char *dir, char **command);
void cli_mem_free(struct cli_mem *m);

#endif
