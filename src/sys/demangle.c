/* SPDX-License-Identifier: BSD-3-Clause */
/* Demangling by the C++ run time's __cxa_demangle, which is looked up at the first mangled name:
 * bobbin itself does not link C++. Without it, names stay mangled. */
#include <dlfcn.h>
#include <string.h>

#include "sys/sys.h"

typedef char *(*demangle_fn)(const char *name, char *buf, size_t *len, int *status);

static demangle_fn find_demangler(void)
{
	void *lib = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	demangle_fn found;
	void *f;

	if (!lib)
		lib = dlopen("libc++abi.so.1", RTLD_NOW | RTLD_LOCAL);
	f = lib ? dlsym(lib, "__cxa_demangle") : NULL;
	memcpy(&found, &f, sizeof(f));
	return found;
}

char *bob_demangle(const char *name)
{
	static demangle_fn demangle;
	static int looked;
	int status;

	if (name[0] != '_' || name[1] != 'Z')
		return NULL;
	if (!looked)
		demangle = find_demangler();
	looked = 1;
	return demangle ? demangle(name, NULL, NULL, &status) : NULL;
}

size_t bob_demangled_base(const char *text)
{
	const char *p = strrchr(text, ')');
	int open = 0;

	for (; p && p > text; p--) {
		open += *p == ')';
		open -= *p == '(';
		if (!open)
			return (size_t)(p - text);
	}
	return strlen(text);
}
