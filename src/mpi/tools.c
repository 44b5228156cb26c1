/* SPDX-License-Identifier: BSD-3-Clause */
/* Detects PMPI tools that precede the shim: definitions of MPI functions in the program itself, or
 * in a library earlier in the search order. The program's calls reach the shim through them, as
 * their calls of PMPI functions. Other MPI calls by a tool's definition of MPI_X are internal to
 * the tool, and not recorded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

#include "mpi/recorder.h"

#define NO_SIZE 64u		/* assumed size of functions whose symbol has none */

/* Code range of a tool's definition. */
struct wrapper {
	uint64_t lo, hi;
	uint32_t function;
};

static struct bob_ev_lock lock;
static bool is_known;
static struct wrapper wrapper[BOB_MPI_NUMBERS];
static uint32_t wrappers;

/* Bounds of this library, from the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static bool is_ours(const void *at)
{
	return (const char *)at >= __ehdr_start && (const char *)at < _end;
}

static const void *image_of(const void *function)
{
	Dl_info info;

	return dladdr(function, &info) ? info.dli_fbase : NULL;
}

/* If the PMPI name leads to the same place, this is MPI itself (linked into the program, or a
 * library that precedes the shim). */
static void look_at(const struct bob_mpi_function *f)
{
	const ElfW(Sym) *symbol = NULL;
	const void *at;
	char name[128];
	Dl_info info;

	snprintf(name, sizeof(name), "PMPI_%s", f->name);
	at = dlsym(RTLD_DEFAULT, name + 1);
	if (!at || is_ours(at) || image_of(at) == image_of(dlsym(RTLD_DEFAULT, name)) ||
	    !dladdr1(at, &info, (void **)(uintptr_t)&symbol, RTLD_DL_SYMENT) || !symbol)
		return;
	wrapper[wrappers].lo = (uint64_t)(uintptr_t)at;
	wrapper[wrappers].hi = wrapper[wrappers].lo + (symbol->st_size ? symbol->st_size : NO_SIZE);
	wrapper[wrappers++].function = f->number;
}

static void look(void)
{
	bob_ev_lock(&lock);
	for (uint32_t i = 0; !is_known && i < bob_mpi_function_count && wrappers < BOB_MPI_NUMBERS;
	     i++)
		look_at(&bob_mpi_functions[i]);
	__atomic_store_n(&is_known, true, __ATOMIC_RELEASE);
	bob_ev_unlock(&lock);
}

bool bob_mpi_has_tools(void)
{
	if (!__atomic_load_n(&is_known, __ATOMIC_ACQUIRE))
		look();
	return wrappers > 0;
}

uint32_t bob_mpi_tool_at(uint64_t ip)
{
	if (!bob_mpi_has_tools())
		return 0;
	for (uint32_t i = 0; i < wrappers; i++)
		if (ip - wrapper[i].lo < wrapper[i].hi - wrapper[i].lo)
			return wrapper[i].function + 1;
	return 0;
}
