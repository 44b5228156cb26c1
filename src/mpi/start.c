/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructor of the shim: reads the agent's settings, and decides for each function whether its
 * calls are recorded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/recorder.h"
#include "mpi/argument_words.h"

bool bob_mpi_is_recorded;
uint8_t bob_mpi_how[BOB_MPI_NUMBERS];

/* --- internal calls of MPI's Fortran libraries --- */

static bool has_words(const char *text, const char *words)
{
	for (; *text; text++) {
		size_t n = 0;

		while (words[n] && (text[n] | 32) == (words[n] | 32))
			n++;
		if (!words[n])
			return true;
	}
	return false;
}

/* Fortran entry points call the C function, which is the program's call. Some also query sizes
 * first, or create a type for an array section: those calls are not the program's. The entry
 * point's name distinguishes them. */
static bool is_own_call(const void *caller, uint32_t function)
{
	static const char *const of_their_own[] = { "Comm_size", "Cartdim_get",
						    "Dist_graph_neighbors_count",
						    "Type_create_hvector", "Type_contiguous",
						    "Type_commit", "Type_free" };
	const struct bob_mpi_function *f = bob_mpi_function_of(function);
	Dl_info info;

	if (!f || !dladdr(caller, &info) || !info.dli_fname || !info.dli_sname ||
	    !(strstr(info.dli_fname, "libmpi") &&
	      (strstr(info.dli_fname, "mpifh") || strstr(info.dli_fname, "usempi") ||
	       strstr(info.dli_fname, "fort"))))
		return false;
	for (size_t i = 0; i < sizeof(of_their_own) / sizeof(of_their_own[0]); i++)
		if (!strcmp(f->name, of_their_own[i]))
			return !has_words(info.dli_sname, f->name);
	return false;
}

static const struct bob_ev_mpi adds = {
	.first = bob_mpi_predefine,
	.ignores = is_own_call,
	.tool_at = bob_mpi_tool_at,
	.has_tools = bob_mpi_has_tools,
	.layout = bob_mpi_layout,
	.function = bob_mpi_function_of,
	.rank = bob_mpi_own_rank,
	.transport = bob_mpi_transport,
};

__attribute__((constructor)) void bob_mpi_start(void)
{
	static bool is_done;
	const struct bob_agent_streams *a = is_done ? NULL : bob_ev_ask_agent();
	const char *level, *most;

	is_done = true;
	if (!a || !a->setting("BOBBIN_MPI"))
		return;
	most = a->setting("BOBBIN_MPI_VECTORS");
	if (most) { /* a number, or "none" */
		bob_mpi_most = strtoull(most, NULL, 10);
		bob_mpi_hashes = strcmp(most, "none") != 0;
	}
	level = a->setting("BOBBIN_MPI_LEVEL");
	if (level && !strcmp(level, "off"))
		return;
	bob_mpi_choose(level && !strcmp(level, "custom") ? "Pcontrol" :
							   a->setting("BOBBIN_MPI_FUNCTIONS"),
		       bob_mpi_how);
	bob_ev_mpi = &adds;
	bob_ev_agent = a;
	bob_ev_shift_ns = bob_mpi_test_shift_ns();
	bob_mpi_is_recorded = true;
}
