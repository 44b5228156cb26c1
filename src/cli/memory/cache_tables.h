/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of bobbin cache around its tables: the machine, and who took lines from whom. */
#ifndef BOB_CLI_CACHE_TABLES_H
#define BOB_CLI_CACHE_TABLES_H

#include "analysis/cache/tables.h"
#include "cli/answer.h"

/* Lines on the machine; `name` is the preset's or the file's. */
void cli_cache_print_machine(const struct bob_cache_config *c, const char *name, const char *about,
			     FILE *out);
/* Who took lines from whom, in one process whose threads in the simulation are `threads`. */
void cli_cache_print_sharing(const struct cli_answer *a, const struct bob_cache_rows *all,
			     const struct bob_cache_replay *r, const uint32_t *threads);

#endif
