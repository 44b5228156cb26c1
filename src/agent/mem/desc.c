/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers the descriptors of the process: first those of marks (each kind of synchronisation has
 * its own), followed by those of each image, in blocks. A descriptor is written to the file before
 * the first record that refers to it. */
#include "agent/mem/mem.h"

#include <string.h>

#include "agent/os.h"

#define BLOCK_BITS 12
#define BLOCK (1u << BLOCK_BITS)
#define BLOCKS_MAX 65536u
#define STEPS_BYTES (64u << 10)
#define CUTS 8192u
#define NOTHING UINT64_MAX	/* number of iterations: none has begun */

static struct bob_mem_desc *blocks[BLOCKS_MAX];
static const struct bob_image *owner[BLOCKS_MAX]; /* image whose plan has them */
static uint32_t block_count;

/* Scratch for decoding a descriptor, under the lock. */
static struct bob_mem_access accesses[BOB_MEM_ACCESSES_MAX];
static struct bob_mem_step steps[BOB_MEM_WORDS_MAX];

const struct bob_mem_desc *mem_desc(void *unused, uint32_t number)
{
	const struct bob_mem_desc *b =
		number >> BLOCK_BITS < BLOCKS_MAX ? blocks[number >> BLOCK_BITS] : NULL;

	(void)unused;
	return b && b[number & (BLOCK - 1)].kind ? &b[number & (BLOCK - 1)] : NULL;
}

/* Allocate blocks for `count` numbers. Returns the first number; ~0: no memory. */
static uint32_t reserve(uint32_t count)
{
	uint32_t n = (count + BLOCK - 1) / BLOCK, first = block_count;
	struct bob_mem_desc *p;

	if (n > BLOCKS_MAX - first)
		return ~0u;
	if (!n) /* an image of instrumented source may have variables but no descriptors */
		return first << BLOCK_BITS;
	p = os_map((size_t)n * BLOCK * sizeof(*p));
	if (!p)
		return ~0u;
	for (uint32_t i = 0; i < n; i++)
		blocks[block_count++] = p + (size_t)i * BLOCK;
	return first << BLOCK_BITS;
}

static void forget_cuts(void);

static struct bob_mem_desc mark(enum bob_mem_mark kind)
{
	return (struct bob_mem_desc){ .kind = BOB_MEM_MARK, .mark = (uint8_t)kind,
				      .words = bob_mem_mark_words[kind], .image = BOB_MEM_NO_IMAGE,
				      .sp_word = BOB_MEM_NO_WORD };
}

static struct bob_mem_desc sync_mark(enum bob_sync_kind kind)
{
	struct bob_mem_desc d = mark(BOB_MEM_SYNC);

	d.sync = (uint8_t)kind;
	d.words = bob_sync_kinds[kind].words;
	return d;
}

static bool is_made_later(uint32_t kind)
{
	return kind == BOB_MEM_SYNC || kind == BOB_MEM_EVENT || kind == BOB_MEM_EVENT_BEGIN;
}

/* Write the marks with numbers [first, end). */
static bool write_marks(uint32_t first, uint32_t end)
{
	uint8_t bytes[(BOB_MEM_MARKS + BOB_SYNC_KIND_COUNT) * 16];
	struct bob_chunk_head *c;
	size_t n = 0;

	for (uint32_t i = first; i < end; i++)
		n += bob_mem_desc_put(&blocks[0][i], bytes + n);
	c = file_chunk(BOB_CHUNK_MEM_DESC, BOB_STREAM_NONE, n, first);
	if (!c)
		return false;
	memcpy(bob_chunk_data(c), bytes, n);
	bob_chunk_seal(c, n);
	return true;
}

bool mem_marks_write(void)
{
	uint32_t syncs = mem_sync_desc(BOB_SYNC_NOTHING), events = mem_event_desc(0, false);

	BOB_STATIC_ASSERT(BOB_MEM_MARKS + BOB_SYNC_KIND_COUNT + 2 * MEM_EVENTS <= BLOCK,
			  "all marks are in the first block");
	if ((!block_count && reserve(BLOCK) == ~0u) || !mem_select_begin())
		return false;
	forget_cuts(); /* cut descriptors were written to another file */
	memset(&blocks[0][events], 0, 2 * MEM_EVENTS * sizeof(*blocks[0]));
	for (uint32_t i = 1; i < BOB_MEM_MARKS; i++)
		if (!is_made_later(i))
			blocks[0][i] = mark((enum bob_mem_mark)i);
	for (uint32_t i = 1; i < BOB_SYNC_KIND_COUNT; i++)
		blocks[0][syncs + i] = sync_mark((enum bob_sync_kind)i);
	return write_marks(1, BOB_MEM_SYNC) && write_marks(BOB_MEM_SYNC + 1, BOB_MEM_EVENT) &&
	       write_marks(BOB_MEM_EVENT_END, BOB_MEM_MARKS) &&
	       write_marks(syncs + 1, syncs + BOB_SYNC_KIND_COUNT);
}

