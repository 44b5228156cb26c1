/* SPDX-License-Identifier: BSD-3-Clause */
/* A minimal recorder for bench_run, linked with a program compiled by -finstrument-functions. It
 * writes the main thread's symbols to the file BOBBIN_SYM, as 32-bit words. Ids are in the order of
 * the functions' addresses, as in the agent. Single-threaded programs only. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/symbol.h"

#define MAX_SYMBOLS (16u << 20)
#define MAX_FUNCTIONS 65536u
#define OFF __attribute__((no_instrument_function))

void __cyg_profile_func_enter(void *fn, void *site) OFF;
void __cyg_profile_func_exit(void *fn, void *site) OFF;
static void finish(void) OFF;
static int by_address(const void *a, const void *b) OFF;

static uintptr_t *events;	/* 0 for an exit */
static size_t count;

__attribute__((constructor)) OFF static void start(void)
{
	events = malloc(2 * MAX_SYMBOLS * sizeof(*events));
	atexit(finish);
}

void __cyg_profile_func_enter(void *fn, void *site)
{
	(void)site;
	if (events && count < 2 * MAX_SYMBOLS)
		events[count++] = (uintptr_t)fn;
}

void __cyg_profile_func_exit(void *fn, void *site)
{
	(void)fn;
	(void)site;
	if (events && count < 2 * MAX_SYMBOLS)
		events[count++] = 0;
}

static int by_address(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return x < y ? -1 : x > y;
}

static void finish(void)
{
	static uintptr_t fn[MAX_FUNCTIONS];
	const char *name = getenv("BOBBIN_SYM");
	FILE *f = name ? fopen(name, "wb") : NULL;
	uintptr_t *all = events, last = 0;
	size_t n = count, fns = 0, unique = 0;
	uint32_t pops = 0;

	events = NULL;
	for (size_t i = 0; i < n; i++) {
		size_t j = 0;

		if (!all[i] || all[i] == last)
			continue;
		last = all[i];
		/* newest first, because of locality */
		for (j = fns; j > 0 && fn[j - 1] != last; j--)
			;
		if (!j && fns < MAX_FUNCTIONS)
			fn[fns++] = last;
	}
	qsort(fn, fns, sizeof(*fn), by_address);
	unique = fns;
	for (size_t i = 0; f && i < n; i++) {
		uintptr_t *at;
		uint32_t sym;

		if (!all[i]) {
			pops++;
			continue;
		}
		at = bsearch(&all[i], fn, unique, sizeof(*fn), by_address);
		if (!at)
			continue;
		for (; pops > BOB_SYM_POPS_MAX; pops -= BOB_SYM_POPS_MAX) {
			sym = bob_sym_make_ext(BOB_SYM_POPS, BOB_SYM_POPS_MAX);
			fwrite(&sym, 4, 1, f);
		}
		sym = bob_sym_make(pops, (uint32_t)(at - fn));
		pops = 0;
		fwrite(&sym, 4, 1, f);
	}
	if (f)
		fclose(f);
	_Exit(0);
}
