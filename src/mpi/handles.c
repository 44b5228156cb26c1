/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of handles in words: 0 for the null handle; below 256 predefined handles (functions.txt);
 * from 256 handles that calls create, numbered in creation order, per kind; all bits set for a
 * handle that no recorded call created. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "mpi/real.h"
#include "mpi/recorder.h"

#define FIRST_NEW 256u
#define UNKNOWN UINT64_MAX

static uint64_t made[BOB_MPI_KIND_KEYVAL + 1];

/* Where a loader resolves MPI's symbols lazily, some are missing at first: bob_mpi_started calls
 * this again until all are found. */
void bob_mpi_predefine(void)
{
	static bool all; /* a race is harmless: all threads store the same */
	bool found = true;

	if (__atomic_load_n(&all, __ATOMIC_RELAXED))
		return;
	for (uint32_t i = 0; i < bob_mpi_predefined_count; i++) {
		const struct bob_mpi_predefined *p = &bob_mpi_predefined[i];
		uint64_t handle = p->value, was;

		if (p->symbol)
			handle = (uint64_t)(uintptr_t)bob_mpi_symbol(p->symbol);
		found &= !p->symbol || handle;
		if ((!p->symbol || handle) && !bob_mpi_numbers_get(p->kind, handle, &was))
			bob_mpi_numbers_set(p->kind, handle, p->number);
	}
	__atomic_store_n(&all, found, __ATOMIC_RELAXED);
}

uint64_t bob_mpi_predefined_handle(enum bob_mpi_kind kind, uint32_t number)
{
	for (uint32_t i = 0; i < bob_mpi_predefined_count; i++) {
		const struct bob_mpi_predefined *p = &bob_mpi_predefined[i];

		if (p->kind == kind && p->number == number)
			return p->symbol ? (uint64_t)(uintptr_t)bob_mpi_symbol(p->symbol) :
					   p->value;
	}
	return 0;
}

static uint64_t number_of(enum bob_mpi_kind kind, uint64_t handle)
{
	uint64_t n;

	return bob_mpi_numbers_get(kind, handle, &n) ? n : UNKNOWN;
}

/* MPI counts references to these kinds and returns the same handle again. If the table has the
 * handle with another kind, the entry is stale: its release was not seen. */
static bool is_counted(enum bob_mpi_kind kind)
{
	return kind == BOB_MPI_KIND_GROUP || kind == BOB_MPI_KIND_ERRH;
}

static uint64_t new_one(enum bob_mpi_kind kind, uint64_t handle)
{
	uint64_t n;

	/* The call may return the null handle or another predefined one. */
	if (bob_mpi_numbers_get(kind, handle, &n) && n < FIRST_NEW)
		return n;
	if (is_counted(kind) && bob_mpi_numbers_share(kind, handle, &n))
		return n;
	n = FIRST_NEW + __atomic_fetch_add(&made[kind], 1, __ATOMIC_RELAXED);
	return bob_mpi_numbers_set(kind, handle, n) ? n : UNKNOWN;
}

/* `word` is the handle's number before the call: another thread may have received the same handle
 * since. */
static uint64_t left(enum bob_mpi_kind kind, uint64_t was, uint64_t now, uint64_t word)
{
	if (was != now && word >= FIRST_NEW && word != UNKNOWN)
		bob_mpi_numbers_drop(kind, was, word);
	return number_of(kind, now);
}

#define HANDLE(name, type, kind)                                                                   \
	uint64_t bob_mpi_##name(type h)                                                            \
	{                                                                                          \
		return number_of(BOB_MPI_KIND_##kind, (uint64_t)h);                                \
	}                                                                                          \
	uint64_t bob_mpi_new_##name(type h)                                                        \
	{                                                                                          \
		return new_one(BOB_MPI_KIND_##kind, (uint64_t)h);                                  \
	}                                                                                          \
	uint64_t bob_mpi_left_##name(type was, type now, uint64_t word)                            \
	{                                                                                          \
		return left(BOB_MPI_KIND_##kind, (uint64_t)was, (uint64_t)now, word);              \
	}

HANDLE(group, MPI_Group, GROUP)
HANDLE(type, MPI_Datatype, TYPE)
HANDLE(op, MPI_Op, OP)
HANDLE(win, MPI_Win, WIN)
HANDLE(file, MPI_File, FILE)
HANDLE(errh, MPI_Errhandler, ERRH)
HANDLE(info, MPI_Info, INFO)
HANDLE(message, MPI_Message, MESSAGE)
HANDLE(session, uint64_t, SESSION)
HANDLE(keyval, int, KEYVAL)

uint64_t bob_mpi_comm(MPI_Comm h)
{
	return number_of(BOB_MPI_KIND_COMM, (uint64_t)h);
}

uint64_t bob_mpi_new_comm(struct bob_mpi_call *c, MPI_Comm h)
{
	(void)c;
	return new_one(BOB_MPI_KIND_COMM, (uint64_t)h);
}

uint64_t bob_mpi_left_comm(MPI_Comm was, MPI_Comm now, uint64_t word)
{
	return left(BOB_MPI_KIND_COMM, (uint64_t)was, (uint64_t)now, word);
}
