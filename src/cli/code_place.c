/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats places of instructions and of MPI calls (code_place.h). C++ names are demangled and
 * shortened to their base name. */
#include "cli/code_place.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/place_cells.h"
#include "archive/events/mpi_functions.h"
#include "archive/memory/stretch.h"
#include "sys/sys.h"

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

static void print_name(const char *name, FILE *out)
{
	char *text = is_demangled ? bob_demangle(name) : NULL;

	if (text)
		fprintf(out, "%.*s", (int)bob_demangled_base(text), text);
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
		print_name(known ? f.name : im->soname, out);
		fprintf(out, "  %s:%" PRIu32, bob_base_name(line.file), line.line);
	} else if (known) {
		print_name(f.name, out);
		fprintf(out, "+0x%" PRIx64, pc - f.addr);
	} else if (im) {
		fprintf(out, "%s+0x%" PRIx64, im->soname, pc);
	} else {
		fprintf(out, "0x%" PRIx64, pc);
	}
}
