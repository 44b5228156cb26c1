/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash tables of terms with open addressing, and the words of files. */
#include "terms.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_MAX 64	/* significant letters of a word */

/* --- tables --- */

static uint64_t hash(const char *word, size_t len)
{
	uint64_t h = 14695981039346656037ull;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)word[i]) * 1099511628211ull;
	return h ^ h >> 32;
}

static struct term *find(const struct terms *t, const char *word, size_t len)
{
	size_t i = hash(word, len) & (t->slots - 1);

	while (t->slot[i].word &&
	       (strlen(t->slot[i].word) != len || memcmp(t->slot[i].word, word, len)))
		i = (i + 1) & (t->slots - 1);
	return &t->slot[i];
}

static int grow(struct terms *t)
{
	struct terms bigger = { NULL, t->slots ? 2 * t->slots : 64, t->used };

	bigger.slot = calloc(bigger.slots, sizeof(*bigger.slot));
	if (!bigger.slot)
		return -1;
	for (size_t i = 0; i < t->slots; i++)
		if (t->slot[i].word)
			*find(&bigger, t->slot[i].word, strlen(t->slot[i].word)) = t->slot[i];
	free(t->slot);
	*t = bigger;
	return 0;
}

int terms_add(struct terms *t, const char *word, size_t len, int64_t count)
{
	struct term *term;

	if (4 * t->used >= 3 * t->slots && grow(t))
		return -1;
	term = find(t, word, len);
	if (!term->word) {
		term->word = malloc(len + 1);
		if (!term->word)
			return -1;
		memcpy(term->word, word, len);
		term->word[len] = 0;
		t->used++;
	}
	term->count += count;
	return 0;
}

int64_t terms_count(const struct terms *t, const char *word)
{
	struct term *term = t->slots ? find(t, word, strlen(word)) : NULL;

	return term && term->word ? term->count : 0;
}

int terms_same(const struct terms *a, const struct terms *b)
{
	if (a->used != b->used)
		return 0;
	for (size_t i = 0; i < a->slots; i++)
		if (a->slot[i].word && terms_count(b, a->slot[i].word) != a->slot[i].count)
			return 0;
	return 1;
}

void terms_free(struct terms *t)
{
	for (size_t i = 0; i < t->slots; i++)
		free(t->slot[i].word);
	free(t->slot);
	memset(t, 0, sizeof(*t));
}

/* --- documents --- */

int64_t terms_read(struct terms *t, const char *path)
{
	FILE *f = fopen(path, "r");
	char word[WORD_MAX];
	size_t len = 0;
	int64_t words = 0;
	int c, bad = !f;

	while (!bad) {
		c = getc(f);
		if (c != EOF && isalpha(c)) {
			if (len < WORD_MAX)
				word[len++] = (char)tolower(c);
			continue;
		}
		if (len) {
			bad = terms_add(t, word, len, 1);
			words++;
			len = 0;
		}
		if (c == EOF)
			break;
	}
	bad |= f && ferror(f);
	if (f)
		fclose(f);
	return bad ? -1 : words;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int documents_list(const char *folder, char ***names)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	int n = 0;

	*names = NULL;
	while (d && (e = readdir(d))) {
		size_t len = strlen(e->d_name);
		char **more;

		if (len < 5 || strcmp(e->d_name + len - 4, ".txt"))
			continue;
		more = realloc(*names, ((size_t)n + 1) * sizeof(*more));
		if (!more)
			break;
		*names = more;
		(*names)[n++] = strdup(e->d_name);
	}
	if (!d)
		return -1;
	closedir(d);
	if (n)
		qsort(*names, (size_t)n, sizeof(**names), by_name);
	return n;
}
