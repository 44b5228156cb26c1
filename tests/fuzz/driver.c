/* SPDX-License-Identifier: BSD-3-Clause */
/* Replays a corpus through a fuzz target without a fuzzer: every file of the directory or list
 * given is one input. An empty or missing corpus fails, so that a test cannot pass by testing
 * nothing. If the target has a mutator, its mutations of each input are inputs, too: MUTATIONS
 * in rows of ROW, the same ones every time. `-mutations=N` before the files says how many
 * instead; `-keep=FILE` writes each input there before it is run, so the last one remains of a
 * crash. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef __SANITIZE_ADDRESS__
#define MUTATIONS 20u
#else
#define MUTATIONS 100u
#endif
#define ROW 4u /* mutations of mutations */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
	__attribute__((weak));
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static unsigned mutations = MUTATIONS;
static const char *keep;
static uint64_t random_state;

/* What libFuzzer gives to mutators: a change of some bytes, here drawn by random_state. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
	const uint64_t r = random_state * 6364136223846793005u + 1442695040888963407u;
	size_t at;

	random_state = r;
	at = size ? (size_t)(r >> 33) % size : 0;
	switch ((r >> 60) & 3) {
	case 0:
		if (size < max_size) {
			memmove(data + at + 1, data + at, size - at);
			data[at] = (uint8_t)(r >> 24);
			return size + 1;
		}
		break;
	case 1:
		if (size > 1) {
			memmove(data + at, data + at + 1, size - at - 1);
			return size - 1;
		}
		break;
	case 2:
		if (size)
			data[at] = (uint8_t)(r >> 24);
		break;
	default:
		if (size)
			data[at] ^= (uint8_t)(1u << (r >> 24 & 7));
	}
	return size;
}

static void keep_input(const uint8_t *data, size_t size)
{
	FILE *f = keep ? fopen(keep, "wb") : NULL;

	if (f) {
		fwrite(data, 1, size, f);
		fclose(f);
	}
}

/* Copied to a block of exactly its size, so that ASan sees an overrun. */
static void run_copy(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	keep_input(data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void run_mutations(const uint8_t *data, size_t size)
{
	const size_t max = 2 * size + 4096;
	uint8_t *buffer = malloc(max);
	size_t len = size;

	if (!buffer)
		abort();
	for (unsigned i = 0; i < mutations; i++) {
		if (i % ROW == 0) {
			memcpy(buffer, data, size);
			len = size;
		}
		random_state = i;
		len = LLVMFuzzerCustomMutator(buffer, len, max, i);
		run_copy(buffer, len);
	}
	free(buffer);
}

/* Run one file. */
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
	run_copy(data, size);
	if (LLVMFuzzerCustomMutator)
		run_mutations(data, size);
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

		if (sscanf(argv[i], "-mutations=%u", &mutations) == 1)
			continue;
		if (!strncmp(argv[i], "-keep=", 6)) {
			keep = argv[i] + 6;
			continue;
		}
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
