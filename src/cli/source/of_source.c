/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts about traces of chosen variables (of_source.h). */
#include "cli/source/of_source.h"

#include <stdint.h>
#include <string.h>

#include "cli/source/variable_names.h"

int cli_is_of_source(const struct bob_trace *t)
{
	const struct bob_process_info *p = bob_trace_process(t, 0);

	for (int i = 0; p && p->config && p->config[i]; i++)
		if (!strcmp(p->config[i], "BOBBIN_MEM=source"))
			return 1;
	return 0;
}

const char *cli_source_without_accesses(const struct bob_trace *t)
{
	for (uint32_t i = 0; i < bob_trace_process_count(t); i++)
		if (bob_trace_process(t, i)->image_count)
			return "nothing that was asked for was accessed";
	return "no file with probes was in the program: it has to be built from what bobbin "
	       "instrument writes";
}

void cli_source_variables(const struct bob_trace *t, FILE *out)
{
	struct cli_variable_names n = { .at = NULL };
	char text[512];

	if (!cli_variable_names_add(&n, t) && n.count)
		fprintf(out, "variables   %zu: %s\n", n.count,
			cli_variable_names_list(&n, text, sizeof(text)));
	cli_variable_names_free(&n);
}
