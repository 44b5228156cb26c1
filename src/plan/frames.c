/* SPDX-License-Identifier: BSD-3-Clause */
/* Call frame information: .eh_frame to rows that tell where the caller's frame is. Only two things
 * are followed, the CFA and where rbp is, since they alone are needed to go from a frame to its
 * caller. Rows are made where that state changes and nowhere else. The bytes come from a file: one
 * bad entry ends the reading, what was read before it stays. DWARF 5 section 6.4, LSB 5 chapter
 * 10.6 (.eh_frame). */
#include <dwarf.h>
#include <string.h>

#include "plan/eh_bytes.h"
#include "plan/image.h"

#define REMEMBER_MAX 32
#define RBX 3
#define RBP 6
#define RSP 7

/* Common to the entries that refer to it. */
struct cie {
	const uint8_t *at;	/* NULL: slot unused */
	struct bytes init;	/* initial instructions */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;
	uint8_t encoding;	/* of addresses in its FDEs */
	uint8_t lsda_encoding;	/* of where their exception tables are; DW_EH_PE_omit: there are none */
	bool augmented, signal, valid;
};
#define CIE_SLOTS 16

enum rbp_rule {
	RBP_SAME,
	RBP_OFFSET,		/* at CFA + rbp_off */
	RBP_AT_RBP,		/* expression: the value at *(rbp) */
	RBP_LOST
};

struct state {
	uint64_t reg;		/* CFA = reg + off, unless deref or unknown */
	int64_t off;
	int64_t rbp_off;
	uint8_t rbp;		/* enum rbp_rule */
	bool deref;		/* CFA = *(rbp + off) */
	bool unknown;
	bool no_caller;		/* return address undefined, or not in the frame */
	bool outermost;		/* undefined: nobody called */
};

struct machine {
	struct bob_plan_image *img;
	const struct cie *cie;
	struct state now, initial, saved[REMEMBER_MAX];
	unsigned depth;
	uint64_t loc, lo, hi;
	size_t first_row;
	bool no_caller;		/* at `lo` */
};

static void read_augmentation(struct bytes *b, struct cie *c, const char *s)
{
	uint64_t len = get_uleb(b);
	struct bytes data = *b;

	skip(b, len);
	if (b->bad)
		return;
	data.end = b->p;
	for (; *s; s++) {
		switch (*s) {
		case 'R':
			c->encoding = get_u8(&data);
			break;
		case 'P': {
			unsigned enc = get_u8(&data);

			get_encoded(&data, enc & 0x0f);
			break;
		}
		case 'L':
			c->lsda_encoding = get_u8(&data);
			break;
		case 'S':
			c->signal = true;
			break;
		case 'B':
			break;
		default:
			c->valid = false;
		}
	}
	if (data.bad)
		c->valid = false;
}

/* `b` starts behind the CIE's id and ends with it. */
static void read_cie(struct bytes *b, struct cie *c)
{
	const char *aug;
	unsigned version = get_u8(b);

	memset(c, 0, sizeof(*c));
	c->valid = true;
	c->lsda_encoding = DW_EH_PE_omit;
	aug = (const char *)b->p;
	while (get_u8(b) != 0)
		;
	if (version == 4)
		skip(b, 2);
	c->code_align = get_uleb(b);
	c->data_align = get_sleb(b);
	c->ra = version == 1 ? get_u8(b) : get_uleb(b);
	if (b->bad || (version != 1 && version != 3 && version != 4)) {
		c->valid = false;
		return;
	}
	if (*aug == 'z') {
		c->augmented = true;
		read_augmentation(b, c, aug + 1);
	} else if (*aug) {
		c->valid = false;
	}
	if (b->bad)
		c->valid = false;
	c->init = *b;
}

static bool fits(int64_t v, int64_t lo, int64_t hi)
{
	return v >= lo && v <= hi;
}

static struct bob_plan_row make_row(const struct machine *m)
{
	const struct state *s = &m->now;
	struct bob_plan_row r = { .start = (uint32_t)(m->loc - m->lo) };

	if (s->outermost) {
		r.cfa_kind = BOB_CFA_OUTERMOST;
		return r;
	}
	if (s->unknown || s->no_caller || !fits(s->off, INT32_MIN, INT32_MAX))
		return r;
	if (s->deref)
		r.cfa_kind = BOB_CFA_RBP_DEREF;
	else if (s->reg == RSP)
		r.cfa_kind = BOB_CFA_RSP;
	else if (s->reg == RBP)
		r.cfa_kind = BOB_CFA_RBP;
	else if (s->reg == RBX)
		r.cfa_kind = BOB_CFA_RBX;
	else
		return r;
	r.cfa_off = (int32_t)s->off;
	if (s->rbp == RBP_LOST)
		r.rbp_off = BOB_ROW_RBP_LOST;
	else if (s->rbp == RBP_AT_RBP)
		r.rbp_off = s->deref ? BOB_ROW_RBP_AT_RBP : BOB_ROW_RBP_LOST;
	else if (s->rbp == RBP_OFFSET && s->rbp_off % 8 == 0 && s->rbp_off != 0 &&
		 fits(s->rbp_off / 8, -0x7fff, 0x7ff0))
		r.rbp_off = (int16_t)(s->rbp_off / 8);
	else if (s->rbp == RBP_OFFSET)
		r.rbp_off = BOB_ROW_RBP_LOST;
	return r;
}

