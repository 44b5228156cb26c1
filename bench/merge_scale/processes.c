/* SPDX-License-Identifier: BSD-3-Clause */
/* Size of the process descriptions (pid, host, times, command line, environment, images) in a
 * merged trace, with the functions that merge files: bytes, and time to merge and to read.
 * Processes record nothing else. Prints CSV.
 *
 *     processes LEAST MOST      powers of two
 *
 * Sixty-four ranks per host; pids, addresses and times are as from a kernel: nearly ordered,
 * random, random to the ns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "archive/archive.h"
#include "archive/reader.h"
#include "archive/write/write.h"
#include "base/hash.h"

#define FILE_BYTES 16384u
#define HOST_RANKS 64u

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check(bob_status st, const char *what)
{
	if (st == BOB_OK)
		return;
	fprintf(stderr, "processes: %s: %s\n", what, bob_status_text(st));
	abort();
}

/* A function of rank and purpose. */
static uint64_t random_of(uint32_t rank, uint32_t what, uint64_t below)
{
	return bob_hash_mix((uint64_t)rank << 32 | (what + 1)) % below;
}

struct made {
	uint8_t *bytes;
	uint64_t len;
	char name[BOB_NAME_BYTES];
};

static void *chunk(struct made *m, enum bob_chunk_kind kind, uint32_t stream, uint64_t len)
{
	struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(m->bytes + m->len);

	if (m->len + bob_chunk_bytes(len) > FILE_BYTES)
		abort();
	bob_chunk_begin(c, kind, stream, len, 0);
	m->len += bob_chunk_bytes(len);
	return bob_chunk_data(c);
}

static void meta(struct made *m, const struct bob_meta *from)
{
	struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(m->bytes + m->len);

	memcpy(chunk(m, BOB_CHUNK_META, BOB_STREAM_NONE, from->len), from->buf, from->len);
	bob_chunk_seal(c, from->len);
}

/* Zero-terminated texts: the arguments of the format are the rank, and the number of ranks. */
static void put_list(struct bob_meta *to, uint32_t kind, const char *const *format, uint32_t rank,
		     uint32_t ranks)
{
	char text[4096];
	size_t at = 0;

	for (; *format; format++)
		at += 1 + (size_t)snprintf(text + at, sizeof(text) - at, *format, rank, ranks);
	bob_meta_put(to, kind, text, at);
}

static void put_images(struct bob_meta *to, uint32_t rank)
{
	static const char *const path[] = { "/apps/solver/bin/solver",
					    "/apps/solver/lib/libmesh.so.2.1",
					    "/usr/lib/x86_64-linux-gnu/libhdf5_openmpi.so.103.3.0",
					    "/usr/lib/x86_64-linux-gnu/libopenblas.so.0" };

	for (uint32_t i = 0; i < 4; i++) {
		uint8_t body[256];
		struct bob_rec_image rec = { .image = i, .first_id = 1000 * i, .count = 900,
					     .key = bob_hash_mix(i), .build_id_len = 20,
					     .chosen = 1 };

		rec.bias =
			i ? 0x7f0000000000 + (random_of(rank, 1, 1u << 28) << 12) + 0x400000 * i :
			    0x550000000000 + (random_of(rank, 0, 1u << 28) << 12);
		memset(rec.build_id, (int)i + 1, 20);
		memcpy(body, &rec, sizeof(rec));
		memcpy(body + sizeof(rec), path[i], strlen(path[i]));
		bob_meta_put(to, BOB_REC_IMAGE, body, sizeof(rec) + strlen(path[i]));
	}
}

static void put_meta(struct made *m, uint32_t rank, uint32_t ranks)
{
	static const char *const argv[] = { "./solver", "--mesh=large.h5", "--steps=1000", NULL };
	static const char *const env[] = { "PATH=/usr/local/bin:/usr/bin:/bin",
					   "OMPI_COMM_WORLD_RANK=%u",
					   "PMIX_RANK=%u",
					   "SLURM_PROCID=%u",
					   "OMP_NUM_THREADS=8",
					   "SLURM_JOB_NODELIST=node[001-128]",
					   NULL };
	static const char *const config[] = { "BOBBIN_CALLS=0", "BOBBIN_TIME=marks",
					      "BOBBIN_DIR=/scratch/user/run17", NULL };
	const uint32_t numbers[] = { rank, ranks };
	struct bob_meta to;
	uint8_t buf[8192];

	bob_meta_init(&to, buf, sizeof(buf));
	put_list(&to, BOB_REC_COMMAND, argv, rank, ranks);
	bob_meta_put(&to, BOB_REC_EXE, "/apps/solver/bin/solver", 23);
	put_list(&to, BOB_REC_ENV, env, rank, ranks);
	put_list(&to, BOB_REC_CONFIG, config, rank, ranks);
	bob_meta_put(&to, BOB_REC_RANK, numbers, sizeof(numbers));
	put_images(&to, rank);
	meta(m, &to);
}

