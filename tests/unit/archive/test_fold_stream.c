/* SPDX-License-Identifier: BSD-3-Clause */
/* A folded stream whose writer is killed at random moments: what is read is all events that were
 * put, and no others. The writer is a child; the file is memory that both share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "archive/write/fold_write.h"
#include "archive/folds.h"

#define FILE_BYTES (48u << 20)
#define LOG_BYTES 4096u
#define LOGS 3u
#define STREAM 5u
#define HEADER 0x8000000000000000ull
#define SHAPES 6u

struct shared {
	uint64_t sure;		/* events whose put returned */
	uint64_t seed;
	uint64_t capacity;		/* bytes of the file that may be used */
	uint8_t bytes[FILE_BYTES] __attribute__((aligned(64)));
};

static struct shared *shared;

static struct bob_file_head *head_of(void)
{
	return (struct bob_file_head *)shared->bytes;
}

/* --- events --- */

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

/* Event `i` of the sequence: loops, branches, affine and other values. */
static uint32_t event(uint64_t seed, uint64_t i, uint64_t word[2])
{
	uint64_t row = i / 40 + 1, shape = i % 40 < 3 ? i % 40 : 3;

	if (seed % 3 == 1)
		shape = mix(i + seed) % 3 ? shape : 4;
	if (seed % 3 == 2)
		shape = mix(i * seed) % SHAPES;
	word[0] = seed % 2 ? i * 8 : mix(i ^ seed);
	word[1] = row * i % 40;
	return (uint32_t)shape;
}

/* --- writing --- */

static struct bob_chunk_head *new_chunk(void *ctx, enum bob_chunk_kind kind, uint32_t stream,
					uint64_t size, uint64_t aux, uint64_t *off)
{
	struct bob_file_head *h = head_of();
	struct bob_chunk_head *c = (struct bob_chunk_head *)(shared->bytes + h->used);

	(void)ctx;
	if (h->used + bob_chunk_bytes(size) > shared->capacity)
		return NULL;
	*off = h->used;
	bob_chunk_begin(c, kind, stream, size, aux);
	bob_file_set_used(h, h->used + bob_chunk_bytes(size));
	return c;
}

struct writer {
	struct bob_fold_writer out;
	struct bob_folder *folder;
	uint32_t shape[SHAPES];
	uint64_t *log[LOGS];	/* position, values */
	uint64_t count;		/* values in the newest log */
	uint64_t position;	/* of its first */
	uint32_t turn;		/* which one it is */
	uint32_t used;		/* logs since the last commit */
};

static void make_shapes(struct writer *w)
{
	for (uint32_t i = 0; i < SHAPES; i++)
		if (bob_folder_shape(w->folder, &i, sizeof(i), 0, 2, &w->shape[i]) != BOB_OK)
			_exit(3);
}

static void fold_log(struct writer *w)
{
	const uint64_t *v = w->log[w->turn] + 1;

	for (uint64_t i = 0; i < w->count; i += 3)
		bob_folder_put(w->folder, w->shape[v[i] & 0xff], v + i + 1);
}

/* The newest log is full: its events are folded, and if no other is free, committed. 0: the file is
 * full. */
static int next_log(struct writer *w)
{
	fold_log(w);
	w->position += w->count;
	w->count = 0;
	if (++w->used == LOGS) {
		if (bob_fold_writer_commit(&w->out, w->folder, w->position, &w->position, 8) !=
		    BOB_OK)
			return 0;
		w->used = 0;
	}
	w->turn = (w->turn + 1) % LOGS;
	memset(w->log[w->turn] + 1, 0, LOG_BYTES - 8);
	__atomic_store_n(w->log[w->turn], w->position, __ATOMIC_RELEASE);
	return 1;
}

static int put(struct writer *w, uint32_t shape, const uint64_t word[2])
{
	uint64_t *v = w->log[w->turn] + 1 + w->count;

	if (w->count + 3 > LOG_BYTES / 8 - 1) {
		if (!next_log(w))
			return 0;
		v = w->log[w->turn] + 1;
	}
	v[1] = word[0];
	v[2] = word[1];
	__atomic_store_n(&v[0], HEADER | shape, __ATOMIC_RELEASE);
	w->count += 3;
	return 1;
}