/* The state holds from m->loc on. */
static bob_status put_row(struct machine *m)
{
	struct bob_plan_rows *rows = &m->img->rows;
	struct bob_plan_row r = make_row(m), *last;

	if (m->loc == m->lo)
		m->no_caller = m->now.no_caller;
	if (rows->count > m->first_row) {
		last = &rows->at[rows->count - 1];
		if (last->start == r.start)
			rows->count--;	/* replaced before it held for any instruction */
	}
	if (rows->count > m->first_row) {
		last = &rows->at[rows->count - 1];
		if (last->cfa_kind == r.cfa_kind && last->cfa_off == r.cfa_off &&
		    last->rbp_off == r.rbp_off)
			return BOB_OK;
	}
	last = BOB_PLAN_PUSH(rows);
	if (!last)
		return BOB_ERR_NOMEM;
	*last = r;
	return BOB_OK;
}

/* CFA = *(rbp + k), as main and AVX code have it when the prologue realigns the stack. */
static void cfa_expression(struct bytes *b, struct state *s)
{
	uint64_t len = get_uleb(b);
	struct bytes e = *b;

	skip(b, len);
	e.end = b->p;
	s->unknown = true;
	s->deref = false;
	if (b->bad || get_u8(&e) != DW_OP_breg0 + RBP)
		return;
	s->off = get_sleb(&e);
	if (get_u8(&e) == DW_OP_deref && !e.bad && e.p == e.end) {
		s->unknown = false;
		s->deref = true;
	}
}

/* A register saved where an expression says. */
static void saved_expression(struct bytes *b, struct state *s, bool is_value)
{
	uint64_t reg = get_uleb(b), len = get_uleb(b);
	struct bytes e = *b;

	skip(b, len);
	e.end = b->p;
	if (reg != RBP)
		return;
	s->rbp = RBP_LOST;
	if (b->bad || is_value)
		return;
	if (get_u8(&e) == DW_OP_breg0 + RBP && get_sleb(&e) == 0 && !e.bad && e.p == e.end)
		s->rbp = RBP_AT_RBP;
}

static void set_offset(struct machine *m, uint64_t reg, int64_t off)
{
	if (reg == RBP) {
		m->now.rbp = RBP_OFFSET;
		m->now.rbp_off = (int64_t)((uint64_t)off * (uint64_t)m->cie->data_align);
	} else if (reg == m->cie->ra) {
		m->now.no_caller = m->now.outermost = false;
	}
}

static void set_rule(struct machine *m, uint64_t reg, enum rbp_rule rule)
{
	if (reg == RBP) {
		m->now.rbp = (uint8_t)rule;
	} else if (reg == m->cie->ra) {
		m->now.no_caller = rule == RBP_LOST;
		m->now.outermost = false;
	}
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg == RBP) {
		m->now.rbp = m->initial.rbp;
		m->now.rbp_off = m->initial.rbp_off;
	} else if (reg == m->cie->ra) {
		m->now.no_caller = m->initial.no_caller;
		m->now.outermost = m->initial.outermost;
	}
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t off)
{
	m->now.reg = reg;
	m->now.off = off;
	m->now.deref = m->now.unknown = false;
}

/* DW_CFA_restore_state brings back the CFA too, as gcc and libgcc have it. */
static void remember(struct machine *m, struct bytes *b)
{
	if (m->depth == REMEMBER_MAX)
		b->bad = true;
	else
		m->saved[m->depth++] = m->now;
}

static void recall(struct machine *m, struct bytes *b)
{
	if (m->depth == 0)
		b->bad = true;
	else
		m->now = m->saved[--m->depth];
}

