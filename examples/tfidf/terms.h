/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of terms with a number each, and documents as such tables. */
#ifndef TFIDF_TERMS_H
#define TFIDF_TERMS_H

#include <stddef.h>
#include <stdint.h>

struct term {
	char *word;		/* NULL: a free slot */
	int64_t count;
};

/* All zero is an empty one. */
struct terms {
	struct term *slot;	/* a power of two of them, at most three quarters in use */
	size_t slots, used;
};

/* Adds to the word's number. Returns 0, or -1: out of memory. */
int terms_add(struct terms *t, const char *word, size_t len, int64_t count);
int64_t terms_count(const struct terms *t, const char *word);	/* 0 if it is not there */
int terms_same(const struct terms *a, const struct terms *b);
void terms_free(struct terms *t);

/* The words of a file, and how often each is there. Returns how many, or -1: it cannot be read, or out of memory. */
int64_t terms_read(struct terms *t, const char *path);

/* The sorted names of the .txt files in a folder. *names is the caller's, as is each of them. Returns how many, or -1. */
int documents_list(const char *folder, char ***names);

#endif
