/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops of a single block, as one record for any number of iterations. If all words have a constant
 * step, nothing is stored within the loop. Otherwise the other words are stored in each iteration
 * (payload). */
#include <string.h>

#include "plan/mem/pieces.h"

#define TAG_SHIFT 56

/* The increment of a register per iteration: a constant, or another register that is constant. */
struct change {
	bool known;
	uint8_t by;		/* register or BOB_X86_NO_REG */
	int64_t constant;
};

static struct change change_of(const struct bob_mem_builder *b, const struct bob_mem_block *block,
			       uint8_t reg)
{
	const struct bob_mem_insn *in = b->u->insns.at + block->first;
	struct change c = { .by = BOB_X86_NO_REG };
	uint32_t changes = 0;
	unsigned writers = 0;

	if (reg >= BOB_MEM_MASK_ORIGIN) {
		c.known = b->now.mask[reg - BOB_MEM_MASK_ORIGIN] == reg;
		return c;
	}
	if (b->now.reg[reg].origin == reg && b->now.reg[reg].more == BOB_MEM_NO_ORIGIN) {
		c.known = true;
		c.constant = b->now.reg[reg].add;
		return c;
	}
	for (uint32_t i = 0; i < block->count; i++) {
		changes |= in[i].f.changes;
		writers += in[i].f.changes >> reg & 1;
		if (in[i].f.added_to == reg)
			c.by = in[i].f.added;
	}
	c.known = writers == 1 && c.by != BOB_X86_NO_REG && !(changes >> c.by & 1);
	return c;
}

/* The step of word `w`; false: it has no constant step. May add a word for a register that is part
 * of the step. */
static bool step_of(struct bob_mem_builder *b, const struct bob_mem_block *block, unsigned w,
		    struct bob_mem_step *step)
{
	const struct bob_mem_key *k = &b->key[w];
	const uint32_t origins[3] = { k->base, k->index, k->third };
	const uint8_t scales[3] = { 1, k->scale, k->third_scale };
	struct bob_mem_state end = b->now;
	uint8_t by = BOB_X86_NO_REG, scale = 1;
	uint64_t constant = 0;
	unsigned word;

	for (unsigned i = 0; i < 3; i++) {
		struct change c;

		if (origins[i] == BOB_MEM_NO_ORIGIN)
			continue;
		c = change_of(b, block, (uint8_t)origins[i]);
		if (!c.known || (c.by != BOB_X86_NO_REG && by != BOB_X86_NO_REG))
			return false;
		constant += (uint64_t)c.constant * scales[i];
		if (c.by != BOB_X86_NO_REG) {
			by = c.by;
			scale = scales[i];
		}
	}
	*step = (struct bob_mem_step){ (int64_t)constant, BOB_MEM_NO_WORD, 0 };
	if (by == BOB_X86_NO_REG)
		return true;
	bob_mem_reset(&b->now);
	word = bob_mem_word_for(b, block->first, by, BOB_X86_NO_REG, 1, false);
	b->now = end;
	step->word = (uint8_t)word;
	step->scale = scale;
	return word < BOB_MEM_WORDS_MAX;
}

/* Whether the register is incremented by a constant in a single instruction: between two
 * increments, iterations could not be computed from it (BOB_MEM_MAP_LOOP). */
static bool steps(const struct bob_mem_builder *b, const struct bob_mem_block *block, uint32_t reg)
{
	const struct bob_mem_value *v = &b->now.reg[reg];
	unsigned writers = 0;

	for (uint32_t i = 0; i < block->count; i++)
		writers += b->u->insns.at[block->first + i].f.changes >> reg & 1;
	return v->origin == reg && v->more == BOB_MEM_NO_ORIGIN && v->add != 0 && writers == 1;
}

/* Find a word that is a single register with a constant step: its final value yields the number of
 * iterations. */
