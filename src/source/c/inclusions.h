/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the files that a text includes, the places, and the compiler's names of them: for
 * headers.c. Owner: struct bob_c_inc_headers; names are owned by the unit. Threads: one. */
#ifndef BOB_SOURCE_C_INCLUSIONS_H
#define BOB_SOURCE_C_INCLUSIONS_H

#include "source/c/unit.h"

#define BOB_C_NO UINT32_MAX

struct bob_c_inc_file {
	CXFile at;
	const char *name, *bytes;
	size_t size;
	bool is_taken, is_once;
	bool is_barred;		/* it must not be copied */
};

/* An inclusion: at this point the file is read, at byte `offset` of the including one. */
struct bob_c_inc_entry {
	uint32_t file, parent, offset;
	uint32_t depth;
	const char *name;	/* as of the compiler */
	bool is_taken;
};

/* An #include line, whether its file is read there or not. */
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
	/* trial: names are those of the preprocessor, whose input has no folder */
	bool is_trial;
	bool is_failed;
};

/* Fills files, entries and directives; the first of each is the file itself. False: no memory, or
 * there are too many. */
bool bob_c_inclusions_find(struct bob_c_inc_headers *h);
/* Length of the folder part of a name. */
size_t bob_c_folder_len(const char *name);

#endif
