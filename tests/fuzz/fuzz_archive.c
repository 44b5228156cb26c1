/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole trace files. Input of 4096 bytes and more is a file of a trace: opened as it is, then with
 * its head and chunk checksums made right, so that the fuzzer gets past them. One that calls itself
 * an image or marks is read beside the process of the small golden trace, which it belongs to.
 * Shorter input is a row of symbols: written, read back and compared. */
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "../golden/traces.h"
#include "archive/events/event_nests.h"
#include "archive/events/hook_sets.h"
#include "archive/reader.h"
#include "archive/events/value_numbers.h"
#include "base/crc.h"

#define EVENTS_MAX 200000
#define SYMBOLS_MAX 100000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_events(const struct bob_trace *t, uint32_t thread)
{
	struct bob_cursor *c;
	struct bob_event ev;
	struct bob_error err;
	bob_status st = bob_cursor_open(t, thread, &c, &err);
	uint64_t half = 0;

	if (st != BOB_OK)
		return;
	for (int i = 0; i < EVENTS_MAX; i++) {
		st = bob_cursor_next(c, &ev, &err);
		if (st == BOB_OK && i == EVENTS_MAX / 2)
			half = ev.pos;
		if (st == BOB_END || (st < BOB_OK && st != BOB_ERR_CORRUPT))
			break;
	}
	if (half)
		bob_cursor_seek(c, half, &err);
	else
		bob_cursor_seek(c, 3, &err);
	bob_cursor_next(c, &ev, &err);
	bob_cursor_close(c);
}

/* Made once, never freed. */
static const struct golden *small_trace(void)
{
	static struct golden g;

	if (!g.count)
		golden_small_trace(&g);
	return &g;
}

static void read_accesses(const struct bob_trace *t, uint32_t thread)
{
	struct bob_access_cursor *c;
	struct bob_access a[100];
	uint64_t count = bob_trace_accesses(t, thread);
	size_t n, seen = 0;
	bob_status st;

	if (bob_access_cursor_open(t, thread, &c, NULL) != BOB_OK) {
		assert(!count);
		return;
	}
	do {
		st = bob_access_cursor_read(c, a, 100, &n, NULL);
		seen += st == BOB_OK ? n : 0;
	} while (seen < EVENTS_MAX && (st == BOB_OK || st == BOB_ERR_CORRUPT));
	assert(st != BOB_END || seen == count);
	bob_access_cursor_close(c);
}

/* --- events with values --- */

static volatile uint64_t seen; /* so that what is read is read */

static uint64_t sum_of(const uint64_t *v, uint64_t n)
{
	uint64_t sum = 0;

	while (n--)
		sum += v[n];
	return sum;
}

/* The first and the last time of each event of a nest. */
static bob_status see_nest(void *ctx, struct bob_event_nest *n)
{
	uint64_t first[BOB_EVENT_NEST_DEPTH] = { 0 }, last[BOB_EVENT_NEST_DEPTH] = { 0 }, step;
	struct bob_value_event e;
	uint32_t count;
	const struct bob_event_nest_item *item = bob_event_nest_items(n, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (item[i].items) {
			last[item[i].depth] = item[i].trips - 1;
			continue;
		}
		for (int k = 0; k < 2; k++) {
			assert(bob_event_nest_get(n, i, k ? last : first, &e) == BOB_OK);
			assert(e.words == item[i].words && e.vectors == item[i].vectors);
			seen += sum_of(e.word, e.words) + sum_of(e.place, e.depth);
			for (uint32_t v = 0; v < e.vectors; v++)
				seen += sum_of(e.vector[v].at,
					       e.vector[v].count * e.vector[v].words);
		}
		for (uint32_t d = 0; d < item[i].depth && item[i].vectors; d++)
			seen += (uint64_t)bob_event_nest_element_step(n, i, 0, 0, d, &step);
	}
	return ++*(int *)ctx < EVENTS_MAX ? BOB_OK : BOB_ERR_INVAL;
}

