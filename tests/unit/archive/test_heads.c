/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes merged while they run, as in MPI_Finalize: the trace says what it says without that --
 * while they still run, when they have ended, and when some were killed or never took part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../golden/heads.h"
#include "archive/reader.h"
#include "event_text.h"

#define RANKS 6u
#define UNCUT 1u		/* its streams have no part of their own after the head */
#define KILLED 2u		/* afterwards */
#define MORE 3u			/* another thread begins afterwards */
#define QUIET 4u		/* nothing happens afterwards */
#define AWAY 5u			/* does not take part */
/* killed before it could say that it is in the head: it has all of it itself */
#define NOT_SAID 0u
#define THREADS 3u

struct rank {
	struct build file;
	struct folded_descs *descs;
	struct events_thread events[THREADS];
	struct folded_thread memory[THREADS];
	uint32_t threads;
};

static void begin_thread(struct rank *r, uint32_t number)
{
	uint32_t i = r->threads++;

	/* a stream for each; what a thread of a program has in one is the same for merging */
	events_begin(&r->events[i], &r->file, "events", number % 2, 3 + number * i);
	folded_begin(&r->memory[i], &r->file, r->descs, "memory", 19);
	r->memory[i].sp = 0x7fff0000 + 0x11000 * number * number + 0x800000 * i;
}

static void work(struct rank *r, uint32_t number, uint32_t rounds)
{
	for (uint32_t i = 0; i < r->threads; i++) {
		events_rounds(&r->events[i], rounds);
		folded_call(&r->memory[i], FOLD_CALL, 0);
		folded_triangles(&r->memory[i], 0x500000 + 0x13000 * number * i, rounds);
		folded_turns(&r->memory[i], r->memory[i].sp, 0x600000 + 8 * number, 3);
	}
}

static void begin(struct rank *r, uint32_t number)
{
	uint32_t ranks[2] = { number, RANKS };
	struct bob_meta meta;
	uint8_t buf[64];

	memset(r, 0, sizeof(*r));
	golden_memory_two_images(&r->file, 700 + number, number % 2, 0x1000ull * number);
	bob_meta_init(&meta, buf, sizeof(buf));
	bob_meta_put(&meta, BOB_REC_RANK, ranks, sizeof(ranks));
	build_sealed(&r->file, BOB_CHUNK_META, 0, buf, meta.len);
	r->descs = build_folded_descs(&r->file, number % 2);
	for (uint32_t i = 0; i < 1 + (number != QUIET); i++)
		begin_thread(r, number);
	if (!number)
		events_many(&r->events[0]);
	work(r, number, number == KILLED ? 60 : 6 + number);
}

static void cut(struct rank *r)
{
	bob_status st;

	for (uint32_t i = 0; i < r->threads; i++) {
		struct folded_thread *m = &r->memory[i];

		assert_int_equal(bob_event_writer_cut(r->events[i].w), BOB_OK);
		m->at = bob_mem_writer_cut(&m->w, m->at, 4096, &m->end, &st);
		assert_non_null(m->at);
	}
}

static void go_on(struct rank *r, uint32_t number)
{
	if (number != AWAY && number != NOT_SAID)
		build_in_head(&r->file);
	if (number == MORE)
		begin_thread(r, number);
	if (number != QUIET)
		work(r, number, 3);
	if (number == KILLED)
		events_hang(&r->events[0], EVENT_SPLIT, 3, 7, 1);
	for (uint32_t i = 0; i < r->threads; i++) {
		if (number == KILLED) {
			events_killed(&r->events[i]);
			build_unmap(r->memory[i].mem);
		} else {
			events_end(&r->events[i]);
			folded_end(&r->memory[i]);
		}
	}
	if (number != KILLED)
		bob_file_end(build_head(&r->file), BOB_FILE_CLOSED, BOB_STOP_NONE, 9000);
	free(r->descs);
}

static struct build copy_of(const struct build *b)
{
	struct build c = *b;

	c.bytes = malloc(b->len);
	assert_non_null(c.bytes);
	memcpy(c.bytes, b->bytes, b->len);
	return c;
}

static struct bob_trace *open_some(const struct build *from, size_t count, uint32_t problems)
{
	struct bob_memory_file file[RANKS + 1];
	struct bob_trace *t;

	for (size_t i = 0; i < count; i++)
		file[i] = (struct bob_memory_file){ from[i].name, from[i].bytes, from[i].len };
	assert_int_equal(bob_archive_open_memory(file, count, &t, NULL), BOB_OK);
	assert_int_equal(bob_trace_problem_count(t), problems);
	return t;
}

static uint32_t apart; /* parts of the head that are of no use, which is the last file */

static struct bob_trace *open_files(const struct build *from, size_t count)
{
	return open_some(from, count, count > RANKS ? apart : 0);
}

