/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells for places in the program: resolves an address to function, file and line. */
#include "analysis/place_cells.h"

#include <string.h>

void bob_text_cell(struct bob_table *t, const char *text)
{
	if (*text)
		bob_table_text(t, text);
	else
		bob_table_none(t);
}

void bob_count_cell(struct bob_table *t, uint64_t value)
{
	if (value)
		bob_table_count(t, value);
	else
		bob_table_none(t);
}

void bob_place_cells(struct bob_table *t, const char *function, const char *file, uint32_t line,
		     uint64_t address)
{
	bob_text_cell(t, function);
	bob_text_cell(t, file);
	bob_count_cell(t, line);
	bob_count_cell(t, address);
}

void bob_place_cells_at(struct bob_table *t, const struct bob_naming *names,
			const struct bob_trace *trace, uint32_t process, uint32_t image,
			uint64_t pc)
{
	struct bob_function_info f = { .name = "" };
	struct bob_source_line line;

	if (image == ~0u) {
		for (int i = 0; i < 5; i++)
			bob_table_none(t);
		return;
	}
	(void)bob_trace_function_at(trace, process, image, pc, &f);
	if (bob_trace_source(trace, process, image, pc, &line) != BOB_OK)
		line = (struct bob_source_line){ .file = "" };
	bob_table_text(t, names->place(names->ctx, trace, process, image, pc));
	bob_place_cells(t, names->symbol(names->ctx, f.name), line.line ? line.file : "", line.line,
			pc);
}

const char *bob_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
