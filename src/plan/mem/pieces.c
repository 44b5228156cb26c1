/* SPDX-License-Identifier: BSD-3-Clause */
/* Divides blocks into pieces, one record each, and makes their descriptors. Symbolic execution
 * tracks every register as (origin, constant), where an origin is a register at the start of the
 * piece or the result of an instruction. Accesses whose addresses differ by constants share a word
 * of the record. A word is stored at the probe if a register has its origin there. Otherwise it is
 * stored directly before the first access that needs it, when the registers of its address are
 * known to have it. */
#include <string.h>

#include "plan/mem/pieces.h"

static struct bob_mem_value origin(uint32_t number)
{
	return (struct bob_mem_value){ .origin = number, .more = BOB_MEM_NO_ORIGIN };
}

void bob_mem_reset(struct bob_mem_state *s)
{
	for (uint32_t r = 0; r < BOB_X86_REGS; r++)
		s->reg[r] = origin(r);
	for (uint32_t k = 0; k < BOB_MEM_MASKS; k++)
		s->mask[k] = BOB_MEM_MASK_ORIGIN + k;
	s->origins = BOB_MEM_START_ORIGINS;
}

/* Add `w` * `scale` to `v`; false: the sum cannot be represented. */
static bool add_value(const struct bob_mem_state *s, struct bob_mem_value *v,
		      const struct bob_mem_value *w, uint8_t scale)
{
	if (!s->pairs || v->more != BOB_MEM_NO_ORIGIN || w->more != BOB_MEM_NO_ORIGIN)
		return false;
	v->more = w->origin;
	v->scale = scale;
	v->add = (int64_t)((uint64_t)v->add + (uint64_t)w->add * scale);
	return true;
}

void bob_mem_advance(struct bob_mem_state *s, const struct bob_x86_facts *f)
{
	struct bob_mem_value sum[2];
	bool known[2] = { false, false };

	for (unsigned i = 0; i < f->sum_count; i++) {
		sum[i] = s->reg[f->sum[i].source];
		sum[i].add += f->sum[i].add;
		known[i] = f->sum[i].second == BOB_X86_NO_REG ||
			   add_value(s, &sum[i], &s->reg[f->sum[i].second], f->sum[i].scale);
	}
	for (unsigned r = 0; r < BOB_X86_REGS; r++)
		if (f->changes >> r & 1)
			s->reg[r] = origin(s->origins++);
	for (unsigned k = 0; k < BOB_MEM_MASKS; k++)
		if (f->masks_changed >> k & 1)
			s->mask[k] = s->origins++;
	for (unsigned i = 0; i < f->sum_count; i++)
		if (known[i])
			s->reg[f->sum[i].dest] = sum[i];
}

/* Choose the position of the probe: before the first access, preferably where flags are dead. */
static void choose_start(struct bob_mem_builder *b, uint32_t first, uint32_t end)
{
	const struct bob_mem_insn *in = b->u->insns.at;
	uint32_t at = first;

	b->piece.start = first;
	b->piece.save_flags = (in[first].live & BOB_X86_ALL_FLAGS) != 0;
	if (!b->piece.save_flags)
		return;
	while (at + 1 < end && in[at].f.access_count == 0) {
		at++;
		if (!(in[at].live & BOB_X86_ALL_FLAGS)) {
			b->piece.start = at;
			b->piece.save_flags = false;
			return;
		}
	}
}

/* The origins that the address is the sum of; false: too many. */
static bool key_of(const struct bob_mem_state *s, const struct bob_mem_word *w,
		   struct bob_mem_key *k)
{
	const struct bob_mem_value *x = w->base == BOB_X86_NO_REG ? NULL : &s->reg[w->base];
	const struct bob_mem_value *y = w->index == BOB_X86_NO_REG ? NULL : &s->reg[w->index];

