/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads libclang. Versions from 14 on have all required functions, and the same numbers for the
 * cursor kinds that are used here. */
#include "source/c/clang.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
	"libclang-14.so.13", "libclang-14.so.1", "libclang-15.so.15", "libclang-16.so.16",
	"libclang.so.1",     "libclang-17.so.17", "libclang-18.so.18", "libclang-19.so.19",
	"libclang.so.13",
};

static bool find_all(void *library, struct bob_clang *to)
{
	void *p;

#define X(name)                                                                                    \
	p = dlsym(library, "clang_" #name);                                                        \
	if (!p)                                                                                    \
		return false;                                                                      \
	memcpy(&to->name, &p, sizeof(p));
	BOB_CLANG_FUNCTIONS(X)
#undef X
	return true;
}

static bool load(const char *name, struct bob_clang *to)
{
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	if (find_all(library, to))
		return true;
	dlclose(library);
	return false;
}

const struct bob_clang *bob_clang_load(void)
{
	static struct bob_clang clang;
	static bool is_loaded;
	const char *own = getenv("BOBBIN_LIBCLANG");

	if (is_loaded)
		return &clang;
	if (own && *own)
		is_loaded = load(own, &clang);
	for (size_t i = 0; !(own && *own) && !is_loaded && i < sizeof(names) / sizeof(names[0]);
	     i++)
		is_loaded = load(names[i], &clang);
	return is_loaded ? &clang : NULL;
}
