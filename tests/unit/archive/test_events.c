/* SPDX-License-Identifier: BSD-3-Clause */
/* Events with values: what is put comes back, word by word, with its place and its vectors --
 * ended, killed at any point of any event, or when the file is full. The writer is a child that
 * kills itself; the file is memory that both share. */
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
#include <unistd.h>

#include "../share.h"
#include "archive/archive.h"
#include "archive/write/event_write.h"

#define FILE_BYTES (32u << 20)
#define STREAM 0u
#define KINDS 40u
#define VALUES_MAX 40000u

enum phase { OPENED, WRITTEN, BEGUN, MOVED, PUT, PHASES };

struct shared {
	uint64_t put;		/* events whose put returned */
	uint64_t capacity;		/* bytes of the file that may be used */
	uint64_t full;		/* the writer said so */
	uint8_t bytes[FILE_BYTES] __attribute__((aligned(64)));
};
static struct shared *shared;
static int is_flat;	/* nothing is folded */
static uint64_t
	look_every; /* events after which what was put is looked at while more come; 0: never */

struct plan {
	uint64_t seed, events;
	uint64_t kill_at;	/* event ... */
	enum phase kill_in;	/* ... and what has just been done then */
	int ends;
	uint64_t forget;	/* forget definitions every so many events; 0: never */
	uint32_t kinds;
};

/* --- events --- */

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

struct event {
	uint32_t kind;
	uint32_t words;		/* with its vectors */
	uint64_t value[VALUES_MAX];
};

static void layout_of(uint32_t kind, struct bob_event_layout *l)
{
	memset(l, 0, sizeof(*l));
	l->words = (uint8_t)(kind % 7);
	l->vectors = l->words > 2 ? (uint8_t)(kind % 3) : 0;
	for (uint32_t i = 0; i < l->vectors; i++) {
		l->vector[i].length = (uint8_t)(i + 1);
		l->vector[i].words = (uint8_t)(kind % 3); /* 0: bytes */
	}
}

static uint64_t elements(const struct bob_event_layout *l, uint32_t k, const uint64_t *value)
{
	uint64_t n = value[l->vector[k].length];

	return l->vector[k].words ? n * l->vector[k].words : (n + 7) / 8;
}

/* Event `i`: a loop over some kinds, with a branch; values of which some look like headers. */
static void make_event(const struct plan *p, uint64_t i, struct event *e)
{
	struct bob_event_layout l;

	e->kind = (uint32_t)((i % 10 < 7 ? i % 10 : mix(i + p->seed) % p->kinds) % p->kinds);
	layout_of(e->kind, &l);
	for (uint32_t k = 0; k < l.words; k++)
		e->value[k] = k % 2 ? ~i : 8 * i;
	for (uint32_t k = 0; k < l.vectors; k++)
		e->value[l.vector[k].length] = mix(i) % 200 == 7 ? 9000 : (i + k) % 4;
	e->words = l.words;
	for (uint32_t k = 0; k < l.vectors; k++)
		for (uint64_t n = 0; n < elements(&l, k, e->value); n++)
			e->value[e->words++] = i % 3 ? n - i : mix(n ^ i) | 1ull << 63;
}

static uint32_t depth_of(uint32_t kind)
{
	return kind % 5;
}

static uint64_t place_of(uint32_t kind, uint32_t call)
{
	return (uint64_t)(call % 2) << 48 | (0x1000 + 16 * kind + call);
}

/* --- writing --- */

static struct bob_chunk_head *new_chunk(void *ctx, enum bob_chunk_kind kind, uint32_t stream,
					uint64_t size, uint64_t aux, uint64_t *off)
{
	struct bob_file_head *h = (struct bob_file_head *)(void *)shared->bytes;
	struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(shared->bytes + h->used);

	(void)ctx;
	if (h->used + bob_chunk_bytes(size) > shared->capacity)
		return NULL;
	*off = h->used;
	bob_chunk_begin(c, kind, stream, size, aux);
	bob_file_set_used(h, h->used + bob_chunk_bytes(size));
	return c;
}

