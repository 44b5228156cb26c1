/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder combines control (order), columns (words) and values (what is not affine), and writes
 * their output as entries (entries.h).
 *
 * In any state, the rest of the sequence can be written without changing the state: the items of
 * control, the trips of running loops, the rests of all columns. This ends a folder, and makes a
 * copy in case of a crash. The only difference is the encoding of the last items: the coder of the
 * spine is adaptive, so in a copy they are a separate entry. */
#include "bobbin/fold.h"

#include <string.h>

#include "base/assert.h"
#include "base/varint.h"
#include "fold/control_state.h"
#include "fold/entries.h"
#include "fold/loose.h"
#include "fold/paths.h"
#include "fold/shapes.h"

#define COLUMNS_MAX 49152u
#define FULL_MAX 1792u
#define MARKED 256u

/* Direct-mapped cache from marks to shapes. */
struct marked {
	uint64_t mark;
	uint32_t shape;
};

struct bob_folder {
	struct bob_control *control;
	struct bob_columns columns;
	struct bob_values_enc values, spine;
	uint64_t spine_last;
	uint64_t events;
	uint64_t place;			/* of the newest path */
	bob_fold_write_fn write;
	void *ctx;
	struct bob_paths *paths;
	struct bob_shapes shapes;
	uint32_t items;			/* in the ITEMS entry under construction */
	struct bob_loose *tolerated;	/* by column: bob_folder_tolerate */
	int is_loose;			/* at least one bound is not 0 */
	uint8_t buffer[512];
	struct marked marked[MARKED];
};

/* --- memory --- */

static size_t rounded(size_t size)
{
	return (size + 63) & ~(size_t)63;
}

struct layout {
	size_t control, paths, shape, shape_slot, key, column, full, windows, trips, values, spine,
		tolerated, end;
};

static struct layout make_layout(void)
{
	struct layout l;

	l.control = rounded(sizeof(struct bob_folder));
	l.paths = l.control + rounded(bob_control_size());
	l.shape = l.paths + rounded(sizeof(struct bob_paths));
	l.shape_slot = l.shape + rounded(BOB_SHAPES_MAX * sizeof(struct bob_shape));
	l.key = l.shape_slot + rounded(BOB_SHAPE_SLOTS * sizeof(uint32_t));
	l.column = l.key + rounded(BOB_SHAPE_KEY_BYTES);
	l.full = l.column + rounded(COLUMNS_MAX * sizeof(struct bob_column_slot));
	l.windows = l.full + rounded(FULL_MAX * sizeof(struct bob_column_full));
	l.trips = l.windows + rounded(sizeof(struct bob_columns_windows));
	l.values = l.trips + rounded(sizeof(struct bob_trips));
	l.spine = l.values + rounded(bob_values_size(BOB_FOLD_VALUES_BITS));
	l.tolerated = l.spine + rounded(bob_values_size(BOB_FOLD_SPINE_BITS));
	l.end = l.tolerated + rounded(COLUMNS_MAX * sizeof(struct bob_loose));
	return l;
}

size_t bob_folder_size(void)
{
	return make_layout().end;
}

/* --- entries --- */

struct out {
	bob_fold_write_fn write;
	void *ctx;
};

static void put_entry(const struct out *o, enum bob_fold_entry kind, const uint8_t *head,
		      size_t head_len, const void *bytes, size_t len)
{
	uint8_t start[1 + BOB_VARINT_MAX];

	start[0] = (uint8_t)kind;
	o->write(o->ctx, start, 1 + bob_varint_put(start + 1, head_len + len));
	if (head_len)
		o->write(o->ctx, head, head_len);
	if (len)
		o->write(o->ctx, bytes, len);
}

static void put_column(void *ctx, uint32_t number, const uint8_t *bytes, size_t len)
{
	uint8_t head[BOB_VARINT_MAX];

	put_entry(ctx, BOB_FOLD_COLUMN, head, bob_varint_put(head, number), bytes, len);
}

static uint64_t coded(uint32_t item)
{
	return item & BOB_LOOP_FLAG ? (uint64_t)(item & ~BOB_LOOP_FLAG) * 2 + 1 :
				      (uint64_t)item * 2;
}

static struct out out_of(struct bob_folder *f)
{
	return (struct out){ f->write, f->ctx };
}

/* --- sinks of the components --- */

static void take_item(void *ctx, uint32_t item)
{
	struct bob_folder *f = ctx;

	bob_values_put(&f->spine, &f->spine_last, coded(item));
}

