/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes golden traces below the directory given, <name>/, and their dumps, <name>.dump, unless a
 * neighbouring directory has that dump: a dump does not depend on how the trace is stored. v1 has
 * all traces with the first version of each chunk; v2, v3 ... those with a newer version of a
 * chunk. Run once per new trace; it does not overwrite traces.
 *   gcc -Isrc -Iinclude -Itests/golden tests/golden/make_golden.c -Lbuild/release/lib \
 *       -lbob_archive -lbob_mem -lbob_fold -lbob_run -lbob_base -lzstd */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces.h"

static int write_file(const char *dir, const char *name, const void *bytes, size_t len)
{
	char path[4096];
	FILE *f;
	int bad;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wbx");
	if (!f) {
		perror(path);
		return 1;
	}
	bad = fwrite(bytes, 1, len, f) != len;
	return bad | (fclose(f) != 0);
}

static int is_asked_for(const char *name, char **names, int count)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return 1;
	return !count;
}

static int write_dump(const char *dir, const char *name)
{
	char path[4096];
	struct bob_trace *t;
	FILE *f;
	int bad;

	snprintf(path, sizeof(path), "%s.dump", name);
	if (bob_trace_open(dir, &t, NULL) != BOB_OK)
		return 1;
	f = fopen(path, "wx");
	if (!f) {
		perror(path);
		bob_trace_close(t);
		return 1;
	}
	bad = bob_archive_dump(t, f) != BOB_OK;
	bob_trace_close(t);
	return bad | (fclose(f) != 0);
}

int main(int argc, char **argv)
{
	int bad = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: make_golden DIRECTORY [NAME...]\n");
		return 2;
	}
	for (size_t i = 0; i < GOLDEN_TRACES && !bad; i++) {
		struct golden g = { .count = 0 };
		char dir[2048], first[4096];

		if (!is_asked_for(golden_traces[i].name, argv + 2, argc - 2))
			continue;
		snprintf(dir, sizeof(dir), "%s/%s", argv[1], golden_traces[i].name);
		if (mkdir(dir, 0777)) {
			perror(dir);
			continue;
		}
		golden_traces[i].make(&g);
		for (size_t k = 0; k < g.count; k++)
			bad |= write_file(dir, g.files[k].name, g.files[k].bytes, g.files[k].len);
		snprintf(first, sizeof(first), "%s/../v1/%s.dump", argv[1], golden_traces[i].name);
		if (access(first, F_OK))
			bad |= write_dump(dir, dir);
		golden_free(&g);
	}
	return bad;
}