/* Every value is looked at. 0: there are too many events to read them again. */
static int read_values(const struct bob_trace *t, uint32_t thread)
{
	struct bob_value_cursor *c;
	struct bob_value_event e;
	int count = 0;
	bob_status st = bob_value_cursor_open(t, thread, BOB_VALUES_MPI, &c, NULL);

	if (st != BOB_OK)
		return 1;
	for (; count < EVENTS_MAX; count++) {
		st = bob_value_cursor_next(c, &e, NULL);
		if (st == BOB_END || (st != BOB_OK && st != BOB_ERR_CORRUPT))
			break;
		if (st == BOB_ERR_CORRUPT)
			continue;
		assert(e.vectors <= BOB_VALUE_VECTORS_MAX);
		seen += sum_of(e.word, e.words) + sum_of(e.place, e.depth);
		for (size_t i = 0; i < e.key_len; i++)
			seen += e.key[i];
		for (uint32_t i = 0; i < e.vectors; i++)
			seen += sum_of(e.vector[i].at, e.vector[i].count * e.vector[i].words);
	}
	bob_value_cursor_close(c);
	if (count == EVENTS_MAX)
		return 0;
	count = 0;
	(void)bob_event_nests_visit(t, thread, BOB_VALUES_MPI, see_nest, &count, NULL);
	return 1;
}

/* Of no more bytes than the file has: there is an end. */
static void read_spans(const struct bob_trace *t, uint32_t thread)
{
	struct bob_span_cursor *c;
	struct bob_value_span s;
	uint64_t uncertainty;

	if (bob_span_cursor_open(t, thread, BOB_VALUES_MPI, &c, NULL) != BOB_OK)
		return;
	while (bob_span_cursor_next(c, &s, NULL) == BOB_OK)
		seen += s.interval_ns + s.end_ns +
			bob_trace_moment(t, t->threads[thread]->info.process, s.begin_ns,
					 &uncertainty);
	bob_span_cursor_close(c);
}

static int see_pair(void *ctx, const struct bob_value_pair *p)
{
	const struct bob_trace *t = ctx;

	assert(p->to.key && p->count);
	assert(p->interval.max_thread < t->thread_count && p->to.thread < t->thread_count);
	seen += sum_of(p->to.place, p->to.depth) + sum_of(p->interval.bin, BOB_VALUE_TIME_BINS);
	if (p->from.key)
		seen += sum_of(p->from.place, p->from.depth) + p->from.key[0];
	return 0;
}

/* What merging writes can be read. */
static void merge_again(const struct bob_trace *t)
{
	uint8_t is_in[8];
	char *bytes = NULL;
	size_t len = 0;
	struct bob_memory_file file = { .name = "trace.bob" };
	struct bob_trace *merged;
	FILE *f;

	if (!t->process_count || t->process_count > sizeof(is_in))
		return;
	f = tmpfile();
	if (!f)
		return;
	if (bob_archive_merge_running(t, f, NULL) == BOB_OK) {
		rewind(f);
		if (ftruncate(fileno(f), 0))
			abort();
	}
	if (bob_archive_merge(t, 0, 0, f, NULL) != BOB_OK &&
	    bob_archive_merge_processes(t, 0, f, is_in, NULL) != BOB_OK) {
		fclose(f);
		return;
	}
	fseek(f, 0, SEEK_END);
	len = (size_t)ftell(f);
	rewind(f);
	bytes = aligned_alloc(64, (len + 63) & ~(size_t)63);
	if (bytes && fread(bytes, 1, len, f) == len) {
		file.bytes = bytes;
		file.len = len;
		if (bob_archive_open_memory(&file, 1, &merged, NULL) == BOB_OK) {
			bob_trace_value_times(merged, BOB_VALUES_MPI, see_pair, merged);
			for (uint32_t i = 0; i < merged->thread_count && i < 4; i++) {
				read_values(merged, i);
				read_spans(merged, i);
			}
			bob_trace_close(merged);
		}
	}
	free(bytes);
	fclose(f);
}

static void read_shapes(const struct bob_trace *t)
{
	struct bob_shape s, again;

	for (uint32_t i = 0; bob_trace_shape_at(t, 0, i, &s) == BOB_OK; i++) {
		if (!s.element)
			continue;
		assert(s.variants && s.elements && s.rank <= BOB_SHAPE_DIMENSIONS_MAX);
		if (bob_trace_shape(t, 0, s.address + (s.elements - 1) * s.element, &again) !=
			    BOB_OK ||
		    again.address != s.address)
			continue;
		assert(again.inside && again.number == s.elements - 1 && !again.offset);
		for (uint32_t d = 0; d < s.rank; d++)
			assert(again.subscript[d] == s.bounds[d][0] + s.bounds[d][1] - 1);
	}
}

