/* SPDX-License-Identifier: BSD-3-Clause */
/* Events with values of several processes, merged: each thread's come back as they were, and statistics of their times add up -- whatever
 * the order, at once or one by one, ended or killed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>

#include "../../golden/events.h"

#define RANKS 5u
#define KILLED 2u		/* with folded events and a log */
#define LOGGED 3u		/* killed when it had a log only */

static struct build apart[RANKS],
	alone[RANKS]; /* as they were recorded; threads merged where the process was killed */

/* Rank 4 has one thread, the others have two; two ranks have the same images in the same order. */
static void build_process_of(struct build *p, uint32_t rank)
{
	uint32_t ranks[2] = { rank, RANKS };
	struct events_thread t;
	struct bob_meta meta;
	uint8_t buf[64];

	golden_memory_two_images(p, 700 + rank, rank % 2, 0x1000ull * rank);
	bob_meta_init(&meta, buf, sizeof(buf));
	bob_meta_put(&meta, BOB_REC_RANK, ranks, sizeof(ranks));
	build_sealed(p, BOB_CHUNK_META, 0, buf, meta.len);
	for (uint32_t i = 0; i < 1 + (rank != 4); i++) {
		events_begin(&t, p, "thread", rank % 2, 3 + rank * i);
		if (rank == 1)
			events_many(&t);
		events_rounds(&t, rank == KILLED && !i ? 230 : 10 + rank);
		if (rank == KILLED || rank == LOGGED) {
			events_hang(&t, i ? EVENT_WAITALL : EVENT_SPLIT, 3, 7, 1);
			events_killed(&t);
		} else {
			events_end(&t);
		}
	}
	if (rank != KILLED && rank != LOGGED)
		bob_file_end(build_head(p), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
}

static int set_up(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < RANKS; i++) {
		build_process_of(&apart[i], i);
		if (i == KILLED || i == LOGGED)
			build_merged(&apart[i], &alone[i]);
		else
			alone[i] = apart[i];
	}
	return 0;
}

static struct bob_trace *open_files(const struct build *from, size_t count)
{
	static struct bob_memory_file file[RANKS];
	struct bob_trace *t;

	for (size_t i = 0; i < count; i++)
		file[i] = (struct bob_memory_file){ from[i].name, from[i].bytes, from[i].len };
	assert_int_equal(bob_archive_open_memory(file, count, &t, NULL), BOB_OK);
	assert_int_equal(bob_trace_problem_count(t), 0);
	return t;
}

/* --- events --- */

static void print_places(const struct bob_trace *t, uint32_t process, const uint64_t *place,
			 uint32_t depth, FILE *to)
{
	for (uint32_t i = 0; i < depth; i++) {
		const struct bob_image_info *im;
		uint32_t image;
		uint64_t pc;

		bob_trace_place(t, process, place[i], &image, &pc);
		im = bob_trace_image(t, process, image);
		fprintf(to, " @%s+%" PRIx64, im ? im->soname : "", pc);
	}
}

/* What went into the vectors of an event that never completed is not kept. */
static uint64_t print_event(const struct bob_trace *t, uint32_t process,
			    const struct bob_value_event *e, FILE *to)
{
	for (size_t i = 0; i < e->key_len; i++)
		fprintf(to, "%02x", e->key[i]);
	for (uint32_t i = 0; i < e->words; i++)
		fprintf(to, " %" PRIu64, e->word[i]);
	for (uint32_t i = 0; i < e->vectors && !e->open; i++) {
		fprintf(to, " %" PRIu64 "*%u", e->vector[i].count, e->vector[i].words);
		for (uint64_t k = 0; k < e->vector[i].count * e->vector[i].words; k++)
			fprintf(to, ",%" PRIu64, e->vector[i].at[k]);
	}
	print_places(t, process, e->place, e->depth, to);
	fprintf(to, "%s%s\n", e->open ? " open" : "", e->lost ? " lost" : "");
	return 1;
}

/* All events of all threads, by process and thread; the caller frees it. */
static char *text_of(const struct bob_trace *t)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++) {
		const struct bob_thread_info *th = bob_trace_thread(t, i);
		struct bob_value_cursor *c;
		struct bob_value_event e;
		uint64_t n = 0;
		bob_status st;

		assert_int_equal(bob_value_cursor_open(t, i, BOB_VALUES_MPI, &c, NULL), BOB_OK);
		fprintf(to, "process %u thread %u\n", th->process, th->number);
		while ((st = bob_value_cursor_next(c, &e, NULL)) == BOB_OK)
			n += print_event(t, th->process, &e, to);
		assert_int_equal(st, BOB_END);
		assert_int_equal(bob_trace_value_events(t, i, BOB_VALUES_MPI), n);
		bob_value_cursor_close(c);
	}
	fclose(to);
	return text;
}