/* Create both marks of an event that has not occurred before; other threads may do the same
 * concurrently. */
static bool make_event(uint32_t what)
{
	uint32_t first = mem_event_desc(what, false);
	struct bob_mem_desc d[2] = { mark(BOB_MEM_EVENT), mark(BOB_MEM_EVENT_BEGIN) };
	struct bob_chunk_head *c;
	size_t n = 0;

	if (blocks[0][first + 1].kind)
		return true;
	c = file_chunk(BOB_CHUNK_MEM_DESC, BOB_STREAM_NONE, 64, first);
	if (!c)
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		uint8_t kind = d[i].kind;

		d[i].pc = what;
		n += bob_mem_desc_put(&d[i], (uint8_t *)bob_chunk_data(c) + n);
		d[i].kind = 0;
		blocks[0][first + i] = d[i];
		__atomic_store_n(&blocks[0][first + i].kind, kind, __ATOMIC_RELEASE);
	}
	bob_chunk_seal(c, n);
	return true;
}

bool mem_event_known(uint32_t what)
{
	bool known;

	if (what >= MEM_EVENTS)
		return false;
	if (__atomic_load_n(&blocks[0][mem_event_desc(what, true)].kind, __ATOMIC_ACQUIRE))
		return true;
	lock_process();
	known = make_event(what);
	unlock_process();
	return known;
}

/* Keep the steps of loops with payload, which folding needs. Never freed. */
static bool keep_steps(struct bob_mem_desc *d)
{
	static struct bob_mem_step *kept;
	static size_t left;
	size_t n = d->kind == BOB_MEM_LOOP && d->payload ? d->words : 0;

	d->step = NULL;
	if (!n)
		return true;
	if (n > left) {
		kept = os_map(STEPS_BYTES);
		left = kept ? STEPS_BYTES / sizeof(*kept) : 0;
	}
	if (n > left)
		return false;
	memcpy(kept, steps, n * sizeof(*kept));
	d->step = kept;
	kept += n;
	left -= n;
	return true;
}

static void flatten(struct bob_mem_desc *d)
{
	if (!bob_process.config.flat)
		return;
	d->flow = 0;
	d->sp_word = BOB_MEM_NO_WORD;
}

bool mem_descs_add(struct bob_image *im)
{
	const struct bob_mem_plan_head *plan = im->mem->plan;
	const uint8_t *begin = bob_plan_section(plan, &plan->descs), *at = begin;
	const uint8_t *end = begin + plan->descs.len;

	im->mem->first_desc = reserve(plan->desc_count);
	im->mem->desc_at = os_map((plan->desc_count + 1ull) * sizeof(uint32_t));
	if (im->mem->first_desc == ~0u || !im->mem->desc_at)
		return false;
	for (uint32_t i = 0; i < plan->desc_count; i++) {
		uint32_t number = im->mem->first_desc + i;
		struct bob_mem_desc *d = &blocks[number >> BLOCK_BITS][number & (BLOCK - 1)];

		im->mem->desc_at[i] = (uint32_t)(at - begin);
		if (bob_mem_desc_get(&at, end, d, accesses, steps) != BOB_OK || !keep_steps(d)) {
			d->kind = 0;
			return false;
		}
		d->image = im->number;
		d->access = NULL; /* folding does not use them */
		flatten(d);
		owner[number >> BLOCK_BITS] = im;
	}
	return true;
}

/* Encode for the file. The bytes of the plan cannot be copied, because the number of the image
 * differs. */
static size_t encode(const struct bob_image *im, uint8_t *to)
{
	const struct bob_mem_plan_head *plan = im->mem->plan;
	const uint8_t *at = bob_plan_section(plan, &plan->descs), *end = at + plan->descs.len;
	struct bob_mem_desc d;
	size_t n = 0;

	for (uint32_t i = 0; i < plan->desc_count; i++) {
		if (bob_mem_desc_get(&at, end, &d, accesses, steps) != BOB_OK)
			break;
		d.image = im->number;
		n += bob_mem_desc_put(&d, to + n);
	}
	return n;
}

bool mem_descs_write(const struct bob_image *im)
{
	const struct bob_mem_plan_head *plan = im->mem->plan;
	size_t capacity = plan->descs.len + 8ull * plan->desc_count +
			  BOB_MEM_DESC_BYTES(BOB_MEM_ACCESSES_MAX);
	uint8_t *bytes = os_map(capacity);
	struct bob_chunk_head *c = NULL;
	size_t n;

	if (!bytes)
		return false;
	n = encode(im, bytes);
	if (n)
		c = file_chunk(BOB_CHUNK_MEM_DESC, BOB_STREAM_NONE, n, im->mem->first_desc);
	if (c) {
		memcpy(bob_chunk_data(c), bytes, n);
		bob_chunk_seal(c, n);
	}
	os_unmap(bytes, capacity);
	return c || !n;
}