/* These, which are closed, while they run. */
static struct build merge_running(struct build *from, size_t count)
{
	struct build to;

	build_head_of(from, count, &to);
	for (size_t i = 0; i < count; i++)
		build_free(&from[i]);
	return to;
}

/* As ranks send each other what they have: pairs of pairs. */
static struct build merge_tree(const struct rank *r, uint32_t count)
{
	struct build at[RANKS];

	for (uint32_t i = 0; i < count; i++) {
		struct build own = copy_of(&r[i].file);

		at[i] = merge_running(&own, 1);
	}
	for (uint32_t step = 1; step < count; step *= 2)
		for (uint32_t i = 0; i + step < count; i += 2 * step) {
			struct build two[2] = { at[i], at[i + step] };

			two[1].name[0] = 'u'; /* names in one trace are different */
			at[i] = merge_running(two, 2);
		}
	return at[0];
}

static char *dump_of(const struct bob_trace *t)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	for (uint32_t i = 0; i < bob_trace_thread_count(t); i++)
		assert_int_equal(bob_archive_dump_thread(t, i, to), BOB_OK);
	fclose(to);
	return text;
}

static void expect_equal(const struct bob_trace *a, const struct bob_trace *b)
{
	char *x = dump_of(a), *y = dump_of(b);

	assert_true(strlen(x) > 10000);
	assert_string_equal(x, y);
	free(x);
	free(y);
	expect_same(a, b);
}

/* As bobbin merge does when all have ended. */
static struct build merge_rest(const struct build *from, size_t count, uint32_t in)
{
	struct bob_trace *t = open_files(from, count);
	uint8_t is_in[RANKS];
	uint32_t n = 0;
	FILE *f = tmpfile();
	struct build to;

	assert_int_equal(bob_trace_process_count(t), RANKS);
	assert_int_equal(bob_archive_merge_processes(t, 0, f, is_in, NULL), BOB_OK);
	for (uint32_t i = 0; i < RANKS; i++)
		n += is_in[i];
	assert_int_equal(n, in);
	bob_trace_close(t);
	build_of_file(f, "trace.bob", &to);
	return to;
}

/* --- in parts --- */

#define ROUNDS 4u
#define NO_RANK RANKS

/* What rank `i` has recorded since, with the heads of others. */
static FILE *merge_after(const struct build *own, const struct build *heads, size_t count,
			 struct bob_given *given)
{
	struct bob_memory_file file[RANKS + 1] = { { own->name, own->bytes, own->len } };
	struct bob_trace *t;
	FILE *f = tmpfile();

	for (size_t i = 0; i < count; i++)
		file[i + 1] = (struct bob_memory_file){ heads[i].name, heads[i].bytes,
							heads[i].len };
	assert_int_equal(bob_archive_open_running(file, count + 1, &t, NULL), BOB_OK);
	assert_int_equal(bob_archive_merge_after(t, given, f, NULL), BOB_OK);
	bob_trace_close(t);
	return f;
}

/* One more part of `file`, or the first one. What `lost` has sent has not come. */
static uint64_t merge_round(const struct rank *r, struct bob_given *given, uint32_t lost,
			    FILE **file)
{
	struct build head[RANKS];
	uint64_t bytes = 0;
	size_t n = 0;
	FILE *all;

	for (uint32_t i = 1; i < AWAY; i++) {
		char name[16];

		snprintf(name, sizeof(name), "t%u.bob", i);
		build_of_file(merge_after(&r[i].file, NULL, 0, &given[i]), name, &head[n]);
		bytes += head[n].len;
		n += i != lost;
		if (i == lost)
			build_free(&head[n]);
	}
	all = merge_after(&r[0].file, head, n, &given[0]);
	while (n)
		build_free(&head[--n]);
	if (*file) {
		assert_int_equal(bob_archive_append(fileno(*file), all), BOB_OK);
		fclose(all);
	} else {
		*file = all;
	}
	return bytes;
}

static uint64_t events_of(const struct bob_trace *t, uint32_t process)
{
	const struct bob_process_info *p = bob_trace_process(t, process);
	uint64_t n = 0;

	for (uint32_t i = 0; i < p->thread_count; i++)
		n += bob_trace_value_events(t, p->first_thread + i, BOB_VALUES_MPI);
	return n;
}

/* Processes' files have them. */
static void drop_moments(char *text)
{
	char *to = text;
	int drops = 0;

	for (char *next; *text; text = next) {
		next = text + strcspn(text, "\n") + 1;
		drops = !strncmp(text, "moments\n", 8) || (drops && *text >= '0' && *text <= '9');
		if (drops)
			continue;
		memmove(to, text, (size_t)(next - text));
		to += next - text;
	}
	*to = 0;
}

static void expect_equal_but_times(const struct bob_trace *a, const struct bob_trace *b)
{
	char *x = dump_of(a), *y = dump_of(b);

	drop_moments(x);
	assert_true(strlen(x) > 10000);
	assert_string_equal(x, y);
	free(x);
	free(y);
}

