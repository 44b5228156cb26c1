/* SPDX-License-Identifier: BSD-3-Clause */
/* A ring between a process that writes records and one that folds them. Either is killed at random
 * moments; who folds is followed by another one. What is read is all records that were written, in
 * order. The file is memory that both share, and take windows of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "archive/folds.h"
#include "archive/write/ring.h"

#define FILE_BYTES (48u << 20)
#define WINDOW (256u << 10)
#define STREAM 5u
#define DESCS 6u

struct shared {
	uint64_t seed;
	uint64_t written;	/* records that are in the buffer for sure */
	uint64_t done;		/* the writer has ended */
	uint64_t end;		/* of the newest window */
	uint64_t ring_off;
	uint8_t bytes[FILE_BYTES] __attribute__((aligned(64)));
};

static struct shared *shared;
static struct bob_mem_desc descs[DESCS + 1];

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

/* Record `i`: loops, branches, affine and other values. */
static uint32_t record(uint64_t i, uint64_t *word)
{
	const uint64_t seed = shared->seed;

	*word = seed % 2 ? i * 8 : mix(i ^ seed) >> 1;
	return 1 + (uint32_t)(seed % 3 == 2 ? mix(i * seed) % DESCS : i % 40 < 3 ? i % 40 : 3);
}

static const struct bob_mem_desc *desc(void *ctx, uint32_t number)
{
	(void)ctx;
	return number && number <= DESCS ? &descs[number] : NULL;
}

static uint64_t window, window_end; /* of this process */

static struct bob_chunk_head *chunk(void *ctx, enum bob_chunk_kind kind, uint32_t stream,
				    uint64_t size, uint64_t aux, uint64_t *off)
{
	const uint64_t need = bob_chunk_bytes(size);
	const uint64_t bytes = need > WINDOW ? need : WINDOW;

	(void)ctx;
	if (window_end - window < need) {
		window = __atomic_fetch_add(&shared->end, bytes, __ATOMIC_RELAXED);
		window_end = window + bytes;
		if (window_end > FILE_BYTES)
			return NULL;
		bob_ring_pad(shared->bytes + window, bytes);
	}
	*off = window;
	window += need;
	bob_ring_pad(shared->bytes + window, window_end - window);
	bob_chunk_begin((struct bob_chunk_head *)(shared->bytes + *off), kind, stream,
			need - sizeof(struct bob_chunk_head), aux);
	return (struct bob_chunk_head *)(shared->bytes + *off);
}

static struct bob_ring *ring_of(void)
{
	return bob_chunk_data((struct bob_chunk_head *)(shared->bytes + shared->ring_off));
}

static void share(uint64_t seed)
{
	struct bob_file_head *h;
	uint64_t off;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_true(shared != MAP_FAILED);
	shared->seed = seed;
	h = (struct bob_file_head *)shared->bytes;
	bob_file_begin(h, BOB_FILE_PROCESS, "host");
	bob_file_seal(h);
	bob_ring_used(h, FILE_BYTES);
	shared->end = BOB_FILE_HEAD_BYTES;
	window = window_end = 0;
	assert_non_null(
		chunk(NULL, BOB_CHUNK_RING, STREAM, sizeof(struct bob_ring), 0, &shared->ring_off));
	ring_of()->limit = seed % 4 ? BOB_RING_LIMIT : 2;
	assert_non_null(chunk(NULL, BOB_CHUNK_FOLD, STREAM, sizeof(struct bob_fold_head), 0, &off));
}

/* --- who writes --- */

static uint64_t *next_buffer(struct bob_ring_writer *w, uint64_t **end)
{
	bob_status why;
	uint64_t *at;

	while (!(at = bob_ring_buffer(w, chunk, NULL, STREAM, end, &why))) {
		if (why != BOB_OK)
			_exit(3);
		__atomic_store_n(&w->ring->waits, 1, __ATOMIC_SEQ_CST);
		sched_yield();
	}
	return at;
}