/* --- interrupted records --- */

/* Cut descriptors, created here: the first `accesses` accesses of another descriptor, executed
 * once. */
static struct cut {
	uint32_t desc, accesses;
	uint32_t number;	/* 0: free */
	uint64_t bias;
	const uint8_t *bytes, *end; /* encoded, in the file */
} cuts[CUTS];
static uint32_t cut_first, cut_used, cut_capacity; /* of the block that they are allocated from */

static uint32_t new_number(void)
{
	if (cut_used == cut_capacity) {
		cut_first = reserve(BLOCK);
		cut_used = 0;
		cut_capacity = cut_first == ~0u ? 0 : BLOCK;
	}
	return cut_capacity ? cut_first + cut_used++ : ~0u;
}

/* Write a descriptor to the file; NULL: no space. */
static const uint8_t *write_made(const struct bob_mem_desc *d, uint32_t number, size_t *bytes)
{
	struct bob_chunk_head *c = NULL;

	if (number != ~0u)
		c = file_chunk(BOB_CHUNK_MEM_DESC, BOB_STREAM_NONE,
			       BOB_MEM_DESC_BYTES(d->access_count), number);
	if (!c)
		return NULL;
	*bytes = bob_mem_desc_put(d, bob_chunk_data(c));
	bob_chunk_seal(c, *bytes);
	blocks[number >> BLOCK_BITS][number & (BLOCK - 1)] = *d;
	blocks[number >> BLOCK_BITS][number & (BLOCK - 1)].access = NULL;
	blocks[number >> BLOCK_BITS][number & (BLOCK - 1)].step = NULL;
	return bob_chunk_data(c);
}

uint32_t mem_desc_make(const struct bob_mem_desc *d)
{
	uint32_t number = new_number();
	size_t bytes;

	return write_made(d, number, &bytes) ? number : 0;
}

static void make_cut(struct bob_mem_desc *d, uint32_t accesses_count, uint32_t words,
		     struct cut *out)
{
	size_t n;

	d->kind = BOB_MEM_BLOCK;
	d->flow &= BOB_MEM_ENTERS;
	if (!d->flow || d->sp_word >= words) {
		d->flow = 0;
		d->sp_word = BOB_MEM_NO_WORD;
	}
	d->sp_end = d->sp_begin;
	d->last = accesses[accesses_count - 1].pc;
	d->access_count = accesses_count;
	d->words = (uint8_t)words;
	out->number = new_number();
	out->bytes = write_made(d, out->number, &n);
	if (out->bytes)
		out->end = out->bytes + n;
	else
		out->number = 0;
}

/* The number of the descriptor with the first `count` accesses of `desc`; 0: cannot be created. */
static uint32_t cut_number(struct bob_mem_desc *d, uint64_t bias, uint32_t desc, uint32_t count,
			   uint32_t words)
{
	uint32_t at = (desc * 31u + count) % CUTS;

	for (uint32_t i = 0; i < CUTS; i++, at = (at + 1) % CUTS) {
		if (cuts[at].number && (cuts[at].desc != desc || cuts[at].accesses != count))
			continue;
		if (!cuts[at].number) {
			cuts[at] = (struct cut){ .desc = desc, .accesses = count, .bias = bias };
			make_cut(d, count, words, &cuts[at]);
		}
		return cuts[at].number;
	}
	return 0;
}

/* Decodes it again, from the bytes of its plan or of a cut. */
bool mem_desc_whole(uint32_t number, struct bob_mem_desc *d, uint64_t *bias)
{
	const struct bob_mem_desc *known = mem_desc(NULL, number);
	const struct bob_image *im = known ? owner[number >> BLOCK_BITS] : NULL;
	const uint8_t *at = NULL, *end = NULL;

	*bias = im ? im->bias : 0;
	if (known && known->kind == BOB_MEM_MARK) {
		*d = *known;
		return true;
	}
	if (im) {
		const struct bob_mem_plan_head *plan = im->mem->plan;
		const uint8_t *descs = bob_plan_section(plan, &plan->descs);

		at = descs + im->mem->desc_at[number - im->mem->first_desc];
		end = descs + plan->descs.len;
	}
	for (uint32_t i = 0; known && !im && i < CUTS; i++)
		if (cuts[i].number == number) {
			at = cuts[i].bytes;
			end = cuts[i].end;
			*bias = cuts[i].bias;
		}
	if (!at || bob_mem_desc_get(&at, end, d, accesses, steps) != BOB_OK)
		return false;
	d->image = known->image;
	flatten(d);
	return true;
}