/* --- times --- */

#define PAIRS_MAX 1000u

struct pair {
	char *name;		/* malloc'ed */
	uint64_t count;
	struct bob_value_times gap, duration;
};

struct pairs {
	const struct bob_trace *t;
	struct pair at[PAIRS_MAX];
	size_t count;
};

static char *name_of(const struct bob_trace *t, const struct bob_value_pair *p)
{
	const struct bob_value_site *site[2] = { &p->from, &p->to };
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	for (int i = 0; i < 2; i++) {
		for (size_t k = 0; site[i]->key && k < site[i]->key_len; k++)
			fprintf(to, "%02x", site[i]->key[k]);
		if (site[i]->key)
			print_places(t, bob_trace_thread(t, site[i]->thread)->process,
				     site[i]->place, site[i]->depth, to);
		fputs(" > ", to);
	}
	fclose(to);
	return text;
}

/* Who has an extreme: of several with the same one, the first. */
static void add_times(struct bob_value_times *a, uint64_t a_count, const struct bob_value_times *b)
{
	unsigned __int128 x = (unsigned __int128)a->square[1] << 64 | a->square[0],
			  y = (unsigned __int128)b->square[1] << 64 | b->square[0];

	if (!a_count || b->min_ns < a->min_ns) {
		a->min_ns = b->min_ns;
		a->min_thread = b->min_thread;
	}
	if (!a_count || b->max_ns > a->max_ns) {
		a->max_ns = b->max_ns;
		a->max_thread = b->max_thread;
	}
	a->sum_ns += b->sum_ns;
	a->square[0] = (uint64_t)(x + y);
	a->square[1] = (uint64_t)((x + y) >> 64);
	for (uint32_t i = 0; i < BOB_VALUE_TIME_BINS; i++)
		a->bin[i] += b->bin[i];
}

static int add_pair(void *ctx, const struct bob_value_pair *p)
{
	struct pairs *all = ctx;
	char *name = name_of(all->t, p);
	size_t i = 0;

	while (i < all->count && strcmp(all->at[i].name, name))
		i++;
	if (i < all->count) {
		free(name);
	} else {
		assert_true(i < PAIRS_MAX);
		all->at[all->count++].name = name;
	}
	add_times(&all->at[i].gap, all->at[i].count, &p->gap);
	add_times(&all->at[i].duration, all->at[i].count, &p->duration);
	all->at[i].count += p->count;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct pairs *pairs_of(const struct bob_trace *t)
{
	struct pairs *all = calloc(1, sizeof(*all));

	assert_non_null(all);
	all->t = t;
	assert_int_equal(bob_trace_value_times(t, BOB_VALUES_MPI, add_pair, all), BOB_OK);
	qsort(all->at, all->count, sizeof(*all->at), by_name);
	return all;
}

static void free_pairs(struct pairs *all)
{
	for (size_t i = 0; i < all->count; i++)
		free(all->at[i].name);
	free(all);
}

static void expect_same(const struct bob_trace *a, const struct bob_trace *b)
{
	char *x = text_of(a), *y = text_of(b);
	struct pairs *p = pairs_of(a), *q = pairs_of(b);

	assert_string_equal(x, y);
	assert_true(p->count > 100);
	assert_int_equal(p->count, q->count);
	for (size_t i = 0; i < p->count; i++) {
		assert_string_equal(p->at[i].name, q->at[i].name);
		assert_int_equal(p->at[i].count, q->at[i].count);
		assert_memory_equal(&p->at[i].gap, &q->at[i].gap, sizeof(p->at[i].gap));
		assert_memory_equal(&p->at[i].duration, &q->at[i].duration,
				    sizeof(p->at[i].duration));
	}
	free_pairs(p);
	free_pairs(q);
	free(x);
	free(y);
}

/* --- tests --- */

/* `from` in one file: nothing of it has changed. */
static void check_files(const struct build *from, size_t count)
{
	struct bob_trace *was = open_files(apart, RANKS), *is;
	struct build merged;

	build_trace(from, count, &merged);
	is = open_files(&merged, 1);
	assert_int_equal(bob_trace_process_count(is), RANKS);
	expect_same(was, is);
	bob_trace_close(is);
	bob_trace_close(was);
	build_free(&merged);
}

static void test_at_once(void **state)
{
	(void)state;
	check_files(alone, RANKS);
}

/* Threads first, each process by itself. */
static void test_threads(void **state)
{
	struct build own[RANKS];
	struct bob_trace *was = open_files(apart, RANKS), *is;

	(void)state;
	for (uint32_t i = 0; i < RANKS; i++)
		build_merged(&apart[i], &own[i]);
	is = open_files(own, RANKS);
	expect_same(was, is);
	bob_trace_close(is);
	bob_trace_close(was);
	check_files(own, RANKS);
	for (uint32_t i = 0; i < RANKS; i++)
		build_free(&own[i]);
}

/* The same bytes, in whatever order the files are found. */
static void test_order(void **state)
{
	struct build turned[RANKS], a, b;

	(void)state;
	build_trace(alone, RANKS, &a);
	for (uint32_t i = 0; i < RANKS; i++)
		turned[i] = alone[(3 * i + 2) % RANKS];
	build_trace(turned, RANKS, &b);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.bytes, b.bytes, a.len);
	build_free(&a);
	build_free(&b);
}