static void write_records(uint64_t records)
{
	struct bob_ring_writer w = { .ring = ring_of(), .now = BOB_RECORD_BUFFERS_MAX };
	uint64_t *end, *at = next_buffer(&w, &end);

	for (uint64_t i = 0; i < records; i++) {
		uint64_t word;
		const uint32_t number = record(i, &word);

		if (end - at < 2) {
			bob_ring_hand_over(&w, at);
			at = next_buffer(&w, &end);
		}
		at[1] = word;
		__atomic_store_n(at, BOB_MEM_HEADER | number, __ATOMIC_RELEASE);
		at += 2;
		__atomic_store_n(&shared->written, i + 1, __ATOMIC_RELEASE);
	}
	bob_ring_hand_over(&w, at);
	_exit(0);
}

/* --- who folds --- */

static void commit(struct bob_mem_writer *w, struct bob_ring *r)
{
	if (bob_mem_writer_commit(w, shared->seed % 5 == 1) != BOB_OK)
		_exit(4);
	bob_ring_free(r, shared->bytes, FILE_BYTES, w->buffers.position);
	__atomic_store_n(&r->waits, 0, __ATOMIC_RELEASE);
}

static int fold_next(struct bob_mem_writer *w, struct bob_ring *r, int last)
{
	const uint32_t i = bob_ring_find(r, shared->bytes, FILE_BYTES, w->buffers.position);
	uint64_t count, *word;
	size_t used;
	int handed;

	if (i == BOB_RECORD_BUFFERS_MAX)
		return 0;
	handed = __atomic_load_n(&r->slot[i].state, __ATOMIC_ACQUIRE) == BOB_SLOT_HANDED;
	if (!handed && !last)
		return 0;
	word = bob_ring_words(r, i, shared->bytes, FILE_BYTES, &count);
	if (!word || bob_mem_writer_fold(w, word, handed ? r->slot[i].words : count, !handed,
					 &used) != BOB_OK)
		_exit(5);
	return handed;
}