	*k = (struct bob_mem_key){ .base = x ? x->origin : BOB_MEM_NO_ORIGIN,
				   .index = y ? y->origin : BOB_MEM_NO_ORIGIN,
			   .third = BOB_MEM_NO_ORIGIN, .scale = w->scale, .fs = w->fs };
	if (x && x->more != BOB_MEM_NO_ORIGIN) {
		k->third = x->more;
		k->third_scale = x->scale;
	}
	if (!y || y->more == BOB_MEM_NO_ORIGIN)
		return true;
	if (k->third != BOB_MEM_NO_ORIGIN || y->scale * w->scale > 8)
		return false;
	k->third = y->more;
	k->third_scale = (uint8_t)(y->scale * w->scale);
	return true;
}

static bool same_key(const struct bob_mem_key *a, const struct bob_mem_key *b)
{
	return a->base == b->base && a->index == b->index && a->third == b->third &&
	       a->scale == b->scale && a->third_scale == b->third_scale && a->fs == b->fs &&
	       a->mask == b->mask;
}

bool bob_mem_is_register(const struct bob_mem_key *k)
{
	return k->base != BOB_MEM_NO_ORIGIN && !k->mask && k->index == BOB_MEM_NO_ORIGIN &&
	       k->third == BOB_MEM_NO_ORIGIN && !k->fs;
}

static uint8_t holder(const struct bob_mem_state *s, uint32_t origin)
{
	for (uint8_t r = 0; r < BOB_X86_REGS; r++)
		if (s->reg[r].origin == origin)
			return r;
	return BOB_X86_NO_REG;
}

static int64_t sum_of(const struct bob_mem_state *s, const struct bob_mem_word *w)
{
	uint64_t sum = 0;

	if (w->base != BOB_X86_NO_REG)
		sum += (uint64_t)s->reg[w->base].add;
	if (w->index != BOB_X86_NO_REG)
		sum += (uint64_t)s->reg[w->index].add * w->scale;
	if (w->third != BOB_X86_NO_REG)
		sum += (uint64_t)s->reg[w->third].add * w->third_scale;
	return (int64_t)sum;
}

/* Store the word at the probe if registers have its origins there. False: the probe would need too
 * many registers. */
static bool take_at_probe(struct bob_mem_builder *b, const struct bob_mem_key *k,
			  struct bob_mem_word *w, const struct bob_mem_state **s)
{
	const uint32_t origins[3] = { k->base, k->index, k->third };
	uint8_t reg[3];
	uint32_t taken = b->taken;

	for (unsigned i = 0; i < 3; i++) {
		reg[i] = origins[i] == BOB_MEM_NO_ORIGIN ? BOB_X86_NO_REG :
							   holder(&b->probe, origins[i]);
		if (reg[i] != BOB_X86_NO_REG)
			taken |= 1u << reg[i];
		else if (origins[i] != BOB_MEM_NO_ORIGIN)
			return true;
	}
	if (__builtin_popcount(taken & ~(1u << BOB_X86_RSP)) > BOB_MEM_REGISTERS_MAX)
		return false;
	b->taken = taken;
	*w = (struct bob_mem_word){ .at = b->piece.start, .base = reg[0], .index = reg[1],
				    .scale = k->scale, .third = reg[2],
				    .third_scale = k->third_scale, .fs = k->fs };
	*s = &b->probe;
	return true;
}

/* Returns the number of the word for this address; BOB_MEM_WORDS_MAX: there are too many. */
unsigned bob_mem_word_for(struct bob_mem_builder *b, uint32_t at, uint8_t base, uint8_t index,
			  uint8_t scale, bool fs)
{
	struct bob_mem_word w = { .at = at, .base = base, .index = index, .scale = scale,
				  .third = BOB_X86_NO_REG, .fs = fs }, *out;
	const struct bob_mem_state *s = &b->now;
	unsigned n = b->piece.words;
	struct bob_mem_key k;

	if (!key_of(s, &w, &k))
		return BOB_MEM_WORDS_MAX;
	for (unsigned i = 0; i < n; i++)
		if (same_key(&b->key[i], &k))
			return i;
	if (n == BOB_MEM_WORDS_MAX || (b->have_probe && !take_at_probe(b, &k, &w, &s)))
		return BOB_MEM_WORDS_MAX;
	out = BOB_VEC_PUSH(&b->u->words);
	if (!out) {
		b->u->st = BOB_ERR_NOMEM;
		return 0;
	}
	*out = w;
	k.add = sum_of(s, &w);
	b->key[n] = k;
	b->piece.words++;
	return n;
}

