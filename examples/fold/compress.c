/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace compressor made with libbobbin. Lines of a name and up to 16 numbers become leaves:
 *     cc compress.c $(pkg-config --cflags --libs bobbin) -o compress
 *     ./compress < trace.txt > trace.fold      ./compress -d < trace.fold */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/fold.h>

static void *resize(void *ctx, void *old, size_t old_size, size_t size)
{
	(void)ctx, (void)old_size;
	if (size)
		return realloc(old, size);
	free(old);
	return NULL;
}

static void write_out(void *ctx, const void *bytes, size_t len)
{
	fwrite(bytes, 1, len, ctx);
}

static int compress(void)
{
	void *mem = calloc(1, bob_folder_size()); /* little of it is touched */
	char line[1000], name[200];

	struct bob_folder *f = mem ? bob_folder_begin(mem, write_out, stdout) : NULL;
	while (f && fgets(line, sizeof(line), stdin)) {
		uint64_t word[16];
		uint32_t words = 0, shape;
		int at, n;

		if (sscanf(line, "%190s%n", name, &at) != 1)
			continue;
		for (; words < 16 && sscanf(line + at, "%lu%n", &word[words], &n) == 1; words++)
			at += n;
		name[strlen(name) + 1] = (char)words; /* as many words are another shape */
		while (bob_folder_shape(f, name, strlen(name) + 2, BOB_FOLD_NO_PATH, words,
					&shape) == BOB_ERR_FULL)
			bob_folder_again(f);
		bob_folder_put(f, shape, word);
	}
	if (f)
		bob_folder_end(f);
	return !f || ferror(stdout) || fflush(stdout);
}

static int expand(void)
{
	static char bytes[1 << 26]; /* an example: traces up to 64 MB */
	const struct bob_alloc alloc = { resize, NULL };
	size_t len = fread(bytes, 1, sizeof(bytes), stdin);
	struct bob_fold_cursor *cursor;
	struct bob_fold_event event;
	struct bob_fold_shape shape;
	struct bob_folded *folded;

	if (bob_folded_open(bytes, len, 0, &alloc, &folded) != BOB_OK ||
	    bob_fold_cursor_open(folded, 0, &cursor) != BOB_OK)
		return 1;
	while (bob_fold_cursor_next(cursor, &event) == BOB_OK) {
		bob_folded_shape(folded, event.shape, &shape);
		fputs((const char *)shape.key, stdout);
		for (uint32_t i = 0; i < event.words; i++)
			printf(" %lu", event.word[i]);
		puts("");
	}
	bob_fold_cursor_close(cursor);
	bob_folded_close(folded);
	return fflush(stdout);
}

int main(int argc, char **argv)
{
	return argc > 1 && !strcmp(argv[1], "-d") ? expand() : compress();
}