static void begin(struct writer *w)
{
	struct bob_file_head *h = head_of();
	uint64_t off;
	void *mem = mmap(NULL, bob_folder_size(), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(w, 0, sizeof(*w));
	bob_file_begin(h, BOB_FILE_PROCESS, "host");
	bob_file_seal(h);
	if (mem == MAP_FAILED ||
	    bob_fold_writer_begin(&w->out, new_chunk, NULL, STREAM, 1024) != BOB_OK)
		_exit(3);
	w->folder = bob_folder_begin(mem, bob_fold_writer_data, &w->out);
	make_shapes(w);
	for (uint32_t i = 0; i < LOGS; i++) {
		struct bob_chunk_head *c =
			new_chunk(NULL, BOB_CHUNK_FOLD_LOG, STREAM, LOG_BYTES, 0, &off);

		if (!c)
			_exit(3);
		w->log[i] = bob_chunk_data(c);
		*w->log[i] = i ? UINT64_MAX : 0; /* not in use yet */
	}
}

static void write_all(uint64_t events)
{
	struct writer w;

	begin(&w);
	for (uint64_t i = 0; i < events; i++) {
		uint64_t word[2];
		uint32_t shape = event(shared->seed, i, word);

		if (!put(&w, shape, word))
			_exit(0);
		__atomic_store_n(&shared->sure, i + 1, __ATOMIC_RELEASE);
	}
	fold_log(&w);
	bob_folder_end(w.folder);
	_exit(bob_fold_writer_end(&w.out, w.position + w.count) != BOB_OK);
}

/* --- reading --- */

struct found {
	uint64_t events;
	const char *wrong;
};

static void found_event(struct found *f, uint32_t shape, const uint64_t *word)
{
	uint64_t want[2];

	if (event(shared->seed, f->events, want) != shape || memcmp(want, word, sizeof(want)))
		f->wrong = "another event";
	f->events++;
}

static void read_folded(const struct bob_fold_stream *s, struct found *found)
{
	struct bob_folded *f;
	struct bob_fold_cursor *k;
	struct bob_fold_event e;
	bob_status st;

	if (bob_folded_open(s->bytes, s->len, 1, &bob_alloc_malloc, &f) != BOB_OK) {
		found->wrong = "it cannot be opened";
		return;
	}
	if (bob_folded_count(f)) {
		assert_int_equal(bob_fold_cursor_open(f, 0, &k), BOB_OK);
		while (!found->wrong && (st = bob_fold_cursor_next(k, &e)) != BOB_END) {
			struct bob_fold_shape shape;

			if (st != BOB_OK) {
				found->wrong = "it cannot be expanded";
				break;
			}
			bob_folded_shape(f, e.shape, &shape);
			found_event(found, *shape.key, e.word);
		}
		bob_fold_cursor_close(k);
	}
	bob_folded_close(f);
}

static struct found read_all(void)
{
	struct bob_trace trace = { 0 };
	struct bob_file file = { .name = "p", .bytes = shared->bytes,
				 .size = head_of()->used };
	struct bob_fold_stream s;
	struct bob_error err;
	struct found found = { 0, NULL };

	assert_int_equal(bob_file_scan(&trace, &file), BOB_OK);
	if (bob_fold_stream_read(&file, STREAM, &s, &err) < 0)
		found.wrong = err.text;
	if (s.bytes)
		read_folded(&s, &found);
	for (size_t i = 0; i < s.log_count && !found.wrong; i++) {
		const uint64_t *v = (const uint64_t *)(shared->bytes + s.log[i].off);

		if (s.log[i].position == UINT64_MAX)
			continue;
		for (uint64_t n = s.log[i].count; n >= 3 && *v & HEADER && !found.wrong;
		     n -= 3, v += 3)
			found_event(&found, (uint32_t)*v & 0xff, v + 1);
	}
	bob_fold_stream_free(&s);
	free(file.chunks);
	free(file.by_stream);
	free(trace.problems);
	return found;
}

/* --- the tests --- */

static void share(uint64_t seed, uint64_t capacity)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_true(shared != MAP_FAILED);
	shared->seed = seed;
	shared->capacity = capacity;
}

static void is_right(struct found f, uint64_t least, uint64_t most)
{
	if (f.wrong)
		print_message("%s at %llu\n", f.wrong, (unsigned long long)f.events);
	assert_null(f.wrong);
	assert_in_range(f.events, least, most);
}

static int run(uint64_t events, long kill_after_ns)
{
	struct timespec t = { 0, kill_after_ns };
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		write_all(events);
	if (kill_after_ns) {
		while (!__atomic_load_n(&shared->sure, __ATOMIC_ACQUIRE))
			;
		nanosleep(&t, NULL);
		kill(pid, SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void test_killed(void **state)
{
	uint64_t killed = 0;

	(void)state;
	for (uint64_t i = 0; i < 200; i++) {
		share(i, FILE_BYTES);
		int status = run(UINT64_MAX, 1000 + (long)(mix(i) % 3000000));
		killed += WIFSIGNALED(status) != 0;
		is_right(read_all(), shared->sure, shared->sure + 1);
		munmap(shared, sizeof(*shared));
	}
	assert_true(killed > 150); /* the others had filled the file */
}

static void test_ended(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 30; i++) {
		uint64_t events = mix(i) % 20000;

		share(i, FILE_BYTES);
		assert_int_equal(run(events, 0), 0);
		is_right(read_all(), events, events);
		munmap(shared, sizeof(*shared));
	}
}

/* No space for another chunk: what was recorded stays readable. */
static void test_full(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 60; i++) {
		share(i, 40000 + mix(i) % 60000);
		assert_int_equal(run(300000, 0), 0);
		struct found f = read_all();
		is_right(f, shared->sure < 1000 ? 0 : shared->sure, shared->sure + 1);
		munmap(shared, sizeof(*shared));
	}
}

/* Bytes that are changed are noticed or do no harm. */
static void test_damaged(void **state)
{
	uint64_t refused = 0;

	(void)state;
	share(3, FILE_BYTES);
	assert_int_equal(run(3000, 0), 0);
	uint64_t used = head_of()->used;
	for (uint64_t i = 0; i < 3000; i++) {
		uint64_t at = BOB_FILE_HEAD_BYTES + mix(i) % (used - BOB_FILE_HEAD_BYTES);
		uint8_t was = shared->bytes[at];

		shared->bytes[at] ^= (uint8_t)(1u << i % 8);
		refused += read_all().wrong != NULL;
		shared->bytes[at] = was;
	}
	is_right(read_all(), 3000, 3000);
	assert_true(refused > 10);
	munmap(shared, sizeof(*shared));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