static int read_set(void *ctx, uint32_t process, const struct bob_set *s)
{
	struct bob_value_numbers n;
	struct bob_set_call call[BOB_SET_DEPTH_MAX];

	(void)ctx;
	(void)process;
	bob_set_calls(s, call);
	if (s->kind == BOB_SET_NUMBERS && bob_value_unpack(s->bytes, s->len, &n) == BOB_OK)
		assert(bob_value_is_valid(&n));
	return 0;
}

static void read_all_values(struct bob_trace *t)
{
	int again = 1;

	bob_trace_value_times(t, BOB_VALUES_MPI, see_pair, t);
	for (uint32_t i = 0; i < t->thread_count && i < 4; i++) {
		again &= read_values(t, i);
		read_spans(t, i);
	}
	if (again && t->thread_count <= 4)
		merge_again(t);
}

/* Small ones only: what is in a stretch is folded anew. Last of all, since the others are gone
 * then. */
static void read_stretches(struct bob_trace *t)
{
	static const struct bob_stretch s = { .from = { .given = 1, .by_number = 1, .number = 4 },
					     .to = { .given = 1, .what = 16, .number = 9 } };
	uint64_t first, last;

	for (uint32_t i = 0; i < t->thread_count && i < 4; i++) {
		const struct bob_stream *one = t->threads[i];
		enum bob_stretch_lack lack;

		if (one->info.symbols < SYMBOLS_MAX)
			bob_trace_stretch_positions(t, i, &s, &first, &last, &lack);
		if (one->folded && bob_folded_events(one->folded, one->participant) > EVENTS_MAX)
			continue;
		if (bob_trace_restrict(t, &i, 1, &s, &lack) == BOB_OK)
			read_accesses(t, i);
	}
}

/* Made once, never freed. */
static const struct golden *heads(void)
{
	static struct golden g;

	if (!g.count)
		golden_heads_trace(&g);
	return &g;
}

/* The input and, for kinds that mean nothing by themselves, the golden files of other kinds: a
 * head, which processes go on from. */
static size_t gather(struct bob_memory_file *files, const uint8_t *data, size_t size)
{
	const struct golden *g = small_trace();
	uint32_t kind, other;
	size_t n = 0;

	files[n++] = (struct bob_memory_file){ "pfuzz.1.0.bob", data, size };
	memcpy(&kind, data + offsetof(struct bob_file_head, kind), sizeof(kind));
	for (size_t i = 0; i < heads()->count && kind == BOB_FILE_TRACE; i++) {
		const struct build *b = &heads()->files[i];

		if (b->name[0] == 'p')
			files[n++] = (struct bob_memory_file){ b->name, b->bytes, b->len };
	}
	for (size_t i = 0; i < g->count && kind != BOB_FILE_PROCESS; i++) {
		const struct build *b = &g->files[i];

		memcpy(&other, b->bytes + offsetof(struct bob_file_head, kind), sizeof(other));
		if (other != kind)
			files[n++] = (struct bob_memory_file){ b->name, b->bytes, b->len };
	}
	return n;
}

static void read_trace(const uint8_t *data, size_t size)
{
	struct bob_memory_file files[1 + 2 * GOLDEN_FILES];
	const struct bob_mark_info *marks;
	struct bob_function_info fn;
	struct bob_trace *t;
	uint64_t symbols = 0;

	if (bob_archive_open_memory(files, gather(files, data, size), &t, NULL) != BOB_OK)
		return;
	for (uint32_t i = 0; i < t->thread_count; i++) {
		if (t->threads[i]->info.symbols < SYMBOLS_MAX)
			symbols += t->threads[i]->info.symbols;
		else
			symbols = SYMBOLS_MAX;
		if (symbols >= SYMBOLS_MAX)
			break;
	}
	for (uint32_t i = 0; i < t->thread_count && i < 4; i++) {
		size_t n = bob_trace_marks(t, i, &marks);

		for (size_t k = 1; k < n; k++)
			assert(marks[k - 1].pos <= marks[k].pos);
		read_events(t, i);
		read_accesses(t, i);
	}
	read_all_values(t);
	bob_hook_sets_visit(t, read_set, NULL);
	read_shapes(t);
	for (uint32_t id = 0; id < 64; id++)
		bob_trace_function(t, 0, id, &fn);
	if (symbols < SYMBOLS_MAX)
		bob_trace_verify(t);
	read_stretches(t);
	bob_trace_close(t);
}