static void begin_file(void)
{
	struct bob_file_head *h = (struct bob_file_head *)(void *)shared->bytes;
	const uint64_t capacity = shared->capacity;
	struct bob_chunk_head *c;
	uint64_t off;

	/* Zero again; most of it was never touched. */
	assert_int_equal(madvise(shared, sizeof(*shared), MADV_REMOVE), 0);
	shared->capacity = capacity;
	bob_file_begin(h, BOB_FILE_PROCESS, "host");
	bob_file_seal(h);
	h->used = BOB_FILE_HEAD_BYTES;
	c = new_chunk(NULL, BOB_CHUNK_STREAM, STREAM, sizeof(struct bob_stream_head), 0, &off);
	((struct bob_stream_head *)bob_chunk_data(c))->run.codec = BOB_CODEC_NULL;
}

static void at_phase(const struct plan *p, uint64_t i, enum phase phase)
{
	if (!p->ends && i == p->kill_at && phase == p->kill_in)
		kill(getpid(), SIGKILL);
}

static int define_kind(struct bob_event_writer *w, uint32_t kind, uint32_t *number)
{
	uint64_t place[8];
	const uint8_t key[2] = { (uint8_t)kind, 99 };
	struct bob_event_def d = { .key = key, .key_len = kind % 3 ? 2 : 1,
				   .depth = depth_of(kind), .place = place };

	layout_of(kind, &d.layout);
	for (uint32_t i = 0; i < d.depth; i++)
		place[i] = place_of(kind, i);
	return bob_event_writer_define(w, &d, number) == BOB_OK;
}

/* 0: there is no space for it. */
static int write_event(const struct plan *p, struct bob_event_writer *w, uint32_t number,
		       uint64_t i, const struct event *e)
{
	struct bob_event_layout l;
	bob_status why;
	uint64_t *to;

	layout_of(e->kind, &l);
	to = bob_event_writer_open(w, number, l.words, &why);
	if (!to)
		return 0;
	at_phase(p, i, OPENED);
	memcpy(to, e->value, 8 * l.words);
	at_phase(p, i, WRITTEN);
	bob_event_writer_begun(w, l.words);
	at_phase(p, i, BEGUN);
	to = bob_event_writer_more(w, l.words, e->words, &why);
	if (!to)
		return 0;
	memcpy(to + l.words, e->value + l.words, 8 * (e->words - l.words));
	at_phase(p, i, MOVED);
	if (bob_event_writer_put(w, e->words) != BOB_OK)
		_exit(5);
	at_phase(p, i, PUT);
	return 1;
}

struct looked {
	uint8_t *bytes;
	size_t len, capacity;
};

static void keep_bytes(void *ctx, const void *bytes, size_t len)
{
	struct looked *l = ctx;

	if (l->len + len >= l->capacity) {
		l->capacity = 2 * (l->len + len) + 4096;
		l->bytes = realloc(l->bytes, l->capacity);
	}
	if (!l->bytes)
		_exit(7);
	memcpy(l->bytes + l->len, bytes, len);
	l->len += len;
}

static void *resize(void *ctx, void *old, size_t old_size, size_t size)
{
	(void)ctx;
	(void)old_size;
	if (size)
		return realloc(old, size);
	free(old);
	return NULL;
}

/* The leaves of events `0 .. count - 1`, their words and those of their vectors' elements. */
static int is_what_was_put(const struct plan *p, const struct bob_folded *f, uint64_t count)
{
	static struct event e;
	struct bob_fold_cursor *c;
	struct bob_fold_event leaf;
	struct bob_event_layout l;
	int same = bob_fold_cursor_open(f, 0, &c) == BOB_OK;

	for (uint64_t i = 0; i < count && same; i++) {
		make_event(p, i, &e);
		layout_of(e.kind, &l);
		for (uint32_t at = 0; same; at += leaf.words) {
			if (at == e.words && at)
				break;
			same = bob_fold_cursor_next(c, &leaf) == BOB_OK &&
			       leaf.words <= e.words - at &&
			       (!leaf.words || !memcmp(leaf.word, e.value + at, 8ull * leaf.words));
			if (!e.words)
				break;
		}
	}
	same = same && bob_fold_cursor_next(c, &leaf) == BOB_END;
	bob_fold_cursor_close(c);
	return same;
}