static void forget_cuts(void)
{
	memset(cuts, 0, sizeof(cuts));
	cut_used = cut_capacity = 0;
}

static uint32_t words_of(uint32_t count)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (accesses[i].word != BOB_MEM_NO_WORD && accesses[i].word >= n)
			n = accesses[i].word + 1u;
		if (accesses[i].guard != BOB_MEM_NO_WORD && accesses[i].guard >= n)
			n = accesses[i].guard + 1u;
	}
	return n;
}

/* How many of the first `count` accesses happen in an iteration with these words. */
static uint64_t happening(const uint64_t *word, uint32_t count)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < count; i++)
		n += accesses[i].guard == BOB_MEM_NO_WORD ||
		     (word[accesses[i].guard] >> accesses[i].guard_bit & 1);
	return n;
}

/* The words in iteration `n`. */
static void step_words(const struct bob_mem_desc *d, const uint64_t *word, uint64_t n,
		       struct mem_cut *out)
{
	for (uint32_t i = 0; i < d->words; i++) {
		uint64_t step = (uint64_t)steps[i].constant;

		if (steps[i].word != BOB_MEM_NO_WORD)
			step += steps[i].scale * word[steps[i].word];
		out->word[i] = word[i] + n * step;
	}
}

/* Returns the number of complete iterations, and sets the words to those of the current one. */
static uint64_t iterate(const struct bob_mem_desc *d, const uint64_t *word, uint64_t counter,
			bool stepped, struct mem_cut *out)
{
	int64_t by = steps[d->counter].constant;
	uint64_t n = (uint64_t)((int64_t)(counter - word[d->counter]) / by) - stepped;

	if (n == NOTHING) /* a string instruction without iterations has finished */
		return n;
	out->end = word[d->counter] + n * (uint64_t)by;
	step_words(d, word, n, out);
	return n;
}

/* For a loop with payload: the words of the current iteration `n`. */
static void take_iteration(const struct bob_mem_desc *d, const uint64_t *word, uint64_t n,
			   struct mem_cut *out)
{
	step_words(d, word, n, out);
	memcpy(out->word + d->words, word + d->words + n * d->payload, d->payload * sizeof(*word));
}

static bool cut(const struct bob_image *im, const struct bob_mem_where *w, const uint64_t *word,
		uint64_t counter, struct mem_cut *out)
{
	const struct bob_mem_plan_head *plan = im->mem->plan;
	const uint8_t *descs = bob_plan_section(plan, &plan->descs);
	const uint8_t *at = descs + im->mem->desc_at[w->desc], *end = descs + plan->descs.len;
	struct bob_mem_desc d;
	uint64_t iterations = 0;
	uint32_t part = 0;

	if (bob_mem_desc_get(&at, end, &d, accesses, steps) != BOB_OK)
		return false;
	d.image = im->number;
	while (part < d.access_count && d.pc + accesses[part].pc < w->orig)
		part++;
	if (w->complete && !w->iterates && part == d.access_count) {
		*out = (struct mem_cut){ .all = true };
		return true; /* the record may be in another buffer by now */
	}
	memcpy(out->word, word, d.words * sizeof(*word));
	if (w->iterates)
		take_iteration(&d, word, counter, out);
	else if (d.kind == BOB_MEM_LOOP) /* without a counter register the loop has not begun */
		iterations = w->counter == BOB_MEM_NO_CURSOR ?
				     NOTHING :
				     iterate(&d, word, counter, w->stepped, out);
	if (iterations == NOTHING) {
		*out = (struct mem_cut){ 0 };
		return true;
	}
	out->all = part == d.access_count;
	if (w->iterates && out->all) { /* this iteration is in the record already */
		step_words(&d, word, counter + 1, out);
		return true;
	}
	out->loop = iterations != 0;
	out->part = part != 0;
	out->accesses = happening(out->word, part);
	if (iterations) /* guards do not change in such a loop */
		out->accesses += iterations * happening(out->word, d.access_count);
	out->words = words_of(part);
	if (d.flow & BOB_MEM_ENTERS && d.sp_word != BOB_MEM_NO_WORD && d.sp_word >= out->words)
		out->words = d.sp_word + 1u;
	out->number =
		part ? cut_number(&d, im->bias, im->mem->first_desc + w->desc, part, out->words) :
		       0;
	return !part || out->number;
}

bool mem_cut(const struct bob_image *im, const struct bob_mem_where *w, const uint64_t *word,
	     uint64_t counter, struct mem_cut *out)
{
	bool done;

	lock_process();
	done = cut(im, w, word, counter, out);
	unlock_process();
	return done;
}
