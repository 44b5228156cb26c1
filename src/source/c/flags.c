/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the compiler's flags that affect the meaning of the text, for libclang and the
 * preprocessor. */
#include "source/c/unit.h"

#include <stdlib.h>
#include <string.h>

/* Prefixes of flags that affect the meaning of a text. All others (optimisation, warnings, output,
 * linking) are ignored. */
static const char *const kept[] = {
	"-I",	  "-D",		   "-U",	     "-std=",		  "-ansi",
	"-m",	  "-include",	   "-isystem",	     "-iquote",		  "-idirafter",
	"-O",	  "-fsigned-char", "-funsigned-char", "-fshort-enums",	  "-fgnu89-inline",
	"-pthread", "-nostdinc",   "--sysroot=",     "-fms-extensions",	  "-fno-builtin",
	"-ffreestanding", "-fno-signed-char", "-fno-unsigned-char", "-isysroot", "-imacros",
};
static const char *const with_word[] = {
	"-I",	   "-D",	 "-U",	      "-include", "-isystem",
	"-iquote", "-idirafter", "-isysroot", "-imacros"
};

static bool is_kept(const char *flag)
{
	/* Fortran flags: the command may have such files, too. */
	if (!strncmp(flag, "-std=f", 6) || !strcmp(flag, "-std=legacy") ||
	    !strcmp(flag, "-std=gnu"))
		return false;
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (!strncmp(flag, kept[i], strlen(kept[i])))
			return true;
	return false;
}

static bool has_word(const char *flag)
{
	for (size_t i = 0; i < sizeof(with_word) / sizeof(with_word[0]); i++)
		if (!strcmp(flag, with_word[i]))
			return true;
	return false;
}

bool bob_c_is_loose(const struct bob_source_c_options *o)
{
	bool is_loose = false;

	for (uint32_t i = 0; i < o->flag_count; i++)
		if (!strcmp(o->flags[i], "-fno-strict-aliasing") ||
		    !strcmp(o->flags[i], "-fstrict-aliasing"))
			is_loose = o->flags[i][2] == 'n';
	return is_loose;
}

/* OpenMP is not enabled: its pragmas are parsed as text (pragmas.c), and the tree is that of the
 * loops. */
const char **bob_c_clang_flags(const struct bob_source_c_options *o, int *count)
{
	const char **to = calloc((size_t)o->flag_count + 4, sizeof(*to));
	int n = 0;

	if (!to)
		return NULL;
	to[n++] = "-w";
	to[n++] = "-xc";
	to[n++] = "-ferror-limit=1";
	for (uint32_t i = 0; i < o->flag_count; i++) {
		if (!strcmp(o->flags[i], "-fopenmp"))
			to[n++] = "-D_OPENMP=201511";
		else if (is_kept(o->flags[i]))
			to[n++] = o->flags[i];
		if (has_word(o->flags[i]) && i + 1 < o->flag_count)
			to[n++] = o->flags[++i];
	}
	*count = n;
	return to;
}

const char *bob_c_macro_of_flags(const struct bob_source_c_options *o, const char *name)
{
	const size_t len = strlen(name);
	const char *value = NULL;

	for (uint32_t i = 0; i < o->flag_count; i++) {
		const char *flag = o->flags[i];
		const bool is_set = !strncmp(flag, "-D", 2);

		if (!is_set && strncmp(flag, "-U", 2) != 0)
			continue;
		flag += 2;
		if (!*flag && i + 1 < o->flag_count)
			flag = o->flags[++i];
		if (!strncmp(flag, name, len) && (!flag[len] || flag[len] == '='))
			value = !is_set ? NULL : flag[len] ? flag + len + 1 : "1";
	}
	return value;
}

const char **bob_c_preprocessor_flags(const struct bob_source_c_options *o, const char *cc,
				      const char *folder)
{
	const char **to = calloc((size_t)o->flag_count + 10, sizeof(*to));
	int n = 0;

	if (!to)
		return NULL;
	to[n++] = cc;
	/* The file's folder is searched first, as for the file itself. */
	to[n++] = "-iquote";
	to[n++] = folder;
	for (uint32_t i = 0; i < o->flag_count; i++) {
		if (is_kept(o->flags[i]) || !strcmp(o->flags[i], "-fopenmp"))
			to[n++] = o->flags[i];
		if (has_word(o->flags[i]) && i + 1 < o->flag_count)
			to[n++] = o->flags[++i];
	}
	to[n++] = "-w";
	to[n++] = "-E";
	to[n++] = "-P";
	to[n++] = "-xc";
	to[n++] = "/proc/self/fd/0"; /* "-" would search headers in the current folder */
	return to;
}