/* The instructions without an operand in their first byte, advances excepted. */
static void step_extended(struct machine *m, struct bytes *b, unsigned op)
{
	int64_t align = m->cie->data_align;
	uint64_t reg;

	switch (op) {
	case DW_CFA_nop:
		break;
	case DW_CFA_def_cfa:
		reg = get_uleb(b);
		set_cfa(m, reg, (int64_t)get_uleb(b));
		break;
	case DW_CFA_def_cfa_sf:
		reg = get_uleb(b);
		set_cfa(m, reg, (int64_t)((uint64_t)get_sleb(b) * (uint64_t)align));
		break;
	case DW_CFA_def_cfa_register:
		set_cfa(m, get_uleb(b), m->now.off);
		break;
	case DW_CFA_def_cfa_offset:
		set_cfa(m, m->now.reg, (int64_t)get_uleb(b));
		break;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(m, m->now.reg, (int64_t)((uint64_t)get_sleb(b) * (uint64_t)align));
		break;
	case DW_CFA_def_cfa_expression:
		cfa_expression(b, &m->now);
		break;
	case DW_CFA_offset_extended:
		reg = get_uleb(b);
		set_offset(m, reg, (int64_t)get_uleb(b));
		break;
	case DW_CFA_offset_extended_sf:
		reg = get_uleb(b);
		set_offset(m, reg, get_sleb(b));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		reg = get_uleb(b);
		set_offset(m, reg, (int64_t)(0 - get_uleb(b)));
		break;
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
	case DW_CFA_register:
		set_rule(m, get_uleb(b), RBP_LOST);
		get_uleb(b);
		break;
	case DW_CFA_restore_extended:
		restore(m, get_uleb(b));
		break;
	case DW_CFA_undefined: {
		uint64_t which = get_uleb(b);

		set_rule(m, which, RBP_LOST);
		if (which == m->cie->ra)
			m->now.outermost = true;
		break;
	}
	case DW_CFA_same_value:
		set_rule(m, get_uleb(b), RBP_SAME);
		break;
	case DW_CFA_expression:
		saved_expression(b, &m->now, false);
		break;
	case DW_CFA_val_expression:
		saved_expression(b, &m->now, true);
		break;
	case DW_CFA_remember_state:
		remember(m, b);
		break;
	case DW_CFA_restore_state:
		recall(m, b);
		break;
	case DW_CFA_GNU_args_size:
		get_uleb(b);
		break;
	case DW_CFA_GNU_window_save:	/* on AArch64: sign state; nothing here */
		break;
	default:
		b->bad = true;
	}
}

/* Bytes by which `op` moves the location on, or 0. */
static bool advance(struct bytes *b, unsigned op, uint64_t *delta)
{
	switch (op) {
	case DW_CFA_advance_loc1:
		*delta = get_u8(b);
		return true;
	case DW_CFA_advance_loc2:
		*delta = get_fixed(b, 2);
		return true;
	case DW_CFA_advance_loc4:
		*delta = get_fixed(b, 4);
		return true;
	default:
		*delta = op & 0x3f;
		return (op & 0xc0) == DW_CFA_advance_loc;
	}
}

static bob_status run(struct machine *m, struct bytes b, bool rows)
{
	bob_status st = BOB_OK;

	while (st == BOB_OK && b.p < b.end && !b.bad) {
		unsigned op = *b.p++;
		uint64_t delta;

		if (advance(&b, op, &delta)) {
			if (!rows)
				return BOB_OK;
			if (delta)
				st = put_row(m);
			if (__builtin_mul_overflow(delta, m->cie->code_align, &delta) ||
			    delta >= m->hi - m->loc)
				return st;
			m->loc += delta;
		} else if ((op & 0xc0) == DW_CFA_offset) {
			set_offset(m, op & 0x3f, (int64_t)get_uleb(&b));
		} else if ((op & 0xc0) == DW_CFA_restore) {
			restore(m, op & 0x3f);
		} else if (op == DW_CFA_set_loc) {
			uint64_t to = get_address(&b, m->cie->encoding);

			if (!rows || b.bad || to <= m->loc || to >= m->hi)
				return BOB_OK;
			st = put_row(m);
			m->loc = to;
		} else {
			step_extended(m, &b, op);
		}
	}
	if (b.bad)
		m->now.unknown = true;	/* from here on nothing is known */
	return st == BOB_OK && rows ? put_row(m) : st;
}

/* Augmentation data of an FDE: where its exception table is, 0 if it has none. */
static uint64_t read_lsda(struct bytes *b, const struct cie *c)
{
	uint64_t len = get_uleb(b);
	struct bytes data = *b, raw;
	uint64_t at;

	skip(b, len);
	if (b->bad || c->lsda_encoding == DW_EH_PE_omit)
		return 0;
	data.end = b->p;
	raw = data;
	if (get_encoded(&raw, c->lsda_encoding) == 0)
		return 0;
	at = get_address(&data, c->lsda_encoding);
	return data.bad ? 0 : at;
}