static void take_loop(void *ctx, uint32_t column, const uint32_t *body, uint32_t len)
{
	struct bob_folder *f = ctx;
	struct out o = out_of(f);
	uint8_t bytes[BOB_VARINT_MAX], start[1 + BOB_VARINT_MAX];
	size_t total = 0;

	(void)column;
	for (uint32_t i = 0; i < len; i++)
		total += bob_varint_put(bytes, coded(body[i]));
	start[0] = BOB_FOLD_LOOP;
	o.write(o.ctx, start, 1 + bob_varint_put(start + 1, total));
	for (uint32_t i = 0; i < len; i++)
		o.write(o.ctx, bytes, bob_varint_put(bytes, coded(body[i])));
}

static void take_column(void *ctx, uint32_t number, const uint8_t *bytes, size_t len)
{
	struct out o = out_of(ctx);

	put_column(&o, number, bytes, len);
}

static void take_values(void *ctx, const uint8_t *bytes, size_t len)
{
	struct out o = out_of(ctx);

	put_entry(&o, BOB_FOLD_VALUES, NULL, 0, bytes, len);
}

static void take_spine(void *ctx, const uint8_t *bytes, size_t len)
{
	struct out o = out_of(ctx);

	put_entry(&o, BOB_FOLD_SPINE, NULL, 0, bytes, len);
}

/* --- life --- */

static void begin(struct bob_folder *f)
{
	struct layout l = make_layout();
	uint8_t *mem = (uint8_t *)f;
	struct bob_control_sink sink = { take_item, take_loop, f };

	f->paths = (void *)(mem + l.paths);
	f->shapes.shape = (void *)(mem + l.shape);
	f->shapes.slot = (void *)(mem + l.shape_slot);
	f->shapes.key = mem + l.key;
	f->tolerated = (void *)(mem + l.tolerated);
	bob_values_enc_init(&f->values, mem + l.values, BOB_FOLD_VALUES_BITS, take_values, f);
	bob_values_enc_init(&f->spine, mem + l.spine, BOB_FOLD_SPINE_BITS, take_spine, f);
	bob_columns_init(&f->columns, (void *)(mem + l.column), COLUMNS_MAX, (void *)(mem + l.full),
			 FULL_MAX, (void *)(mem + l.windows), &f->values, (void *)(mem + l.trips),
			 take_column, f);
	f->control = bob_control_init(mem + l.control, &sink, &f->columns);
}

struct bob_folder *bob_folder_begin(void *mem, bob_fold_write_fn write, void *ctx)
{
	struct bob_folder *f = mem;

	f->write = write;
	f->ctx = ctx;
	begin(f);
	return f;
}

/* --- paths and shapes --- */

bob_status bob_folder_path(struct bob_folder *f, uint32_t parent, uint64_t place, uint32_t *path)
{
	uint8_t bytes[2 * BOB_VARINT_MAX];
	struct out o = out_of(f);
	int is_new;

	if (parent && parent >= f->paths->count)
		return BOB_ERR_INVAL;
	uint32_t child = bob_paths_child(f->paths, parent, place, &is_new);

	if (child == BOB_PATHS_NONE)
		return BOB_ERR_FULL;
	*path = child;
	if (is_new) {
		size_t n = bob_varint_put(bytes, parent);

		n += bob_varint_put(bytes + n, bob_zigzag((int64_t)(place - f->place)));
		put_entry(&o, BOB_FOLD_PATH, bytes, n, NULL, 0);
		f->place = place;
	}
	return BOB_OK;
}

static bob_status add_shape(struct bob_folder *f, const struct bob_fold_shape *s, uint32_t *shape)
{
	uint32_t column = bob_columns_add(&f->columns, s->words, 0);
	uint8_t head[2 * BOB_VARINT_MAX];
	struct out o = out_of(f);
	size_t n;

	if (column == BOB_COLUMNS_NONE)
		return BOB_ERR_FULL;
	*shape = bob_shapes_add(&f->shapes, s, column);
	n = bob_varint_put(head, s->path);
	n += bob_varint_put(head + n, s->words);
	put_entry(&o, BOB_FOLD_SHAPE, head, n, s->key, s->key_len);
	return BOB_OK;
}

bob_status bob_folder_shape(struct bob_folder *f, const void *key, size_t key_len, uint32_t path,
			    uint32_t words, uint32_t *shape)
{
	const struct bob_fold_shape s = { key, key_len, path, words };
	uint32_t number;
	bob_status st;

	if (words > BOB_FOLD_WORDS_MAX || key_len > BOB_FOLD_KEY_MAX ||
	    (path && path >= f->paths->count))
		return BOB_ERR_INVAL;
	st = bob_shapes_find(&f->shapes, &s, &number);
	if (st == BOB_NONE)
		st = add_shape(f, &s, &number);
	if (st == BOB_OK)
		*shape = number;
	return st;
}