static unsigned find_counter(struct bob_mem_builder *b, const struct bob_mem_block *block)
{
	struct bob_mem_state end = b->now;

	for (unsigned i = 0; i < b->piece.words; i++)
		if (bob_mem_is_register(&b->key[i]) && steps(b, block, b->key[i].base))
			return i;
	for (uint8_t r = 0; r < BOB_X86_REGS; r++) {
		unsigned word;

		if (!steps(b, block, r))
			continue;
		bob_mem_reset(&b->now);
		word = bob_mem_word_for(b, block->first, r, BOB_X86_NO_REG, 1, false);
		b->now = end;
		return word;
	}
	return BOB_MEM_WORDS_MAX;
}

bool bob_mem_is_loop(const struct bob_mem_unit *u, uint32_t index)
{
	const struct bob_mem_block *block = &u->blocks.at[index];
	uint32_t last = block->first + block->count - 1;

	if (block->next[1] != index || u->insns.at[last].f.flow != BOB_X86_BRANCHES)
		return false;
	for (uint32_t i = block->first; i <= last; i++)
		if (u->insns.at[i].f.rep)
			return false;
	return true;
}

/* --- payload --- */

/* Whether the word consists of registers as of the beginning of the iteration, for which `now` has
 * the origins. */
static bool is_of_start(const struct bob_mem_key *k)
{
	const uint32_t origins[3] = { k->base, k->index, k->third };

	for (unsigned i = 0; i < 3; i++)
		if (origins[i] != BOB_MEM_NO_ORIGIN && origins[i] >= BOB_MEM_START_ORIGINS)
			return false;
	return true;
}

/* Reorder the words so that those with a constant step come first: `to` is the new position of
 * each. */
static void move_words(struct bob_mem_builder *b, const uint8_t *to)
{
	struct bob_mem_word old[BOB_MEM_WORDS_MAX], *w = b->u->words.at + b->piece.word;
	struct bob_mem_key key[BOB_MEM_WORDS_MAX];

	memcpy(old, w, b->piece.words * sizeof(*w));
	memcpy(key, b->key, b->piece.words * sizeof(*key));
	for (unsigned i = 0; i < b->piece.words; i++) {
		w[to[i]] = old[i];
		b->key[to[i]] = key[i];
	}
	for (uint32_t i = 0; i < b->planned.desc.access_count; i++) {
		struct bob_mem_access *a = &b->out->accesses.at[b->planned.access + i];

		if (a->word != BOB_MEM_NO_WORD)
			a->word = to[a->word];
		if (a->guard != BOB_MEM_NO_WORD)
			a->guard = to[a->guard];
	}
}

/* The address of a lane that is not accessed may be any number, as may a mask: they get a tag, so
 * that they are not 0. False: a mask needs the bits of the tag. */
static bool tag_lanes(struct bob_mem_builder *b)
{
	unsigned first = b->piece.words - b->piece.payload;
	struct bob_mem_word *w = b->u->words.at + b->piece.word;

	for (uint32_t i = 0; i < b->planned.desc.access_count; i++) {
		const struct bob_mem_access *a = &b->out->accesses.at[b->planned.access + i];

		if (a->guard == BOB_MEM_NO_WORD)
			continue;
		if (a->guard >= first)
			w[a->guard].tagged = true;
		if (a->word != BOB_MEM_NO_WORD && a->word >= first)
			w[a->word].tagged = true;
		if (a->guard >= first && b->u->insns.at[w[a->guard].insn].f.lanes.bits > TAG_SHIFT)
			return false;
	}
	return true;
}

/* Store the address of an access in each iteration: it is not 0, and its bit 63 is clear, as
 * payload requires. False: the displacement is too large. */