struct bob_mem_access *bob_mem_add_access(struct bob_mem_builder *b, uint32_t at,
					  const struct bob_x86_access *x, unsigned word,
					  int64_t offset)
{
	struct bob_mem_access *a;

	if (b->planned.desc.access_count == BOB_MEM_ACCESSES_MAX)
		return NULL;
	a = BOB_VEC_PUSH(&b->out->accesses);
	if (!a) {
		b->u->st = BOB_ERR_NOMEM;
		return NULL;
	}
	*a = (struct bob_mem_access){
		.offset = offset,
		.pc = (uint32_t)(b->u->insns.at[at].addr - b->planned.desc.pc),
		.size = x->size,
		.type = x->type,
		.word = (uint8_t)word,
		.guard = BOB_MEM_NO_WORD,
	};
	b->planned.desc.access_count++;
	return a;
}

/* Add an access. False: the piece is full. */
static bool add_access(struct bob_mem_builder *b, uint32_t at, const struct bob_x86_access *x)
{
	unsigned word = BOB_MEM_NO_WORD;
	int64_t offset = x->disp;

	if (x->laned && b->u->insns.at[at].f.lanes.index != BOB_X86_NO_REG)
		return bob_mem_add_lanes(b, at, x, word, offset);
	/* an access without a word is relative to the image */
	if (x->base != BOB_X86_NO_REG || x->index != BOB_X86_NO_REG || x->fs ||
	    (x->absolute && !b->u->img->fixed)) {
		struct bob_mem_word w = { .at = at, .base = x->base, .index = x->index,
					  .scale = x->scale, .third = BOB_X86_NO_REG, .fs = x->fs };

		word = bob_mem_word_for(b, at, x->base, x->index, x->scale, x->fs);
		if (word == BOB_MEM_WORDS_MAX)
			return false;
		offset = (int64_t)((uint64_t)offset + (uint64_t)sum_of(&b->now, &w) -
				   (uint64_t)b->key[word].add);
	}
	if (x->laned)
		return bob_mem_add_lanes(b, at, x, word, offset);
	return bob_mem_add_access(b, at, x, word, offset) != NULL;
}

bool bob_mem_add_accesses(struct bob_mem_builder *b, uint32_t at)
{
	const struct bob_x86_facts *f = &b->u->insns.at[at].f;
	size_t accesses = b->out->accesses.count, words = b->u->words.count;
	uint32_t count = b->planned.desc.access_count;
	uint8_t piece_words = b->piece.words;

	for (unsigned i = 0; i < f->access_count; i++) {
		if (add_access(b, at, &f->access[i]))
			continue;
		b->out->accesses.count = accesses;
		b->u->words.count = words;
		b->planned.desc.access_count = count;
		b->piece.words = piece_words;
		return false;
	}
	return true;
}

static uint8_t flow_of(const struct bob_x86_facts *f)
{
	if (f->flow == BOB_X86_CALLS || f->flow == BOB_X86_CALLS_TO)
		return BOB_MEM_CALLS;
	return f->flow == BOB_X86_RETURNS ? BOB_MEM_RETURNS : 0;
}