void bob_folder_match(struct bob_folder *f, bob_fold_match_fn match, void *ctx)
{
	f->shapes.match = match;
	f->shapes.match_ctx = ctx;
}

/* --- events --- */

bob_status bob_folder_tolerate(struct bob_folder *f, uint32_t shape, uint32_t word, uint64_t within)
{
	if (shape >= f->shapes.count || word >= f->shapes.shape[shape].words || within > 1ull << 62)
		return BOB_ERR_INVAL;
	f->tolerated[f->shapes.shape[shape].column + word].within = within;
	f->is_loose |= within != 0;
	return BOB_OK;
}

static __attribute__((noinline, cold)) void put_loosely(struct bob_folder *f, uint32_t column,
							const uint64_t *word, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++, column++)
		bob_columns_put(&f->columns, column,
				bob_loose_value(&f->tolerated[column], &f->columns.slot[column],
						word[i]));
}

void bob_folder_put(struct bob_folder *f, uint32_t shape, const uint64_t *word)
{
	const struct bob_shape *s = &f->shapes.shape[shape];

	BOB_ASSERT(shape < f->shapes.count);
	bob_control_put(f->control, shape);
	f->events++;
	if (__builtin_expect(f->is_loose, 0)) {
		put_loosely(f, s->column, word, s->words);
		return;
	}
	for (uint32_t i = 0; i < s->words; i++)
		bob_columns_put(&f->columns, s->column + i, word[i]);
}

/* Accepts a row if the columns of all stepping words predict it. Then none of its values goes to
 * the value stream, which depends on the order. */
static int take_steps(struct bob_folder *f, uint32_t column, const uint64_t *word,
		      const uint64_t *step, uint32_t steps, size_t count)
{
	for (uint32_t i = 0; i < steps; i++)
		if (!bob_columns_expect(&f->columns, column + i, word[i], step[i], count))
			return 0;
	for (uint32_t i = 0; i < steps; i++)
		bob_columns_accept(&f->columns, column + i, count);
	return 1;
}

static __attribute__((noinline, cold)) void
put_row_loosely(struct bob_folder *f, const struct bob_shape *s, const uint64_t *word,
		const uint64_t *step, uint32_t steps, const uint64_t *more, size_t count)
{
	uint64_t all[BOB_FOLD_WORDS_MAX];

	for (uint64_t n = 0; n < count; n++) {
		for (uint32_t i = 0; i < s->words; i++)
			all[i] = i < steps ? word[i] + n * step[i] : *more++;
		put_loosely(f, s->column, all, s->words);
	}
}

void bob_folder_put_row(struct bob_folder *f, uint32_t shape, const uint64_t *word,
			const uint64_t *step, uint32_t steps, const uint64_t *more, size_t count)
{
	const struct bob_shape *s = &f->shapes.shape[shape];
	uint32_t first = 0;

	BOB_ASSERT(shape < f->shapes.count && steps <= s->words);
	if (!count)
		return;
	bob_control_put_row(f->control, shape, count);
	f->events += count;
	if (__builtin_expect(f->is_loose, 0)) {
		put_row_loosely(f, s, word, step, steps, more, count);
		return;
	}
	if (take_steps(f, s->column, word, step, steps, count))
		first = steps;
	if (first == steps && steps + 1 == s->words) {
		bob_columns_put_row(&f->columns, s->column + steps, more, count);
		return;
	}
	for (uint64_t n = 0; n < count; n++) {
		for (uint32_t i = first; i < steps; i++)
			bob_columns_put(&f->columns, s->column + i, word[i] + n * step[i]);
		for (uint32_t i = steps; i < s->words; i++)
			bob_columns_put(&f->columns, s->column + i, *more++);
	}
}

void bob_folder_mark(struct bob_folder *f, uint32_t shape, uint64_t mark)
{
	BOB_ASSERT(shape < f->shapes.count && f->shapes.shape[shape].words == 1);
	f->shapes.shape[shape].mark = mark;
	f->marked[mark % MARKED] = (struct marked){ mark, shape };
}

/* Does a row begin here? Rows are cheaper by bob_folder_put_row. They are rare, so this is one
 * branch. */
static inline int begins_row(const uint64_t *pair, size_t count)
{
	return count >= BOB_FOLD_ROW_MIN &&
	       ((pair[0] == pair[2]) & (pair[0] == pair[2 * (BOB_FOLD_ROW_MIN - 1)]));
}

/* Puts a word of a shape whose place in the order is already recorded. */
static inline void put_word(struct bob_folder *f, uint32_t shape, uint64_t word)
{
	const uint32_t column = f->shapes.shape[shape].column;
	struct bob_column_slot *slot = &f->columns.slot[column];

	if (slot->given_up)
		bob_values_put(&f->values, &slot->last, word);
	else
		bob_columns_put(&f->columns, column, word);
}