/* Those that have been merged, and one that came late -- each of them in turn. */
static void test_late(void **state)
{
	(void)state;
	for (uint32_t late = 0; late < RANKS; late++) {
		struct build others[RANKS], two[2];
		uint32_t n = 0;

		for (uint32_t i = 0; i < RANKS; i++)
			if (i != late)
				others[n++] = alone[i];
		build_trace(others, n, &two[0]);
		two[1] = alone[late];
		check_files(two, 2);
		build_free(&two[0]);
	}
}

/* Killed, with a log only: it is there, and that it hung, too. */
static void test_log_only(void **state)
{
	struct bob_trace *t = open_files(&alone[LOGGED], 1);
	char *text = text_of(t);

	(void)state;
	assert_non_null(strstr(text, "+200c open\n"));
	assert_non_null(strstr(text, "process 0 thread 1\n"));
	free(text);
	bob_trace_close(t);
}

/* Killed between the bin and the count, every one of them: what is merged can be read, and counts what was counted. */
static void bump_bins(struct build *b)
{
	for (uint64_t off = BOB_FILE_HEAD_BYTES; off < b->len;) {
		struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(b->bytes + off);
		struct bob_time_slot *s = bob_chunk_data(c);

		for (uint64_t i = 0; c->kind == BOB_CHUNK_TIMES && i < c->len / sizeof(*s); i++)
			s[i].gap.bin[2]++;
		off += bob_chunk_bytes(c->size);
	}
}

static void test_half_counted(void **state)
{
	struct build half[RANKS], merged;
	struct bob_trace *was, *is;

	(void)state;
	for (uint32_t i = 0; i < RANKS; i++) {
		build_process_of(&half[i], i);
		bump_bins(&half[i]);
		bob_file_end(build_head(&half[i]), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
	}
	build_trace(half, RANKS, &merged);
	was = open_files(half, RANKS);
	is = open_files(&merged, 1);
	expect_same(was, is);
	bob_trace_close(was);
	bob_trace_close(is);
	build_free(&merged);
	for (uint32_t i = 0; i < RANKS; i++)
		build_free(&half[i]);
}

/* A definition with a number that so small a file cannot have come to: memory for all before it is not taken. */
static void test_far_number(void **state)
{
	struct build b;
	struct bob_memory_file file;
	struct bob_trace *t;

	(void)state;
	build_process_of(&b, 0);
	for (uint64_t off = BOB_FILE_HEAD_BYTES; off < b.len;) {
		struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(b.bytes + off);
		uint64_t *v = bob_chunk_data(c);

		if (c->kind == BOB_CHUNK_EVENT_DEFS)
			v[0] |= BOB_EVENT_NUMBER_MAX - 1;
		off += bob_chunk_bytes(c->size);
	}
	file = (struct bob_memory_file){ b.name, b.bytes, b.len };
	assert_int_equal(bob_archive_open_memory(&file, 1, &t, NULL), BOB_OK);
	assert_int_equal(bob_trace_problem_count(t), 2);
	assert_string_equal(bob_trace_problem(t, 0)->text, "a definition of events is damaged");
	bob_trace_close(t);
	build_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_once),	 cmocka_unit_test(test_threads),
		cmocka_unit_test(test_order),	 cmocka_unit_test(test_late),
		cmocka_unit_test(test_log_only), cmocka_unit_test(test_half_counted),
		cmocka_unit_test(test_far_number),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