static bob_status read_fde(struct bob_plan_image *img, struct bytes *b, const struct cie *c)
{
	struct machine m = { .img = img, .cie = c, .first_row = img->rows.count };
	struct bob_plan_frame *f;
	const struct bob_plan_row *first;
	uint64_t lsda = 0;
	bob_status st;

	m.lo = get_address(b, c->encoding);
	m.hi = m.lo + get_encoded(b, c->encoding & 0x0f);
	if (c->augmented)
		lsda = read_lsda(b, c);
	if (b->bad || m.hi <= m.lo || m.hi - m.lo > UINT32_MAX || !bob_plan_code_at(img, m.lo) ||
	    bob_plan_code_at(img, m.lo)->hi < m.hi)
		return BOB_OK;
	m.loc = m.lo;
	m.now.unknown = true;
	st = run(&m, c->init, false);
	m.initial = m.now;
	if (st == BOB_OK)
		st = run(&m, *b, true);
	if (st != BOB_OK || img->rows.count == m.first_row)
		return st;	/* a wrong DW_CFA_set_loc can come before the first row */
	f = BOB_PLAN_PUSH(&img->frames);
	if (!f || img->rows.count > UINT32_MAX)
		return BOB_ERR_NOMEM;
	first = &img->rows.at[m.first_row];
	f->lo = m.lo;
	f->hi = m.hi;
	f->row = (uint32_t)m.first_row;
	f->row_count = (uint32_t)(img->rows.count - m.first_row);
	f->owner = f->jumped_by = BOB_PLAN_NO_INDEX;
	f->signal = c->signal;
	f->cold = !(first->cfa_kind == BOB_CFA_RSP && first->cfa_off == 8);
	f->no_caller = m.no_caller;
	f->lsda = lsda;
	return BOB_OK;
}

static int by_start(const void *a, const void *b)
{
	const struct bob_plan_frame *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Sort; where two overlap the later one begins where it says and the earlier one ends there. */
static bob_status order_frames(struct bob_plan_image *img)
{
	struct bob_plan_frames *fs = &img->frames;
	struct bob_plan_rows sorted = { 0 };
	size_t n = 0;

	if (fs->count == 0)
		return BOB_OK;
	qsort(fs->at, fs->count, sizeof(fs->at[0]), by_start);
	if (BOB_PLAN_RESERVE(&sorted, img->rows.count) != 0)
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < fs->count; i++) {
		struct bob_plan_frame *f = &fs->at[i];
		uint32_t row = (uint32_t)sorted.count;

		if (i + 1 < fs->count && fs->at[i + 1].lo == f->lo)
			continue;
		if (i + 1 < fs->count && fs->at[i + 1].lo < f->hi)
			f->hi = fs->at[i + 1].lo;
		for (uint32_t r = 0; r < f->row_count; r++) {
			if (img->rows.at[f->row + r].start >= f->hi - f->lo)
				break;
			sorted.at[sorted.count++] = img->rows.at[f->row + r];
		}
		f->row = row;
		f->row_count = (uint32_t)sorted.count - row;
		fs->at[n++] = *f;
	}
	fs->count = n;
	free(img->rows.at);
	img->rows = sorted;
	return BOB_OK;
}

/* The CIE at `at`; parsed ones are kept in a few slots. NULL if it cannot be used. */
static const struct cie *find_cie(struct cie *slots, const struct bytes *all, const uint8_t *at)
{
	struct cie *c = &slots[((uintptr_t)at >> 3) % CIE_SLOTS];
	struct bytes b = *all;
	uint64_t len;

	if (c->at == at)
		return c->valid ? c : NULL;
	b.p = at;
	len = get_fixed(&b, 4);
	if (b.bad || len == UINT32_MAX || len < 4 || len > (uint64_t)(b.end - b.p))
		return NULL;
	b.end = b.p + len;
	if (get_fixed(&b, 4) != 0)
		return NULL;
	read_cie(&b, c);
	c->at = at;
	return c->valid ? c : NULL;
}

bob_status bob_plan_read_frames(struct bob_plan_image *img)
{
	struct cie slots[CIE_SLOTS] = { 0 };
	struct bytes all = { .addr = img->frame_addr };
	bob_status st = BOB_OK;

	all.base = all.p = bob_plan_bytes_at(img, img->frame_addr, img->frame_len);
	if (!all.base)
		return BOB_OK;
	all.end = all.base + img->frame_len;
	while (st == BOB_OK && all.end - all.p > 8) {
		struct bytes b;
		uint64_t len = get_fixed(&all, 4), id;
		const uint8_t *id_at = all.p;

		/* the 64-bit form is not made by any toolchain for .eh_frame */
		if (len == UINT32_MAX || len > (uint64_t)(all.end - all.p))
			break;
		if (len < 4)
			continue;
		b = all;
		b.end = b.p + len;
		all.p = b.end;
		id = get_fixed(&b, 4);
		if (id != 0 && id <= (uint64_t)(id_at - all.base)) {
			struct bytes whole = all;
			const struct cie *c;

			whole.p = all.base;
			c = find_cie(slots, &whole, id_at - id);
			if (c)
				st = read_fde(img, &b, c);
		}
	}
	return st == BOB_OK ? order_frames(img) : st;
}