void bob_mem_begin_piece(struct bob_mem_builder *b, uint32_t first, uint32_t end)
{
	memset(&b->piece, 0, sizeof(b->piece));
	memset(&b->planned, 0, sizeof(b->planned));
	bob_mem_reset(&b->now);
	b->now.pairs = false;
	b->have_probe = false;
	b->taken = 0;
	b->piece.first = first;
	b->piece.word = (uint32_t)b->u->words.count;
	b->piece.desc = BOB_MEM_NONE;
	b->piece.counter = BOB_X86_NO_REG;
	b->planned.access = (uint32_t)b->out->accesses.count;
	b->planned.step = (uint32_t)b->out->steps.count;
	b->planned.desc.pc = b->u->insns.at[first].addr;
	b->planned.desc.kind = BOB_MEM_BLOCK;
	b->planned.desc.sp_word = BOB_MEM_NO_WORD;
	choose_start(b, first, end);
}

/* Make the stack pointer a word of the record, at the start of the piece and before its last
 * instruction, where it is `last_add` more. */
static void note_stack(struct bob_mem_builder *b, uint32_t first, bool known, int64_t last_add)
{
	struct bob_mem_desc *d = &b->planned.desc;
	unsigned i;

	for (i = 0; i < b->piece.words; i++)
		if (b->key[i].base == BOB_X86_RSP && bob_mem_is_register(&b->key[i]))
			break;
	if (i == b->piece.words && d->flow && i < BOB_MEM_WORDS_MAX) {
		bob_mem_reset(&b->now);	/* an entry without accesses */
		i = bob_mem_word_for(b, first, BOB_X86_RSP, BOB_X86_NO_REG, 1, false);
	}
	if (i >= b->piece.words || !known || last_add - b->key[i].add != (int32_t)last_add ||
	    b->key[i].add != (int32_t)b->key[i].add) {
		d->flow = 0;
		return;
	}
	d->sp_word = (uint8_t)i;
	d->sp_begin = (int32_t)-b->key[i].add;
	d->sp_end = (int32_t)(last_add - b->key[i].add);
}

static bob_status push_piece(struct bob_mem_builder *b)
{
	struct bob_mem_desc *d = &b->planned.desc;
	struct bob_mem_planned *p;
	struct bob_mem_piece *q;

	d->words = b->piece.words - b->piece.payload;
	d->payload = b->piece.payload;
	if (d->access_count > 0 || d->flow) {
		p = BOB_VEC_PUSH(&b->out->descs);
		if (!p)
			return BOB_ERR_NOMEM;
		*p = b->planned;
		b->piece.desc = (uint32_t)(b->out->descs.count - 1);
	}
	q = BOB_VEC_PUSH(&b->u->pieces);
	if (!q)
		return BOB_ERR_NOMEM;
	*q = b->piece;
	return BOB_OK;
}

bob_status bob_mem_end_piece(struct bob_mem_builder *b, uint32_t end)
{
	b->piece.count = end - b->piece.first;
	b->planned.desc.last = (uint32_t)(b->u->insns.at[end - 1].addr - b->planned.desc.pc);
	return push_piece(b);
}

bob_status bob_mem_add_step(struct bob_mem_builder *b, const struct bob_mem_step *step)
{
	struct bob_mem_step *s = BOB_VEC_PUSH(&b->out->steps);

	if (!s)
		return BOB_ERR_NOMEM;
	*s = *step;
	return BOB_OK;
}

/* A string instruction with a rep prefix is a loop of its own; its counter runs down to the final
 * rcx. */
static bob_status string_piece(struct bob_mem_builder *b, uint32_t at)
{
	struct bob_mem_desc *d = &b->planned.desc;
	const struct bob_mem_insn *in = &b->u->insns.at[at];
	int64_t size = in->backward ? -in->f.access[0].size : in->f.access[0].size;
	unsigned counter;
	bob_status st = BOB_OK;

	bob_mem_begin_piece(b, at, at + 1);
	bob_mem_add_accesses(b, at);
	counter = bob_mem_word_for(b, at, BOB_X86_RCX, BOB_X86_NO_REG, 1, false);
	d->kind = BOB_MEM_LOOP;
	d->counter = (uint8_t)counter;
	b->piece.counter = BOB_X86_RCX;
	for (unsigned i = 0; st == BOB_OK && i < b->piece.words; i++)
		st = bob_mem_add_step(b, &(struct bob_mem_step){ i == counter ? -1 : size,
								 BOB_MEM_NO_WORD, 0 });
	return st == BOB_OK ? bob_mem_end_piece(b, at + 1) : st;
}

