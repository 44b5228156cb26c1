/* SPDX-License-Identifier: BSD-3-Clause */
/* Serialised tables of terms, for messages between ranks. */
#ifndef TFIDF_PACK_H
#define TFIDF_PACK_H

#include "terms.h"

/* Zero-terminated words, each followed by 8 bytes of its count. The caller frees *bytes; NULL: out
 * of memory. */
char *terms_serialise(const struct terms *t, size_t *bytes);
/* Adds a serialised table. Returns 0, or -1 if it is invalid or memory is exhausted. */
int terms_deserialise(struct terms *t, const char *bytes, size_t len);

#endif
