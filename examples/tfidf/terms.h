/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of terms with counts, and documents as such tables. */
#ifndef TFIDF_TERMS_H
#define TFIDF_TERMS_H

#include <stddef.h>
#include <stdint.h>

struct term {
	char *word;		/* NULL: an empty slot */
	int64_t count;
};

/* A hash table; all zero is an empty one. */
struct terms {
	struct term *slot;	/* a power of two of them, at most three quarters used */
	size_t slots, used;
};

/* Adds to the word's count. Returns 0, or -1: out of memory. */
int terms_add(struct terms *t, const char *word, size_t len, int64_t count);
int64_t terms_count(const struct terms *t, const char *word);	/* 0 if it is missing */
int terms_same(const struct terms *a, const struct terms *b);
void terms_free(struct terms *t);

/* Counts the words of a file. Returns their number, or -1: it cannot be read, or out of memory. */
int64_t terms_read(struct terms *t, const char *path);

/* The sorted names of the .txt files in a folder; the caller frees *names and each name. Returns
 * their number, or -1. */
int documents_list(const char *folder, char ***names);

#endif