/* The piece ends before its probe, and only its flow is to be recorded: put the probe first. */
static void probe_first(struct bob_mem_builder *b, uint32_t first)
{
	b->piece.start = first;
	b->piece.save_flags = (b->u->insns.at[first].live & BOB_X86_ALL_FLAGS) != 0;
	b->have_probe = false;
}

/* An entry that the function itself jumps back to: a piece without instructions before the block,
 * which runs only for callers. */
static bob_status entry_piece(struct bob_mem_builder *b, uint32_t first)
{
	struct bob_mem_desc *d = &b->planned.desc;

	bob_mem_begin_piece(b, first, first + 1);
	probe_first(b, first);
	d->flow = BOB_MEM_ENTERS;
	note_stack(b, first, true, 0);
	b->piece.count = 0;
	return push_piece(b);
}

static bool begins_function(const struct bob_mem_block *block, uint32_t at)
{
	return at == block->first && (block->flags & BOB_MEM_IS_ENTRY) && block->preds == 0;
}

/* Make the piece that begins with instruction `first`; *next is where the following one begins. */
static bob_status plain_piece(struct bob_mem_builder *b, const struct bob_mem_block *block,
			      uint32_t first, uint32_t end, uint32_t *next)
{
	const struct bob_mem_insn *in = b->u->insns.at;
	bool enters = begins_function(block, first), known = true;
	int64_t last_add = 0;
	uint32_t at;

	bob_mem_begin_piece(b, first, end);
	for (at = first; at < end; at++) {
		uint8_t flow = flow_of(&in[at].f);

		/* an instruction that needs an unknown stack pointer begins a new record */
		if (in[at].f.rep || ((flow || enters) && at > first &&
				     b->now.reg[BOB_X86_RSP].origin != BOB_X86_RSP))
			break;
		if (at == b->piece.start) {
			b->probe = b->now;
			b->have_probe = true;
		}
		if (!bob_mem_add_accesses(b, at))
			break;
		b->planned.desc.flow |= flow;
		known = b->now.reg[BOB_X86_RSP].origin == BOB_X86_RSP;
		last_add = b->now.reg[BOB_X86_RSP].add;
		bob_mem_advance(&b->now, &in[at].f);
	}
	if (at == first)
		return BOB_ERR_FULL;	/* unreachable otherwise: one instruction always fits */
	if (enters)
		b->planned.desc.flow |= BOB_MEM_ENTERS;
	if (b->piece.start >= at)
		probe_first(b, first);
	note_stack(b, first, known, last_add);
	*next = at;
	return b->u->st == BOB_OK ? bob_mem_end_piece(b, at) : b->u->st;
}

unsigned bob_mem_find_pieces(struct bob_mem_unit *u, struct bob_mem_plan *out)
{
	struct bob_mem_builder b = { .u = u, .out = out };

	u->pieces.count = u->words.count = 0;
	for (size_t i = 0; u->st == BOB_OK && i < u->blocks.count; i++) {
		const struct bob_mem_block *block = &u->blocks.at[i];
		uint32_t at = block->first, end = block->first + block->count;

		if ((block->flags & BOB_MEM_IS_ENTRY) && block->preds > 0)
			u->st = entry_piece(&b, at);
		if (u->st == BOB_OK && bob_mem_is_loop(u, (uint32_t)i)) {
			bool done;

			u->st = bob_mem_loop_piece(&b, block, &done);
			if (done)
				continue;
		}
		while (u->st == BOB_OK && at < end) {
			if (u->insns.at[at].f.rep) {
				u->st = string_piece(&b, at);
				at++;
			} else {
				u->st = plain_piece(&b, block, at, end, &at);
			}
		}
	}
	return BOB_MEM_TAKEN;
}