static void fold_records(void)
{
	void *mem = mmap(NULL, bob_mem_writer_size(), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct bob_ring *r = ring_of();
	struct bob_mem_writer w;
	int ended, done = 0;

	window = window_end = 0;
	if (mem == MAP_FAILED || bob_mem_writer_resume(&w, mem, chunk, NULL, STREAM, desc, NULL,
						       shared->bytes, FILE_BYTES, &ended) != BOB_OK)
		_exit(6);
	while (!ended && !done) {
		done = __atomic_load_n(&shared->done, __ATOMIC_ACQUIRE) != 0;
		while (fold_next(&w, r, 0))
			if (mix(w.buffers.position) % 3 == 0)
				commit(&w, r);
		if (__atomic_load_n(&r->waits, __ATOMIC_ACQUIRE))
			commit(&w, r);
		sched_yield();
	}
	if (!ended)
		(void)fold_next(&w, r, 1);
	if (!ended && bob_mem_writer_end(&w, NULL) != BOB_OK)
		_exit(7);
	_exit(0);
}

/* --- reading --- */

struct found {
	uint64_t records;
	const char *wrong;
	int ended;
};

static void found_record(struct found *f, uint32_t number, uint64_t word)
{
	uint64_t want;

	if (record(f->records, &want) != number || want != word)
		f->wrong = "another record";
	f->records++;
}

static void read_folded(const struct bob_fold_stream *s, struct found *found)
{
	struct bob_folded *f;
	struct bob_fold_cursor *k;
	struct bob_fold_event e;
	bob_status st;

	assert_int_equal(bob_folded_open(s->bytes, s->len, 1, &bob_alloc_malloc, &f), BOB_OK);
	if (bob_folded_count(f)) {
		assert_int_equal(bob_fold_cursor_open(f, 0, &k), BOB_OK);
		while (!found->wrong && (st = bob_fold_cursor_next(k, &e)) != BOB_END) {
			struct bob_fold_shape shape;

			assert_int_equal(st, BOB_OK);
			bob_folded_shape(f, e.shape, &shape);
			found_record(found, *shape.key, e.word[0]);
		}
		bob_fold_cursor_close(k);
	}
	bob_folded_close(f);
}

static struct found read_all(void)
{
	struct bob_trace trace = { 0 };
	struct bob_file file = { .name = "p", .bytes = shared->bytes, .size = FILE_BYTES };
	struct bob_fold_stream s;
	struct bob_error err;
	struct found found = { 0, NULL, 0 };

	assert_int_equal(bob_file_scan(&trace, &file), BOB_OK);
	if (bob_fold_stream_read(&file, STREAM, &s, &err) < 0)
		found.wrong = err.text;
	found.ended = s.ended;
	if (s.bytes)
		read_folded(&s, &found);
	for (size_t i = 0; i < s.log_count && !found.wrong; i++) {
		const uint64_t *v = (const uint64_t *)(shared->bytes + s.log[i].off);

		for (uint64_t n = s.log[i].count; n >= 2 && *v & BOB_MEM_HEADER && !found.wrong;
		     n -= 2, v += 2)
			found_record(&found, (uint32_t)(*v & BOB_MEM_NUMBER), v[1]);
	}
	bob_fold_stream_free(&s);
	free(file.chunks);
	free(file.by_stream);
	free(trace.problems);
	return found;
}

/* --- the tests --- */

static pid_t start(void (*run)(void))
{
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		run();
	return pid;
}

static uint64_t records;

static void write_them(void)
{
	write_records(records);
}

/* Everything that was written, and perhaps the record that was being written. */
static void is_right(struct found f)
{
	if (f.wrong)
		print_message("seed %llu: %s at %llu\n", (unsigned long long)shared->seed, f.wrong,
			      (unsigned long long)f.records);
	assert_null(f.wrong);
	assert_in_range(f.records, shared->written, shared->written + 1);
}

static void nap(uint64_t ns)
{
	const struct timespec t = { 0, (long)ns };

	nanosleep(&t, NULL);
}

/* Returns how often who folds was killed. */
static uint64_t run(uint64_t seed, int kill_writer)
{
	uint64_t killed = 0;
	pid_t writer, folder;
	int status;

	share(seed);
	records = kill_writer ? UINT64_MAX : 5000 + mix(seed) % 200000;
	folder = start(fold_records);
	writer = start(write_them);
	for (int i = 0; i < 6; i++) {
		nap(mix(seed + (uint64_t)i) % 3000000);
		if (kill_writer && i == 5)
			kill(writer, SIGKILL);
		kill(folder, SIGKILL);
		assert_int_equal(waitpid(folder, &status, 0), folder);
		assert_true(WIFSIGNALED(status) || !WEXITSTATUS(status));
		killed += WIFSIGNALED(status) != 0;
		if (kill_writer && i == 5)
			break;
		folder = start(fold_records);
	}
	assert_int_equal(waitpid(writer, &status, 0), writer);
	if (kill_writer) /* and no process folds: both are gone */
		is_right(read_all());
	shared->done = 1;
	if (kill_writer)
		folder = start(fold_records);
	assert_int_equal(waitpid(folder, &status, 0), folder);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	is_right(read_all());
	assert_true(read_all().ended);
	munmap(shared, sizeof(*shared));
	return killed;
}

static void test_folder_killed(void **state)
{
	uint64_t killed = 0;

	(void)state;
	for (uint64_t i = 0; i < 30; i++)
		killed += run(i, 0);
	assert_true(killed > 90);
}

static void test_both_killed(void **state)
{
	(void)state;
	for (uint64_t i = 100; i < 130; i++)
		run(i, 1);
}

/* What another process writes is not trusted. */
static void test_lies(void **state)
{
	struct bob_ring *r;
	uint64_t count;

	(void)state;
	share(1);
	r = ring_of();
	r->buffers = ~0u;
	for (uint32_t i = 0; i < BOB_RECORD_BUFFERS_MAX; i++) {
		r->slot[i].off = i % 4 ? mix(i) : shared->ring_off + i;
		r->slot[i].state = BOB_SLOT_HANDED;
		r->slot[i].words = mix(i);
		assert_null(bob_ring_words(r, i, shared->bytes, FILE_BYTES, &count));
	}
	assert_int_equal(bob_ring_find(r, shared->bytes, FILE_BYTES, 0), BOB_RECORD_BUFFERS_MAX);
	bob_ring_free(r, shared->bytes, FILE_BYTES, UINT64_MAX);
	munmap(shared, sizeof(*shared));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folder_killed),
		cmocka_unit_test(test_both_killed),
		cmocka_unit_test(test_lies),
	};

	for (uint32_t i = 1; i <= DESCS; i++)
		descs[i] = (struct bob_mem_desc){ .kind = BOB_MEM_BLOCK, .words = 1,
						  .sp_word = BOB_MEM_NO_WORD };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