/* The file alone says what the ranks' files say at that moment, except what came after something
 * that was lost. */
static void check_alone(const struct rank *r, const struct build *head, uint32_t lost)
{
	struct build file[RANKS];
	struct bob_trace *own, *alone = open_some(head, 1, apart);

	for (uint32_t i = 0; i < AWAY; i++)
		file[i] = r[i].file;
	own = open_files(file, AWAY);
	if (lost == NO_RANK)
		expect_equal_but_times(own, alone);
	assert_int_equal(bob_trace_process_count(alone), AWAY);
	for (uint32_t i = 0; i < AWAY; i++)
		assert_int_equal(events_of(alone, i) == events_of(own, i), i != lost);
	bob_trace_close(own);
	bob_trace_close(alone);
}

static struct build merge_parts(struct rank *r, int with_cut, uint32_t lost)
{
	struct bob_given given[RANKS] = { { 0 } };
	uint64_t bytes[ROUNDS];
	struct build head;
	FILE *file = NULL;

	apart = lost == NO_RANK ? 0 : ROUNDS - 2;
	for (uint32_t k = 0; k < ROUNDS; k++) {
		bytes[k] = merge_round(r, given, k == 1 ? lost : NO_RANK, &file);
		for (uint32_t i = 0; i < AWAY && k + 1 < ROUNDS; i++) {
			work(&r[i], i, 5);
			if (with_cut && i != UNCUT)
				cut(&r[i]);
		}
	}
	assert_true(bytes[ROUNDS - 1] < bytes[1] + bytes[1] / 8); /* all rounds are alike */
	for (uint32_t i = 0; i < RANKS; i++)
		free(given[i].row);
	build_of_file(file, "trace.bob", &head);
	check_alone(r, &head, lost);
	return head;
}

/* --- all of it --- */

static void check(int with_cut, int in_parts, uint32_t lost)
{
	struct build file[RANKS + 1], two[2];
	struct rank *r = calloc(RANKS, sizeof(*r));
	struct bob_trace *was, *is;

	for (uint32_t i = 0; i < RANKS; i++) {
		begin(&r[i], i);
		if (with_cut && i != UNCUT)
			cut(&r[i]);
	}
	file[RANKS] = in_parts ? merge_parts(r, with_cut, lost) : merge_tree(r, AWAY);
	for (uint32_t i = 0; i < RANKS; i++) {
		go_on(&r[i], i);
		file[i] = r[i].file;
	}
	was = open_files(file, RANKS);
	for (uint32_t i = 0; i < 2 * (uint32_t)with_cut; i += 2) { /* killed with both */
		const struct bob_process *p = was->processes[KILLED];

		assert_true(p->streams[i]->mpi.folded && p->streams[i]->mpi.log_count);
	}
	is = open_files(file, RANKS + 1); /* their own files are read as long as they are there */
	expect_equal(was, is);
	bob_trace_close(is);

	two[0] = merge_rest(file, RANKS + 1, RANKS - 1); /* but the one that was killed */
	two[1] = file[KILLED];
	is = open_files(two, 2);
	expect_equal(was, is);
	bob_trace_close(is);
	bob_trace_close(was);
	build_free(&two[0]);
	for (uint32_t i = 0; i < RANKS + 1; i++)
		build_free(&file[i]);
	free(r);
}

static void test_cut(void **state)
{
	(void)state;
	check(1, 0, NO_RANK);
}

static void test_not_cut(void **state)
{
	(void)state;
	check(0, 0, NO_RANK);
}

static void test_parts(void **state)
{
	(void)state;
	check(1, 1, NO_RANK);
}

static void test_parts_not_cut(void **state)
{
	(void)state;
	check(0, 1, NO_RANK);
}

static void test_lost(void **state)
{
	(void)state;
	check(1, 1, MORE);
}

/* The bytes of a head do not depend on the tree. */
static void test_order(void **state)
{
	struct rank *r = calloc(RANKS, sizeof(*r));
	struct build all[RANKS], at_once, tree;

	(void)state;
	for (uint32_t i = 0; i < RANKS; i++) {
		begin(&r[i], i);
	}
	for (uint32_t i = 0; i < RANKS; i++)
		all[i] = copy_of(&r[RANKS - 1 - i].file);
	at_once = merge_running(all, RANKS);
	tree = merge_tree(r, RANKS);
	assert_int_equal(at_once.len, tree.len);
	assert_memory_equal(at_once.bytes, tree.bytes, tree.len);
	build_free(&at_once);
	build_free(&tree);
	for (uint32_t i = 0; i < RANKS; i++) {
		go_on(&r[i], i);
		build_free(&r[i].file);
	}
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_not_cut),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_parts_not_cut),
		cmocka_unit_test(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
