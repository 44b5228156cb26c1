/* SPDX-License-Identifier: BSD-3-Clause */
/* The slow path of the model: ends of matches, growth, ids. Work per call is constant except for
 * growth, which moves the tables (LEVEL_MAX times a block, 384 KB the last time) and rehashes the
 * ids. */
#include "run/model.h"

#include <string.h>

/* The growing tables, in memory order. Their index is the top bits of a hash, so that entry i of a
 * table is copied to entries 2i and 2i+1 of the next, and no state is lost. */
static const struct {
	uint32_t bytes;		/* of an entry */
	uint32_t count;		/* at level 0 */
} tables[] = {
	{ sizeof(struct context), 256 }, { sizeof(uint32_t), 256 },
	{ sizeof(struct succ2), 256 },	 { sizeof(struct succ1), 64 },
	{ sizeof(struct ranks), 128 },
};
#define TABLES (sizeof(tables) / sizeof(tables[0]))
BOB_STATIC_ASSERT(sizeof(struct context) == 12 && sizeof(struct succ2) == 12 &&
			  sizeof(struct succ1) == 16 && sizeof(struct ranks) == 32,
		  "the sizes that bob_run_model_grow knows");
#define TABLES_OFF (HIST_SIZE * 4 + TOK_SIZE * 8 + ID_MAX * 4 + ID_MAP_SIZE_MAX * 2)

static uint8_t *table_at(const struct model *m, unsigned table, uint32_t level)
{
	uint8_t *p = m->mem + TABLES_OFF;

	for (unsigned i = 0; i < table; i++)
		p += (size_t)tables[i].bytes * tables[i].count << level;
	return p;
}

static void place_tables(struct model *m)
{
	m->ctx = (void *)table_at(m, 0, m->level);
	m->tok_ctx = (void *)table_at(m, 1, m->level);
	m->succ2 = (void *)table_at(m, 2, m->level);
	m->succ1 = (void *)table_at(m, 3, m->level);
	m->ranks = (void *)table_at(m, 4, m->level);
}

void bob_run_model_reset(struct model *m)
{
	uint8_t *mem = m->mem;

	memset(m, 0, sizeof(*m));
	m->mem = mem;
	m->hist = (void *)mem;
	m->tok = (void *)(mem + HIST_SIZE * 4);
	m->id = (void *)(mem + HIST_SIZE * 4 + TOK_SIZE * 8);
	m->id_map = (void *)(mem + HIST_SIZE * 4 + TOK_SIZE * 8 + ID_MAX * 4);
	m->id_map_bits = ID_MAP_BITS_MIN;
	m->exp_pos = NO_POS;
	memset(mem + TABLES_OFF, 0, TABLE_BYTES_0);
	memset(m->id_map, 0, sizeof(*m->id_map) << ID_MAP_BITS_MIN);
	m->tok[0] = (struct token){ 0, 0 };
	place_tables(m);
}

void bob_run_model_init(struct model *m, uint8_t *mem)
{
	m->mem = mem;
	bob_run_model_reset(m);
}

/* Double a table in place: from the last entry to the first, so that no entry is overwritten before
 * it is moved. `bytes` is constant where this is inlined: a common loop for all sizes took three
 * times as long (150 us the last time). */
ALWAYS_INLINE void double_entries(const uint8_t *from, uint8_t *to, size_t count, size_t bytes)
{
	uint8_t entry[32];

	for (size_t i = count; i-- > 0;) {
		memcpy(entry, from + i * bytes, bytes);
		memcpy(to + (2 * i + 1) * bytes, entry, bytes);
		memcpy(to + 2 * i * bytes, entry, bytes);
	}
}

/* Likewise the last table first. */
void bob_run_model_grow(struct model *m)
{
	for (unsigned t = TABLES; t-- > 0;) {
		const uint8_t *from = table_at(m, t, m->level);
		uint8_t *to = table_at(m, t, m->level + 1);
		size_t count = (size_t)tables[t].count << m->level;

		switch (tables[t].bytes) {
		case 4:
			double_entries(from, to, count, 4);
			break;
		case 12:
			double_entries(from, to, count, 12);
			break;
		case 16:
			double_entries(from, to, count, 16);
			break;
		default:
			double_entries(from, to, count, 32);
		}
	}
	m->level++;
	place_tables(m);
	m->ctx_ix = hash_ctx(m->hash, m->level);
}

