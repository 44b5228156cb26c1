/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks that branch back to themselves, as one record however often they run. */
#include "plan/mem/pieces.h"

/* What an iteration adds to a register: a constant, or another register that stands still. */
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

/* The step of word `w`; false: it does not step evenly. May add a word for what it steps by. */
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

/* By a constant, and all at once: in between nobody could tell iterations from it (BOB_MEM_MAP_LOOP). */
static bool steps(const struct bob_mem_builder *b, const struct bob_mem_block *block, uint32_t reg)
{
	const struct bob_mem_value *v = &b->now.reg[reg];
	unsigned writers = 0;

	for (uint32_t i = 0; i < block->count; i++)
		writers += b->u->insns.at[block->first + i].f.changes >> reg & 1;
	return v->origin == reg && v->more == BOB_MEM_NO_ORIGIN && v->add != 0 && writers == 1;
}

/* A word that is a register alone and steps by a constant: from its end follows how often the loop ran. */
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

/* All words must be known when the loop is entered and step evenly. */
bob_status bob_mem_loop_piece(struct bob_mem_builder *b, const struct bob_mem_block *block,
			      bool *done)
{
	struct bob_mem_desc *d = &b->planned.desc;
	size_t words = b->u->words.count, accesses = b->out->accesses.count;
	size_t steps = b->out->steps.count;
	uint32_t end = block->first + block->count, at;
	unsigned counter = BOB_MEM_WORDS_MAX;
	bool even = true;

	bob_mem_begin_piece(b, block->first, block->first + 1);
	b->probe = b->now;
	b->have_probe = true;
	b->now.pairs = true;
	for (at = block->first; at < end && bob_mem_add_accesses(b, at); at++)
		bob_mem_advance(&b->now, &b->u->insns.at[at].f);
	/* words taken at the start are of registers, and only they have origins that `now` can be asked for */
	for (unsigned i = 0; i < b->piece.words; i++)
		even &= (b->key[i].base == BOB_MEM_NO_ORIGIN || b->key[i].base < BOB_X86_REGS) &&
			(b->key[i].index == BOB_MEM_NO_ORIGIN || b->key[i].index < BOB_X86_REGS) &&
			(b->key[i].third == BOB_MEM_NO_ORIGIN || b->key[i].third < BOB_X86_REGS);
	if (even && at == end && d->access_count > 0)
		counter = find_counter(b, block);
	/* steps may add words, which stand still */
	for (unsigned i = 0; even && counter < BOB_MEM_WORDS_MAX && i < b->piece.words; i++) {
		struct bob_mem_step step;

		even = step_of(b, block, i, &step) && bob_mem_add_step(b, &step) == BOB_OK;
	}
	*done = even && counter < BOB_MEM_WORDS_MAX && b->u->st == BOB_OK;
	if (!*done) {
		b->u->words.count = words;
		b->out->accesses.count = accesses;
		b->out->steps.count = steps;
		return b->u->st;
	}
	d->kind = BOB_MEM_LOOP;
	d->counter = (uint8_t)counter;
	b->piece.counter = (uint8_t)b->key[counter].base;
	return bob_mem_end_piece(b, end);
}