static void make(struct made *m, uint32_t rank, uint32_t ranks)
{
	struct bob_file_head *h;
	struct bob_stream_head *s;
	char host[64];

	m->bytes = aligned_alloc(4096, FILE_BYTES);
	if (!m->bytes)
		abort();
	memset(m->bytes, 0, FILE_BYTES);
	h = (struct bob_file_head *)(void *)m->bytes;
	snprintf(host, sizeof(host), "node%03u", 1 + rank / HOST_RANKS);
	bob_file_begin(h, BOB_FILE_PROCESS, host);
	h->pid = 20000 + 1000 * (rank / HOST_RANKS) + 5 * (rank % HOST_RANKS) +
		 (uint32_t)random_of(rank, 2, 5);
	h->ppid = h->pid - 7 - (uint32_t)random_of(rank, 3, 3);
	h->start_mono_ns = 1000000000 + random_of(rank, 4, 500000000);
	h->start_real_ns = 1700000000000000000 + h->start_mono_ns + random_of(rank, 5, 300);
	bob_file_seal(h);
	bob_name_process(m->name, sizeof(m->name), h->host, h->pid, 0);
	m->len = BOB_FILE_HEAD_BYTES;
	put_meta(m, rank, ranks);
	s = chunk(m, BOB_CHUNK_STREAM, 0, sizeof(*s));
	s->run.codec = BOB_CODEC_NULL;
	s->tid = h->pid;
	s->state = BOB_THREAD_AT_EXIT;
	s->start_mono_ns = h->start_mono_ns + 30000000 + random_of(rank, 6, 20000000);
	s->end_mono_ns = 3600ull * 1000000000 + random_of(rank, 7, 100000000);
	bob_file_end(h, BOB_FILE_CLOSED, BOB_STOP_NONE,
		     s->end_mono_ns + 100000 + random_of(rank, 8, 1000000));
	bob_file_set_used(h, m->len);
}

static void measure(uint32_t ranks)
{
	struct made *m = calloc(ranks, sizeof(*m));
	struct bob_memory_file *file = calloc(ranks, sizeof(*file)), one = { .name = "trace.bob" };
	uint8_t *is_in = calloc(ranks, 1);
	struct bob_trace *t;
	char *bytes = NULL;
	size_t len = 0;
	double begin, merged, read;
	FILE *f;

	if (!m || !file || !is_in)
		abort();
	for (uint32_t i = 0; i < ranks; i++) {
		make(&m[i], i, ranks);
		file[i] = (struct bob_memory_file){ m[i].name, m[i].bytes, m[i].len };
	}
	check(bob_archive_open_running(file, ranks, &t, NULL), "opening");
	f = tmpfile();
	if (!f)
		abort();
	begin = now();
	check(bob_archive_merge_processes(t, 0, f, is_in, NULL), "merging");
	merged = now() - begin;
	fseek(f, 0, SEEK_END);
	len = (size_t)ftell(f);
	bytes = malloc(len);
	rewind(f);
	if (!bytes || fread(bytes, 1, len, f) != len)
		abort();
	fclose(f);
	bob_trace_close(t);
	one.bytes = (const uint8_t *)bytes;
	one.len = len;
	begin = now();
	check(bob_archive_open_running(&one, 1, &t, NULL), "reading");
	read = now() - begin;
	for (uint32_t i = 0; i < bob_trace_problem_count(t) && i < 5; i++)
		fprintf(stderr, "processes: %s: %s\n", bob_trace_problem(t, i)->file,
			bob_trace_problem(t, i)->text);
	if (bob_trace_process_count(t) != ranks || bob_trace_problem_count(t))
		check(BOB_ERR_CORRUPT, "what was merged");
	bob_trace_close(t);
	len -= BOB_FILE_HEAD_BYTES;
	printf("processes,%u,%zu,%.1f,%.6f,%.6f\n", ranks, len, (double)len / ranks, merged, read);
	fflush(stdout);
	for (uint32_t i = 0; i < ranks; i++)
		free(m[i].bytes);
	free(bytes);
	free(m);
	free(file);
	free(is_in);
}

int main(int argc, char **argv)
{
	uint32_t least = argc > 1 ? (uint32_t)atoi(argv[1]) : 2,
		 most = argc > 2 ? (uint32_t)atoi(argv[2]) : 12;

	if (most > 20)
		return 2;
	for (uint32_t k = least; k <= most; k += 2)
		measure(1u << k);
	return 0;
}