void bob_run_model_rehash(struct model *m)
{
	uint32_t n = m->pos < 6 ? m->pos : 6;

	m->hash = 0;
	for (uint32_t i = n; i > 0; i--)
		m->hash = hash_push(m->hash, m->hist[(m->pos - i) & HIST_MASK]);
	m->ctx_ix = hash_ctx(m->hash, m->level);
}

static void expect_token(struct model *m)
{
	const struct token *t = &m->tok[m->tok_src & TOK_MASK];
	uint32_t before = m->tok[(m->tok_src - 1) & TOK_MASK].end;

	m->exp_pos = m->pos + (t->end - before - 1);
	if (m->exp_pos < m->pos)
		m->exp_pos = NO_POS;
	m->exp_sym = t->sym;
	m->trusted = m->tok_run >= TOKEN_TRUST;
}

/* Token numbers start at 1; tok[0].end = 0 represents the beginning. */
static void add_token(struct model *m, uint32_t sym)
{
	uint64_t length = m->pos - m->start;
	uint64_t x = (length * MIX_A ^ sym * MIX_B) >> 32;
	uint32_t ix, found;

	if (m->tok_src && m->pos == m->exp_pos && sym == m->exp_sym) {
		m->tok_run++;
		m->tok_src++;
	} else {
		m->tok_run = 0;
		m->tok_src = 0;
	}
	m->tok_count++;
	m->tok[m->tok_count & TOK_MASK] = (struct token){ m->pos + 1, sym };
	m->tok_hash = (m->tok_hash + x + 1) * (MIX_A << 16);
	ix = hash_ctx(m->tok_hash, m->level);
	found = m->tok_ctx[ix];
	if (!m->tok_src && found && m->tok_count - found < TOK_SIZE - 2)
		m->tok_src = found;
	m->tok_ctx[ix] = m->tok_count + 1;
}

static void find_match(struct model *m)
{
	uint32_t found = m->ctx[m->ctx_ix].pos;
	const uint32_t *h = m->hist;
	uint32_t p = m->pos;

	m->dist = 0;
	if (found >= 2 && p - found < HIST_SIZE && p != found &&
	    h[(found - 1) & HIST_MASK] == h[(p - 1) & HIST_MASK] &&
	    h[(found - 2) & HIST_MASK] == h[(p - 2) & HIST_MASK])
		m->dist = p - found;
	m->ctx[m->ctx_ix].pos = p;
}

void bob_run_model_break(struct model *m, uint32_t sym)
{
	int silent = model_silent(m);

	add_token(m, sym);
	m->hist[m->pos & HIST_MASK] = sym;
	m->pos++;
	m->start = m->pos;
	m->trusted = 0;
	m->exp_pos = NO_POS;
	if (m->tok_src)
		expect_token(m);
	if (silent) {
		bob_run_model_rehash(m);
	} else {	/* equivalent, since seven pushes shift out everything older */
		m->hash = hash_push(m->hash, sym);
		m->ctx_ix = hash_ctx(m->hash, m->level);
	}
	find_match(m);
}

static uint32_t id_slot(const struct model *m, uint32_t id)
{
	return id * 0x9e3779b1u >> (32 - m->id_map_bits);
}

uint32_t bob_run_model_rank(const struct model *m, uint32_t id)
{
	uint32_t mask = (1u << m->id_map_bits) - 1;

	for (uint32_t i = id_slot(m, id); m->id_map[i]; i = (i + 1) & mask)
		if (m->id[m->id_map[i] - 1] == id)
			return m->id_map[i];
	return 0;
}

static void map_id(struct model *m, uint32_t rank)
{
	uint32_t mask = (1u << m->id_map_bits) - 1;
	uint32_t i = id_slot(m, m->id[rank]);

	while (m->id_map[i])
		i = (i + 1) & mask;
	m->id_map[i] = (uint16_t)(rank + 1);
}

/* The decoder looks up ids by rank and needs no map. */
void bob_run_model_add_id(struct model *m, uint32_t id, int encoder)
{
	if (m->id_count == ID_MAX)
		return;
	m->id[m->id_count++] = id;
	if (!encoder)
		return;
	if (m->id_count * 2 > 1u << m->id_map_bits) {
		m->id_map_bits++;
		memset(m->id_map, 0, sizeof(*m->id_map) << m->id_map_bits);
		for (uint32_t i = 0; i + 1 < m->id_count; i++)
			map_id(m, i);
	}
	map_id(m, m->id_count - 1);
}