static void look(const struct plan *p, struct bob_event_writer *w, uint64_t count)
{
	static const struct bob_alloc alloc = { resize, NULL };
	struct looked l = { 0 };
	struct bob_folded *f;

	if (bob_event_writer_so_far(w, keep_bytes, &l) != BOB_OK)
		_exit(8);
	if (bob_folded_open(l.bytes, l.len, 5, &alloc, &f) != BOB_OK || bob_folded_count(f) != 1)
		_exit(9);
	if (!is_what_was_put(p, f, count))
		_exit(10);
	bob_folded_close(f);
	free(l.bytes);
}

static void write_all(const struct plan *p)
{
	void *mem = mmap(NULL, bob_event_writer_size(), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint32_t number[KINDS];
	struct bob_event_writer *w;
	static struct event e;

	if (mem == MAP_FAILED ||
	    (is_flat ? bob_event_writer_begin_flat : bob_event_writer_begin)(
		    mem, new_chunk, NULL, STREAM | BOB_CONTENT_MPI << BOB_CONTENT_SHIFT, &w) !=
		    BOB_OK)
		_exit(3);
	memset(number, 0xff, sizeof(number));
	for (uint64_t i = 0; i < p->events; i++) {
		make_event(p, i, &e);
		if (p->forget && i % p->forget == p->forget - 1) {
			if (bob_event_writer_forget(w) != BOB_OK)
				_exit(6);
			memset(number, 0xff, sizeof(number));
		}
		if (look_every && i % look_every == look_every - 1)
			look(p, w, i);
		if (number[e.kind] == ~0u && !define_kind(w, e.kind, &number[e.kind]))
			_exit(4);
		if (!write_event(p, w, number[e.kind], i, &e)) {
			shared->full = 1;
			break;
		}
		shared->put = i + 1;
	}
	bob_event_writer_end(w);
	_exit(0);
}

/* --- reading --- */

static void expect_place(const struct bob_value_event *got, uint32_t kind)
{
	assert_int_equal(got->depth, depth_of(kind));
	for (uint32_t k = 0; k < got->depth; k++)
		assert_int_equal(got->place[k], place_of(kind, k));
}

static void expect_event(const struct plan *p, uint64_t i, const struct bob_value_event *got)
{
	static struct event want;
	struct bob_event_layout l;
	uint32_t at;

	make_event(p, i, &want);
	layout_of(want.kind, &l);
	assert_int_equal(got->key_len, want.kind % 3 ? 2 : 1);
	assert_int_equal(got->key[0], want.kind);
	assert_int_equal(got->words, l.words);
	assert_int_equal(got->vectors, l.vectors);
	assert_false(got->lost);
	expect_place(got, want.kind);
	if (l.words)
		assert_memory_equal(got->word, want.value, 8 * l.words);
	at = l.words;
	for (uint32_t k = 0; k < l.vectors && !got->open; k++) {
		uint64_t n = elements(&l, k, want.value);

		assert_int_equal(got->vector[k].count * got->vector[k].words, n);
		if (n)
			assert_memory_equal(got->vector[k].at, want.value + at, 8 * n);
		at += (uint32_t)n;
	}
}

static void read_all(const struct plan *p)
{
	const struct bob_memory_file file = { "phost.0.0.bob", shared->bytes, FILE_BYTES };
	struct bob_trace *t;
	struct bob_value_cursor *c;
	struct bob_value_event e;
	struct bob_error err;
	uint64_t n = 0, open = 0;
	bob_status st;

	assert_int_equal(bob_archive_open_memory(&file, 1, &t, &err), BOB_OK);
	st = bob_value_cursor_open(t, 0, BOB_VALUES_MPI, &c, &err);
	if (st == BOB_OK) {
		while ((st = bob_value_cursor_next(c, &e, &err)) == BOB_OK) {
			assert_int_equal(open, 0); /* it would be the last one */
			expect_event(p, n, &e);
			open = e.open != 0;
			n += !e.open;
		}
		assert_int_equal(st, BOB_END);
		bob_value_cursor_close(c);
	}
	/* the one that was being put when it died may be complete */
	assert_in_range(n, shared->put, shared->put + 1);
	if (p->ends || shared->full)
		assert_int_equal(n, shared->full ? shared->put : p->events);
	else
		assert_int_equal(n, p->kill_at + (p->kill_in == PUT));
	if (!shared->full) /* else one may have begun for which there was no space */
		assert_int_equal(open, !p->ends && (p->kill_in == BEGUN || p->kill_in == MOVED));
	assert_int_equal(bob_trace_value_events(t, 0, BOB_VALUES_MPI), n + open);
	bob_trace_close(t);
}

static void run(const struct plan *p)
{
	int status;
	pid_t pid;

	begin_file();
	pid = fork();
	if (!pid)
		write_all(p);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status))
		assert_int_equal(WEXITSTATUS(status), 0);
	else
		assert_int_equal(WTERMSIG(status), SIGKILL);
	read_all(p);
}

