/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files a text includes, where, and what the compiler calls them: for headers.c. Owner:
 * struct bob_c_inc_headers, but names are the unit's. Threads: one. */
#ifndef BOB_SOURCE_C_INCLUSIONS_H
#define BOB_SOURCE_C_INCLUSIONS_H

#include "source/c/unit.h"

#define BOB_C_NO UINT32_MAX

struct bob_c_inc_file {
	CXFile at;
	const char *name, *bytes;
	size_t size;
	bool is_taken, is_once;
	bool is_barred;		/* it has to stay */
};

/* A file is read here, from byte `offset` of the one around on. */
struct bob_c_inc_entry {
	uint32_t file, parent, offset;
	uint32_t depth;
	const char *name;	/* as the compiler has it */
	bool is_taken;
};

/* A line that includes a file, whether it is read there or not. */
struct bob_c_inc_directive {
	uint32_t file, offset, target;
	bool is_quoted;
};

struct bob_c_inc_headers {
	struct bob_c_unit *u;
	BOB_VEC(struct bob_c_inc_file) files;
	BOB_VEC(struct bob_c_inc_entry) entries;
	BOB_VEC(struct bob_c_inc_directive) directives;
	struct bob_c_sources *sources;
	struct bob_c_bytes *to;
	uint32_t lines;		/* of the text so far */
	/* names are as the preprocessor has them, whose input has no folder */
	bool is_trial;
	bool is_failed;
};

/* Fills files, entries and directives; the first of each is the file itself. False: no memory, or
 * far too many. */
bool bob_c_inclusions_find(struct bob_c_inc_headers *h);
/* Bytes of the folder that a name begins with. */
size_t bob_c_folder_len(const char *name);

#endif
