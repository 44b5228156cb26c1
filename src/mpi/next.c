/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the next definition of an MPI function: the one after the shim's in the symbol search
 * order. If the program loads MPI by itself (Python), the search order may lack it; then the
 * library that is loaded under MPI's name is searched. A program that looks up functions in MPI's
 * library with dlsym gets the shim's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "mpi/real.h"
#include "mpi/recorder.h"
#include "mpi/relink/relink.h"
#include "events/dlsym.h"

extern const uint64_t own_dynamic[] __asm__("_DYNAMIC") __attribute__((visibility("hidden")));

/* Called in place of a function that MPI lacks. One definition serves all: MPI functions return
 * int, and the caller cleans up arguments. */
static int missing(void)
{
	return MPI_ERR_OTHER;
}

#ifdef OPEN_MPI
#define OWN_VARIABLE "ompi_mpi_comm_world"
#define OTHER_VARIABLE "MPI_UNWEIGHTED"
#define OTHER_LIBRARY "libmpich.so.12"
#else
#define OWN_VARIABLE "MPI_UNWEIGHTED"
#define OTHER_VARIABLE "ompi_mpi_comm_world"
#define OTHER_LIBRARY "libmpi.so.40"
#endif

static void *find_in(const char *library, const char *name)
{
	void *mpi = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);

	return mpi ? bob_dlsym_itself()(mpi, name) : NULL;
}

static void *find(void *where, const char *name)
{
	void *f = dlsym(where, name);

	return f ? f : find_in(BOB_MPI_LIBRARY, name);
}

/* Looks in a program that contains MPI (relink/relink.h). */
static void *in_program(const char *name)
{
	bob_mpi_look_up *const look_up = (bob_mpi_look_up *)dlsym(RTLD_DEFAULT, BOB_MPI_RELINKED);

	return look_up ? look_up(name) : NULL;
}

bob_mpi_look_up bob_mpi_wrapper_1;

/* For relinked programs. It reads the shim's own symbol table, because such a program may export
 * functions of these names itself. */
__attribute__((visibility("default"))) void *bob_mpi_wrapper_1(const char *name)
{
	const uintptr_t base = (uintptr_t)bob_this_library;
	const struct bob_symbols ours = bob_symbols_of(base, own_dynamic);
	const uint32_t i = bob_find_symbol(&ours, name);

	return i ? (void *)(base + ours.symbol[i].value) : NULL;
}

/* --- programs that look up functions in MPI's library (Julia, ctypes) --- */

static bool is_name_of_mpi(const char *name)
{
	return !strncmp(name + (*name == 'P'), "MPI_", 4);
}

static bool is_in_mpi(const void *function)
{
	struct link_map *image = NULL;
	Dl_info info;

	if (!dladdr1(function, &info, (void **)&image, RTLD_DL_LINKMAP) || !image)
		return false;
	const struct bob_symbols s = bob_symbols_of(image->l_addr, (const uint64_t *)image->l_ld);
	return s.soname && !strcmp(s.soname, BOB_MPI_LIBRARY);
}

__attribute__((used)) static void *by_handle(void *handle, const char *name)
{
	void *found = bob_dlsym_itself()(handle, name), *ours = NULL;

	if (found && is_name_of_mpi(name) && is_in_mpi(found))
		ours = bob_mpi_wrapper_1(name);
	return ours ? ours : found;
}
BOB_INTERPOSE_DLSYM(by_handle);

/* Takes the first definition: a non-PIE program has its own copies of a library's variables. */
void *bob_mpi_symbol(const char *name)
{
	void *at = find(RTLD_DEFAULT, name);

	return at ? at : in_program(name);
}

/* This process uses another MPI than the one that --mpi selected, with other handles and constants:
 * its calls are passed on, and none is recorded. */
static void let_pass(void)
{
	static const struct {
		uint32_t why, zero;
		char name[sizeof(OTHER_LIBRARY)];
	} skipped = { BOB_SKIP_OTHER_MPI, 0, OTHER_LIBRARY };

	if (!__atomic_exchange_n(&bob_mpi_is_recorded, false, __ATOMIC_RELAXED))
		return;
	bob_ev_put_record(BOB_REC_IMAGE_SKIPPED, &skipped, 8 + sizeof(OTHER_LIBRARY) - 1);
}

void *bob_mpi_next(const char *name)
{
	void *f = find(RTLD_NEXT, name);

	bob_mpi_start();
	if (!bob_mpi_symbol(OWN_VARIABLE) &&
	    (find(RTLD_DEFAULT, OTHER_VARIABLE) || find_in(OTHER_LIBRARY, OTHER_VARIABLE)))
		let_pass();
	if (!f)
		f = in_program(name);
	if (!f)
		f = find_in(OTHER_LIBRARY, name);
	return f ? f : (void *)(uintptr_t)missing;
}