/* Puts pairs as long as the innermost loop expects their shapes. Hot path: the expected shape, its
 * mark, and the prediction of its column; 3 ns (bench/fold/bench_records.c). */
static inline size_t put_expected(struct bob_folder *f, const uint64_t *pair, size_t count,
				  uint64_t with)
{
	struct bob_control_frame *top = f->control->top;
	const uint32_t *body = top->body, len = top->len;
	uint32_t at = top->at;
	size_t n = 0;

	for (; n < count; n++) {
		const uint64_t mark = pair[2 * n] | with;
		const uint32_t item = body[at];

		if (!mark || bob_control_is_loop(item) || f->shapes.shape[item].mark != mark)
			break;
		put_word(f, item, pair[2 * n + 1]);
		if (++at == len) {
			at = 0;
			top->trips++;
			top->ran = 0;
		}
	}
	top->at = at;
	return n;
}

size_t bob_folder_put_marked(struct bob_folder *f, const uint64_t *pair, size_t count,
			     uint64_t with)
{
	size_t n = 0;

	if (f->is_loose)
		return 0;
	for (;; n++) {
		const struct marked *m;
		uint64_t mark;

		n += put_expected(f, pair + 2 * n, count - n, with);
		if (n == count)
			break;
		mark = pair[2 * n] | with;
		m = &f->marked[mark % MARKED];
		if (!mark || m->mark != mark || begins_row(pair + 2 * n, count - n))
			break;
		bob_control_put(f->control, m->shape);
		put_word(f, m->shape, pair[2 * n + 1]);
	}
	f->events += n;
	return n;
}

uint64_t bob_folder_events(const struct bob_folder *f)
{
	return f->events;
}

uint32_t bob_folder_columns(const struct bob_folder *f)
{
	return f->columns.count;
}

/* --- the rest --- */

static void rest_of_columns(struct bob_folder *f, struct out *o)
{
	for (uint32_t i = 0; i < f->columns.count; i++) {
		uint64_t trips;
		int runs = f->columns.slot[i].in_line && bob_control_running(f->control, i, &trips);

		bob_columns_rest(&f->columns, i, runs ? &trips : NULL, put_column, o);
	}
}

static void put_end(struct bob_folder *f, const struct out *o)
{
	uint8_t bytes[BOB_VARINT_MAX];

	put_entry(o, BOB_FOLD_END, bytes, bob_varint_put(bytes, f->events), NULL, 0);
}

struct items {
	struct out *o;
	size_t used;
	uint8_t bytes[512];
};

static void flush_items(struct items *it)
{
	if (it->used)
		put_entry(it->o, BOB_FOLD_ITEMS, NULL, 0, it->bytes, it->used);
	it->used = 0;
}

static void rest_item(void *ctx, uint32_t item)
{
	struct items *it = ctx;

	if (sizeof(it->bytes) - it->used < BOB_VARINT_MAX)
		flush_items(it);
	it->used += bob_varint_put(it->bytes + it->used, coded(item));
}

static void rest_bytes(const struct bob_values_enc *e, enum bob_fold_entry kind,
		       const struct out *o)
{
	uint8_t bytes[BOB_VALUES_REST_MAX];
	size_t len = bob_values_rest(e, bytes);

	if (len)
		put_entry(o, kind, NULL, 0, bytes, len);
}

void bob_folder_rest(struct bob_folder *f, bob_fold_write_fn write, void *ctx)
{
	struct out o = { write, ctx };
	struct items it = { .o = &o };

	rest_bytes(&f->spine, BOB_FOLD_SPINE, &o);
	rest_bytes(&f->values, BOB_FOLD_VALUES, &o);
	bob_control_rest(f->control, rest_item, &it);
	flush_items(&it);
	rest_of_columns(f, &o);
	put_end(f, &o);
}

void bob_folder_end(struct bob_folder *f)
{
	struct out o = out_of(f);

	bob_control_rest(f->control, take_item, f);
	bob_trips_settle(f->columns.trips);
	bob_values_flush(&f->spine);
	bob_values_flush(&f->values);
	rest_of_columns(f, &o);
	put_end(f, &o);
}

void bob_folder_again(struct bob_folder *f)
{
	bob_fold_write_fn write = f->write;
	bob_fold_match_fn match = f->shapes.match;
	void *ctx = f->ctx, *match_ctx = f->shapes.match_ctx;

	bob_folder_end(f);
	memset(f, 0, bob_folder_size());
	bob_folder_begin(f, write, ctx);
	bob_folder_match(f, match, match_ctx);
}
