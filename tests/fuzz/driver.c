/* SPDX-License-Identifier: BSD-3-Clause */
/* Replays a corpus through a fuzz target without a fuzzer: every file of the directory or list given
 * is one input. An empty or missing corpus fails, so that a test cannot pass by testing nothing. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Run one file; the input is copied to a block of exactly its size, so that ASan sees an overrun. */
static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	uint8_t *data;
	size_t size;

	if (!f || fstat(fileno(f), &st) != 0) {
		perror(path);
		if (f)
			fclose(f);
		return -1;
	}
	size = (size_t)st.st_size;
	data = malloc(size ? size : 1);
	if (!data || fread(data, 1, size, f) != size) {
		fprintf(stderr, "%s: cannot be read\n", path);
		free(data);
		fclose(f);
		return -1;
	}
	fclose(f);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

static int replay_dir(const char *dir, unsigned long *count)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int bad = 0;

	if (!d) {
		perror(dir);
		return -1;
	}
	while ((e = readdir(d))) {
		char path[4096];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (e->d_name[0] == '.' || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
			continue;
		if (replay_file(path) != 0)
			bad = -1;
		++*count;
	}
	closedir(d);
	return bad;
}

int main(int argc, char **argv)
{
	unsigned long count = 0;
	int bad = 0;

	for (int i = 1; i < argc; i++) {
		struct stat st;

		if (stat(argv[i], &st) == 0 && S_ISREG(st.st_mode)) {
			bad |= replay_file(argv[i]);
			count++;
		} else {
			bad |= replay_dir(argv[i], &count);
		}
	}
	printf("%lu inputs replayed\n", count);
	if (count == 0)
		fprintf(stderr, "no input: the corpus is empty or missing\n");
	return bad || count == 0;
}
