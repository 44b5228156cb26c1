/* SPDX-License-Identifier: BSD-3-Clause */
/* Interpreter of call frame instructions (DWARF 5 section 6.4): tracks only the CFA and the saved
 * rbp, and emits a row where they change. */
#include "plan/cfi.h"

#define REMEMBER_MAX 32
#define RBX 3
#define RBP 6
#define RSP 7

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
	bool no_caller;		/* the return address is undefined, or not in the frame */
	bool outermost;		/* the return address is undefined: no caller */
};

struct machine {
	struct bob_plan_rows *rows;
	const struct cie *cie;
	struct state now, initial, saved[REMEMBER_MAX];
	unsigned depth;
	uint64_t loc, lo, hi;
	size_t first_row;
	bool no_caller;		/* at `lo` */
};

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

/* Emit a row for the state that is valid from m->loc on. */
static bob_status put_row(struct machine *m)
{
	struct bob_plan_rows *rows = m->rows;
	struct bob_plan_row r = make_row(m), *last;

	if (m->loc == m->lo)
		m->no_caller = m->now.no_caller;
	if (rows->count > m->first_row) {
		last = &rows->at[rows->count - 1];
		if (last->start == r.start)
			rows->count--;	/* replaced before it applied to any instruction */
	}
	if (rows->count > m->first_row) {
		last = &rows->at[rows->count - 1];
		if (last->cfa_kind == r.cfa_kind && last->cfa_off == r.cfa_off &&
		    last->rbp_off == r.rbp_off)
			return BOB_OK;
	}
	last = BOB_VEC_PUSH(rows);
	if (!last)
		return BOB_ERR_NOMEM;
	*last = r;
	return BOB_OK;
}

/* CFA = *(rbp + k): main and AVX code whose prologue realigns the stack. */
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

/* A register whose location is an expression. */
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

/* DW_CFA_restore_state also restores the CFA, as in gcc and libgcc. */
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

/* Instructions whose first byte has no operand, except advances. */
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
	case DW_CFA_GNU_window_save:	/* AArch64: sign state; ignored here */
		break;
	default:
		b->bad = true;
	}
}

/* If `op` advances the location, sets *delta to the number of bytes and returns true. */
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
		m->now.unknown = true;	/* everything that follows is unknown */
	return st == BOB_OK && rows ? put_row(m) : st;
}

bob_status bob_plan_cfi_rows(struct bob_plan_rows *rows, const struct cie *c, uint64_t lo,
			     uint64_t hi, struct bytes program, bool *no_caller)
{
	struct machine m = {
		.rows = rows, .cie = c, .first_row = rows->count, .lo = lo, .hi = hi, .loc = lo
	};
	bob_status st;

	m.now.unknown = true;
	st = run(&m, c->init, false);
	m.initial = m.now;
	if (st == BOB_OK)
		st = run(&m, program, true);
	*no_caller = m.no_caller;
	return st;
}