/* --- tests --- */

static void test_ended(void **state)
{
	(void)state;
	shared->capacity = FILE_BYTES;
	for (uint64_t n = 0; n < 3000; n = n * 5 + 1)
		for (uint64_t seed = 0; seed < 3; seed++)
			run(&(struct plan){ seed, n, 0, 0, 1, seed == 2 ? 97 : 0, KINDS });
}

static void test_killed(void **state)
{
	(void)state;
	shared->capacity = FILE_BYTES;
	for (uint64_t i = 0; i < 40; i += share_every())
		for (enum phase phase = 0; phase < PHASES; phase++)
			run(&(struct plan){ i, 40000, i * i * 10, phase, 0, i % 4 ? 0 : 997,
					    i % 3 ? 3 : KINDS });
}

static void test_full(void **state)
{
	(void)state;
	for (uint64_t i = 1; i < 30; i++) {
		shared->capacity = 4096 + i * 20000;
		begin_file();
		run(&(struct plan){ i, 20000, 0, 0, 1, 0, KINDS });
	}
}

static void test_flat(void **state)
{
	is_flat = 1;
	test_ended(state);
	test_killed(state);
	test_full(state);
	is_flat = 0;
}

/* A reader finds what was written, and does not change the file; also if the writer is killed. */
static void test_looked_at(void **state)
{
	uint8_t *without = malloc(FILE_BYTES);

	assert_non_null(without);
	for (uint64_t i = 0; i < 12; i += share_every()) {
		const struct plan p = {
			i, 3000 + 1000 * i, 0, 0, 1, i % 3 ? 0 : 997, i % 2 ? 3 : KINDS
		};

		shared->capacity = FILE_BYTES;
		run(&p);
		memcpy(without, shared->bytes, FILE_BYTES);
		look_every = i % 4 ? 701 : 97;
		run(&p);
		look_every = 0;
		assert_memory_equal(without, shared->bytes, FILE_BYTES);
	}
	free(without);
	look_every = 997;
	test_killed(state);
	look_every = 0;
}

static void test_refused(void **state)
{
	void *mem = mmap(NULL, bob_event_writer_size(), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct bob_event_def d = { .layout = { .vectors = 1 } };
	struct looked l = { 0 };
	struct bob_event_writer *w;
	bob_status why;
	uint32_t number;
	uint64_t *to;

	(void)state;
	shared->capacity = FILE_BYTES;
	begin_file();
	assert_int_equal(bob_event_writer_begin(mem, new_chunk, NULL, 0, &w), BOB_OK);
	assert_int_equal(bob_event_writer_define(w, &d, &number), BOB_ERR_INVAL); /* no words */
	d.layout.words = d.layout.vector[0].words = 1;
	assert_int_equal(bob_event_writer_define(w, &d, &number), BOB_OK);
	to = bob_event_writer_open(w, number, 2, &why);
	to[0] = 5; /* so many elements it has not */
	to[1] = ~0ull;
	assert_int_equal(bob_event_writer_put(w, 2), BOB_ERR_INVAL);
	assert_int_equal(to[1], 0);
	to[0] = 1ull << 40;
	assert_int_equal(bob_event_writer_put(w, 1), BOB_ERR_INVAL);
	munmap(mem, bob_event_writer_size());
	mem = mmap(NULL, bob_event_writer_size(), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_int_equal(bob_event_writer_begin_flat(mem, new_chunk, NULL, 0, &w), BOB_OK);
	assert_int_equal(bob_event_writer_so_far(w, keep_bytes, &l), BOB_ERR_INVAL);
	assert_null(l.bytes);
	munmap(mem, bob_event_writer_size());
}

static int set_up(void **state)
{
	(void)state;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	return shared == MAP_FAILED;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_flat),
		cmocka_unit_test(test_looked_at),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