static bool make_addresses(struct bob_mem_builder *b)
{
	unsigned first = b->piece.words - b->piece.payload;
	bool done[BOB_MEM_WORDS_MAX] = { false };

	for (uint32_t i = 0; i < b->planned.desc.access_count; i++) {
		struct bob_mem_access *a = &b->out->accesses.at[b->planned.access + i];
		struct bob_mem_word *w = b->u->words.at + b->piece.word + a->word;

		if (a->word == BOB_MEM_NO_WORD || a->word < first)
			continue;
		if (!done[a->word] && a->offset != (int32_t)a->offset)
			return false;
		if (!done[a->word])
			w->disp = (int32_t)a->offset;
		done[a->word] = true;
		a->offset -= w->disp;
		if (w->tagged)
			a->offset -= (int64_t)BOB_MEM_TAG << TAG_SHIFT;
	}
	return true;
}

/* The words of the block have been found: keep those with a constant step, make the others payload.
 * False: record it block by block. */
static bool make_payload(struct bob_mem_builder *b, const struct bob_mem_block *block)
{
	struct bob_mem_step step[BOB_MEM_WORDS_MAX];
	uint8_t to[BOB_MEM_WORDS_MAX];
	bool even[BOB_MEM_WORDS_MAX];
	unsigned evens = 0, others = 0;

	if (b->piece.save_flags) /* the limit is checked in each iteration */
		return false;
	/* step_of may add words, which are constant */
	for (unsigned i = 0; i < b->piece.words; i++) {
		even[i] = is_of_start(&b->key[i]) && step_of(b, block, i, &step[evens]);
		evens += even[i];
		others += !even[i];
	}
	if (!others || b->u->st != BOB_OK)
		return false;
	b->piece.payload = (uint8_t)others;
	for (unsigned i = 0, e = 0, o = evens; i < b->piece.words; i++)
		to[i] = (uint8_t)(even[i] ? e++ : o++);
	for (unsigned i = 0; i < evens; i++) {
		if (step[i].word != BOB_MEM_NO_WORD)
			step[i].word = to[step[i].word];
		if (bob_mem_add_step(b, &step[i]) != BOB_OK)
			return false;
	}
	move_words(b, to);
	return tag_lanes(b) && make_addresses(b);
}

/* --- loops --- */

/* All words have a constant step, and a register counts the iterations. */
static bool make_counted(struct bob_mem_builder *b, const struct bob_mem_block *block)
{
	unsigned counter;

	for (unsigned i = 0; i < b->piece.words; i++)
		if (!is_of_start(&b->key[i]))
			return false;
	counter = find_counter(b, block);
	if (counter == BOB_MEM_WORDS_MAX)
		return false;
	/* step_of may add words, which are constant */
	for (unsigned i = 0; i < b->piece.words; i++) {
		struct bob_mem_step step;

		if (!step_of(b, block, i, &step) || bob_mem_add_step(b, &step) != BOB_OK)
			return false;
	}
	b->planned.desc.counter = (uint8_t)counter;
	b->piece.counter = (uint8_t)b->key[counter].base;
	return true;
}

/* Find the words of the block as a loop. False: there are too many. */
static bool find_words(struct bob_mem_builder *b, const struct bob_mem_block *block)
{
	uint32_t end = block->first + block->count, at;

	bob_mem_begin_piece(b, block->first, block->first + 1);
	b->probe = b->now;
	b->have_probe = true;
	b->now.pairs = true;
	for (at = block->first; at < end && bob_mem_add_accesses(b, at); at++)
		bob_mem_advance(&b->now, &b->u->insns.at[at].f);
	b->planned.desc.kind = BOB_MEM_LOOP;
	return at == end && b->planned.desc.access_count > 0;
}

bob_status bob_mem_loop_piece(struct bob_mem_builder *b, const struct bob_mem_block *block,
			      bool *done)
{
	size_t words = b->u->words.count, accesses = b->out->accesses.count;
	size_t steps = b->out->steps.count;

	for (int payload = 0; payload < 2; payload++) {
		*done = find_words(b, block) &&
			(payload ? make_payload(b, block) : make_counted(b, block)) &&
			b->u->st == BOB_OK;
		if (*done)
			return bob_mem_end_piece(b, block->first + block->count);
		b->u->words.count = words;
		b->out->accesses.count = accesses;
		b->out->steps.count = steps;
	}
	return b->u->st;
}
