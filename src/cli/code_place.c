/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats places of instructions and of MPI calls (code_place.h). C++ names are demangled and
 * shortened to their base name. */
#include "cli/code_place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/place_cells.h"
#include "archive/events/mpi_functions.h"
#include "archive/memory/stretch.h"
#include "sys/sys.h"
#include "table/print.h"

#define NAME_WIDTH 48u		/* of an inlined function */

static int is_demangled = 1;

const char *cli_place_mpi(uint32_t what, char text[CLI_MPI_NAME_MAX])
{
	const struct bob_mpi_function *f = bob_mpi_function_of(what);

	if (what == BOB_STRETCH_OWN)
		return "event of the program";
	if (f)
		snprintf(text, CLI_MPI_NAME_MAX, "MPI_%s", f->name);
	else
		snprintf(text, CLI_MPI_NAME_MAX, "MPI function %" PRIu32, what);
	return text;
}

void cli_place_print_mpi(uint32_t mark, uint32_t what, FILE *out)
{
	char text[CLI_MPI_NAME_MAX];

	if (mark == BOB_VALUE_END) {
		fputs("the call or event ends", out);
		return;
	}
	fputs(cli_place_mpi(what, text), out);
	fputs(mark == BOB_VALUE_BEGIN ? " begins" : "", out);
}

void cli_place_demangle(int on)
{
	is_demangled = on;
}

/* `parts`: with what the compiler appended: "work._omp_fn.0", "work.part.1". */
static void print_name(const char *name, int parts, FILE *out)
{
	char *text = is_demangled ? bob_demangle(name) : NULL;

	if (text)
		fprintf(out, "%.*s%s", (int)bob_demangled_base(text), text,
			parts && strchr(name, '.') ? strchr(name, '.') : "");
	else
		fputs(name, out);
	free(text);
}

void cli_place_print(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc,
		     FILE *out)
{
	const struct bob_image_info *im = bob_trace_image(t, process, image);
	struct bob_source_line line;
	struct bob_function_info f;
	int known = im && bob_trace_function_at(t, process, image, pc, &f) == BOB_OK && *f.name;

	if (im && bob_trace_source(t, process, image, pc, &line) == BOB_OK && line.line) {
		print_name(known ? f.name : im->soname, 0, out);
		fprintf(out, "  %s:%" PRIu32, bob_base_name(line.file), line.line);
	} else if (known) {
		print_name(f.name, 0, out);
		fprintf(out, "+0x%" PRIx64, pc - f.addr);
	} else if (im) {
		fprintf(out, "%s+0x%" PRIx64, im->soname, pc);
	} else {
		fprintf(out, "0x%" PRIx64, pc);
	}
}

void cli_function_print(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc,
			FILE *out)
{
	struct bob_function_info f;

	if (bob_trace_function_at(t, process, image, pc, &f) == BOB_OK && *f.name)
		print_name(f.name, 1, out);
	else
		cli_place_print(t, process, image, pc, out);
}

void cli_name_print(const char *symbol, FILE *out)
{
	char *text = is_demangled ? bob_demangle(symbol) : NULL;

	if (text) {
		text[bob_demangled_base(text)] = '\0';
		fputs(bob_table_shorten(text, NAME_WIDTH), out);
	} else {
		fputs(symbol, out);
	}
	free(text);
}

void cli_line_print(const struct bob_trace *t, uint32_t process, uint32_t image, uint64_t pc,
		    FILE *out)
{
	struct bob_source_line line;

	if (bob_trace_source(t, process, image, pc, &line) == BOB_OK && line.line)
		fprintf(out, "%s:%" PRIu32, bob_base_name(line.file), line.line);
	else
		cli_place_print(t, process, image, pc, out);
}
