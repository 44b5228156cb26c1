/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole traces of every kind, with right checksums: the input is the files of a trace directory
 * (trace_blob.h), mutated inside of their chunks (trace_mutate.h). The trace is opened in memory
 * and read as the verbs read it.
 *
 * A trace of a few bytes may stand for 2^60 events. What lists events is cut off after some; what
 * must read all of them is done for small traces only; what reads the folded form is done for all.
 *
 * Bytes after the files, which mutations add, choose a part of what is read of a small trace, so
 * that an input takes milliseconds: read_trace's bits, and above them what is written. Without them
 * everything is. */
#define _GNU_SOURCE
#undef NDEBUG
#include <assert.h>
#include <stdio.h>

#include "trace_analyse.h"
#include "trace_mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What writes a file: merging one process, folding it anew, merging all. The last bits of what
 * an input chooses. */
enum writing { MERGE_ONE, FOLD_ONE, MERGE_ALL, MERGE_RUNNING, WRITINGS };
#define WRITE_SHIFT 7
#define CHOICES (WRITE_SHIFT + WRITINGS)

/* After the files: what is read and written of a small trace, two things of all. */
static size_t choose(uint8_t *data, size_t len, size_t max, unsigned int seed)
{
	const uint16_t what = (uint16_t)(1u << seed % CHOICES | 1u << seed / CHOICES % CHOICES);

	if (max - len < sizeof(what))
		return len;
	memcpy(data + len, &what, sizeof(what));
	return len + sizeof(what);
}

static bob_status write_file(const struct bob_trace *t, enum writing how, FILE *to)
{
	const struct bob_fold_settings loss = { .tolerance = 64, .window = 16 };
	uint8_t is_in[PROCESSES_MAX];

	switch (how) {
	case MERGE_ONE:
		return bob_archive_merge(t, 0, 1, to, NULL);
	case FOLD_ONE:
		return bob_archive_fold(t, 0, &loss, to, NULL);
	case MERGE_ALL:
		return bob_archive_merge_processes(t, 0, to, is_in, NULL);
	default:
		return bob_archive_merge_running(t, to, NULL);
	}
}

static struct bytes read_back(FILE *f)
{
	struct bytes b = { NULL, 0 };

	fseek(f, 0, SEEK_END);
	b.len = (size_t)ftell(f);
	rewind(f);
	b.at = must_alloc(b.len);
	if (fread(b.at, 1, b.len, f) != b.len)
		abort();
	return b;
}

/* What has been written can be read in the same way. */
static void write_again(const struct bob_trace *t, const struct bob_memory_file *files,
			size_t count, uint32_t what)
{
	for (int how = 0; how < WRITINGS; how++) {
		struct bob_memory_file now[BLOB_FILES_MAX + 1];
		struct bob_trace *again;
		struct bytes b;
		FILE *f;

		if (!(what >> (WRITE_SHIFT + how) & 1))
			continue;
		f = tmpfile();
		assert(f);
		if (write_file(t, how, f) != BOB_OK) {
			fclose(f);
			continue;
		}
		b = read_back(f);
		fclose(f);
		memcpy(now, files, count * sizeof(*files));
		now[count] = (struct bob_memory_file){ "trace.1.0.bob", b.at, b.len };
		if (how == MERGE_ONE || how == FOLD_ONE)
			now[count].name = t->processes[0]->file->name;
		/* alone, and beside the files that it stands for */
		for (size_t from = 0; from <= count; from += count) {
			if (bob_archive_open_memory(now + count - from, 1 + from, &again, NULL) !=
			    BOB_OK)
				continue;
			(void)read_trace(again, what | READ_CHECK);
			bob_trace_close(again);
		}
		free(b.at);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct blob_file blob[BLOB_FILES_MAX];
	struct bob_memory_file files[BLOB_FILES_MAX];
	size_t used;
	const size_t n = blob_read(data, size, blob, &used);
	struct bob_trace *t;
	uint16_t what = UINT16_MAX;

	if (size - used >= sizeof(what))
		memcpy(&what, data + used, sizeof(what));
	for (size_t i = 0; i < n; i++)
		files[i] = (struct bob_memory_file){ blob[i].name, blob[i].file.at,
						     blob[i].file.len };
	if (n && bob_archive_open_memory(files, n, &t, NULL) == BOB_OK) {
		if (read_trace(t, what) && t->process_count <= PROCESSES_MAX)
			write_again(t, files, n, what);
		bob_trace_close(t);
	}
	blob_free(blob, n);
	return 0;
}
