/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the environment of a recorded program (record_env.h). */
#include "cli/record/record_env.h"

#include <stdlib.h>
#include <string.h>

#include "cli/terminal/options.h"

extern char **environ;

/* Whether an outer recording has set the variable: options apply to one recording only. */
static int is_of_outer(const char *name)
{
	static const char *const names[] = { "BOBBIN_FILTER",	 "BOBBIN_NOTRACE",
					     "BOBBIN_TRIGGER",	 "BOBBIN_DEPTH",
					     "BOBBIN_INTERFACE", "BOBBIN_INTERFACE_IMAGE",
					     "BOBBIN_MEM",	 "BOBBIN_FROM_START",
					     "BOBBIN_MEM_ONLY",	 "BOBBIN_MEM_BOXES",
					     "BOBBIN_CALLS",	 "BOBBIN_MPI",
					     "BOBBIN_EVENTS",	 "BOBBIN_WHEN",
					     "BOBBIN_HOOK_FUNCTIONS", "BOBBIN_HOOK_PROTOTYPES",
					     "BOBBIN_INIT",	 "BOBBIN_FINALIZE",
					     "BOBBIN_RANKS",	 "BOBBIN_FLUSH_EVERY",
					     "BOBBIN_SHIM",	 "BOBBIN_CALLSITES",
					     "BOBBIN_LAUNCHER",	 "BOBBIN_RUN",
					     "BOBBIN_ENGINE",	 "BOBBIN_MPI_FUNCTIONS",
					     "BOBBIN_MPI_LEVEL",	 "BOBBIN_MPI_VECTORS" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return 1;
	return 0;
}

char **cli_record_environment(const struct cli_vars *vars)
{
	size_t n = 0, kept = 0;

	while (environ[n])
		n++;
	char **env = calloc(n + (size_t)vars->count + 1, sizeof(*env));
	for (size_t i = 0; env && i < n; i++) {
		char name[128];
		size_t len = strcspn(environ[i], "=");

		if (len < sizeof(name)) {
			memcpy(name, environ[i], len);
			name[len] = 0;
			if (cli_vars_get(vars, name) || is_of_outer(name))
				continue;
		}
		env[kept++] = environ[i];
	}
	for (int i = 0; env && i < vars->count; i++)
		env[kept++] = vars->text[i];
	return env;
}