/* What completes a folded stream. */
static void mend_rest(struct bob_chunk_head *c, uint64_t avail)
{
	struct bob_fold_rest *r = bob_chunk_data(c);
	uint64_t size = c->size < avail ? c->size : avail;

	if (c->kind != BOB_CHUNK_FOLD_REST || size < sizeof(*r) ||
	    r->rest_bytes > size - sizeof(*r) || r->state_bytes > size - sizeof(*r) - r->rest_bytes)
		return;
	r->crc = 0;
	r->crc = bob_crc32c(bob_crc32c(0, r, sizeof(*r)), r + 1, r->rest_bytes + r->state_bytes);
}

/* `data` is aligned as by malloc. */
static void mend_checksums(uint8_t *data, size_t size)
{
	struct bob_file_head *head = (struct bob_file_head *)(void *)data;
	size_t at;

	head->magic = BOB_FORMAT_MAGIC;
	head->version = BOB_FORMAT_VERSION;
	if (!bob_head_bytes_ok(head->head_bytes))
		head->head_bytes = BOB_FILE_HEAD_BYTES;
	at = head->head_bytes;
	bob_file_seal(head);
	while (at < size && size - at >= sizeof(struct bob_chunk_head)) {
		struct bob_chunk_head *c = (struct bob_chunk_head *)(void *)(data + at);

		c->magic = BOB_CHUNK_MAGIC;
		c->head_crc = bob_chunk_head_crc(c);
		mend_rest(c, size - at - sizeof(*c));
		if (c->size >= size - at - sizeof(struct bob_chunk_head))
			break;
		at += bob_chunk_bytes(c->size);
	}
}

struct expect {
	const uint8_t *data;
	size_t n, at;
};

static int compare(void *ctx, const uint32_t *syms, size_t n)
{
	struct expect *e = ctx;

	assert(n <= e->n - e->at);
	assert(!memcmp(e->data + 4 * e->at, syms, 4 * n));
	e->at += n;
	return 0;
}

static void round_trip(const uint8_t *data, size_t size)
{
	static const enum bob_codec codec[] = { BOB_CODEC_RUN, BOB_CODEC_PARLOT, BOB_CODEC_NONE };
	struct expect e = { data + 2, (size - 2) / 4, 0 };
	struct bob_memory_file file;
	struct build_stream *s;
	struct bob_trace *t;
	bob_status st;
	struct build b;
	uint32_t sym;

	build_process(&b, 1, 0, 0, 1);
	s = build_stream(&b, codec[data[0] % 3], 64 + 8 * (data[1] & 15u), "fuzz");
	for (size_t i = 0; i < e.n; i++) {
		memcpy(&sym, e.data + 4 * i, sizeof(sym));
		if (data[1] & 16 && i % 50 == 49)
			bob_run_restart(s->enc);
		build_put(s, sym);
	}
	if (data[1] & 32)
		bob_run_close(s->enc);
	file = (struct bob_memory_file){ b.name, b.bytes, b.len };
	st = bob_archive_open_memory(&file, 1, &t, NULL);
	assert(st == BOB_OK && !bob_trace_problem_count(t));
	st = bob_trace_symbols(t, 0, compare, &e, NULL);
	assert(st == BOB_OK && e.at == e.n);
	read_events(t, 0);
	bob_trace_close(t);
	build_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	if (size < 2)
		return 0;
	if (size < BOB_FILE_HEAD_BYTES) {
		round_trip(data, size);
		return 0;
	}
	read_trace(data, size);
	copy = calloc(1, size);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	mend_checksums(copy, size);
	read_trace(copy, size);
	free(copy);
	return 0;
}
