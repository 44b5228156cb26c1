/* SPDX-License-Identifier: BSD-3-Clause */
/* Holds the map of a memory plan (bob_mem_map_find) against what happens: a function runs as it is
 * and translated (memrun.h), then translated once more, under the single-step flag. Before each
 * translated instruction the map's answer is compared with
 *
 *   - the instructions that the original ran: the same ones in the same order, except nops and
 *     jumps to the next instruction of the unit, which translation drops; the last code that
 *     belongs to an original instruction must be its copy,
 *   - the buffer: whether a record is under way, and whether its header is there,
 *   - what probes do with the cursor: a register that is used as one is the one the map names, and
 *     it holds the place where the next record begins, less what the map says is still to be added,
 *   - registers that probes put away and take back: the map names them in between, and no others,
 *   - the counter of a recorded loop since the loop began; in a loop with payload, how many
 *     iterations the record has, and whether all words of this one are stored.
 *
 * What the truth owes to the planner: the descriptors, which memrun.h proves right. */
#ifndef BOB_TEST_MEMMAP_H
#define BOB_TEST_MEMMAP_H

#include "memrun.h"

#define MEMMAP_NONE UINT32_MAX
#define MEMMAP_COMPLAINTS 5

/* One translated instruction that is about to run. */
struct memmap_seen {
	struct bob_mem_where w;
	uint32_t code;
	uint8_t loads;		/* register that gets the cursor from its slot; BOB_MEM_NO_CURSOR */
	/* By slot, after the instruction: the register that was put there; or
	 * BOB_MEM_NO_CURSOR. */
	uint8_t spilled[BOB_MEM_SPILLS];
	bool pending;		/* a header is at the cursor as it is stored */
	bool valid;
};

static struct memmap {
	const char *name;
	struct memmap_seen last;
	uint64_t *path;		/* original instructions, without repeats */
	size_t path_count;
	uint32_t *desc_of;	/* by byte of the text: the descriptor that must be under way */
	uint64_t headers;	/* seen so far */
	uint64_t headers_before; /* the record under way */
	uint64_t counter, trips; /* where the loop's counter began, iterations that are over */
	bool idle;		/* a string instruction that has nothing to do */
	uint64_t begun;		/* iterations of a loop with payload, the one under way included */
	/* instructions; of these with a cursor, with a complete record, in a loop, in a loop with
	 * payload, with saved registers */
	uint64_t seen[6];
	unsigned wrong;
} memmap;

static const uint8_t *memmap_code(const struct memrun *m, uint32_t code)
{
	return m->arena + BOB_PLAN_HANDLER_BYTES + code;
}

static void memmap_wrong(const struct memmap_seen *s, const char *what)
{
	if (memmap.wrong++ < MEMMAP_COMPLAINTS)
		fprintf(stderr,
			"%s: map, code %x: %s (orig %lx desc %d complete %u cursor %u added %u "
			"counter %u stepped %u)\n",
			memmap.name, s->code, what, (unsigned long)s->w.orig, (int)s->w.desc,
			s->w.complete, s->w.cursor, s->w.added, s->w.counter, s->w.stepped);
}

/* --- instructions --- */

struct memmap_insn {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
};

static bool memmap_decode(const uint8_t *at, struct memmap_insn *x)
{
	static ZydisDecoder d;

	if (d.machine_mode != ZYDIS_MACHINE_MODE_LONG_64 || !d.stack_width)
		ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d, at, 15, &x->in, x->op));
}

static const uint8_t *memmap_original(const struct memrun *m, uint64_t pc)
{
	return m->original + (m->bias + pc - m->text_lo);
}

/* The next block of the unit after `pc`, in the order of addresses; 0: there is none. */
static uint64_t memmap_next_block(const struct memrun *m, uint64_t pc)
{
	const struct bob_mem_stop *s = memrun_section(m, &m->head->stops);
	size_t n = m->head->stops.len / sizeof(*s), i;
	uint32_t func = MEMMAP_NONE;

	for (i = 0; i < n && s[i].orig <= pc; i++)
		func = s[i].func;
	for (; i < n; i++)
		if (s[i].func == func)
			return s[i].orig;
	return 0;
}

/* Translation drops nops, and jumps to the block that comes next. */
static bool memmap_is_dropped(const struct memrun *m, uint64_t pc)
{
	struct memmap_insn x;

	if (!memmap_decode(memmap_original(m, pc), &x))
		return false;
	if (x.in.meta.category == ZYDIS_CATEGORY_NOP ||
	    x.in.meta.category == ZYDIS_CATEGORY_WIDENOP || x.in.mnemonic == ZYDIS_MNEMONIC_ENDBR64)
		return true;
	return x.in.mnemonic == ZYDIS_MNEMONIC_JMP && x.in.raw.imm[0].is_relative &&
	       pc + x.in.length + (uint64_t)x.in.raw.imm[0].value.s == memmap_next_block(m, pc);
}

static bool memmap_is_copy(const struct memrun *m, uint64_t pc, uint32_t code)
{
	const uint8_t *a = memmap_original(m, pc), *b = memmap_code(m, code);
	struct memmap_insn x, y;

	if (!memmap_decode(a, &x) || !memmap_decode(b, &y))
		return false;
	if (x.in.meta.category == ZYDIS_CATEGORY_CALL) /* in its place, or moved */
		return y.in.mnemonic == ZYDIS_MNEMONIC_JMP;
	if (x.in.raw.imm[0].is_relative) /* loop and jrcxz jump over a jump */
		return y.in.mnemonic == x.in.mnemonic ||
		       (y.in.mnemonic == ZYDIS_MNEMONIC_JMP && (a[x.in.length - 2] & 0xfc) == 0xe0);
	for (unsigned i = 0; i < x.in.length; i++) {
		bool place = x.in.raw.modrm.mod == 0 && x.in.raw.modrm.rm == 5 &&
			     (x.in.attributes & ZYDIS_ATTRIB_HAS_MODRM) &&
			     i - x.in.raw.disp.offset < 4;

		if (!place && a[i] != b[i])
			return false;
	}
	return true;
}

static void memmap_path_add(const struct memrun *m, uint64_t *path, size_t *n, uint64_t pc)
{
	if (m->bias + pc < m->text_lo || m->bias + pc >= m->text_hi ||
	    !memrun_translated(m, m->bias + pc) || memmap_is_dropped(m, pc))
		return;
	if ((*n == 0 || path[*n - 1] != pc) && *n < MEMRUN_EVENTS)
		path[(*n)++] = pc;
}

/* --- before each instruction --- */

/* The last code of an original instruction: the instruction itself, all else came before it. */
static void memmap_insn_ends(const struct memrun *m)
{
	const struct memmap_seen *s = &memmap.last;
	uint32_t desc;

	if (!s->valid || memmap_is_dropped(m, s->w.orig) ||
	    !memrun_translated(m, m->bias + s->w.orig))
		return;
	if (!memmap_is_copy(m, s->w.orig, s->code))
		memmap_wrong(s, "another instruction");
	desc = memmap.desc_of[m->bias + s->w.orig - m->text_lo];
	if (desc != MEMMAP_NONE && s->w.desc != desc)
		memmap_wrong(s, "its record is not under way");
	if (desc != MEMMAP_NONE && m->plan.descs.at[desc].desc.kind == BOB_MEM_LOOP &&
	    s->w.counter == BOB_MEM_NO_CURSOR && !s->w.iterates)
		memmap_wrong(s, "a loop without a counter");
}

static uint64_t memmap_reg(const ucontext_t *uc, unsigned r)
{
	return r < 16 ? (uint64_t)uc->uc_mcontext.gregs[memrun_greg[r]] : 0;
}

static unsigned memmap_words(const struct bob_mem_desc *d)
{
	return 1u + d->words + (d->kind == BOB_MEM_LOOP && !d->payload);
}

/* The descriptor of the header at the stored cursor. */
static uint32_t memmap_header(const struct memrun *m)
{
	const uint64_t *at = memrun_tls.cursor;
	uint32_t id;

	if (!at || !(*at & BOB_MEM_HEADER))
		return MEMMAP_NONE;
	id = (uint32_t)(*at & BOB_MEM_NUMBER) - MEMRUN_ID_BASE;
	return id < m->plan.descs.count ? id : MEMMAP_NONE;
}

static bool memmap_in(uint64_t address, const void *of, size_t len)
{
	return address - (uint64_t)(uintptr_t)of < len;
}

/* What the instruction does with the cursor, as a probe. */
static void memmap_check_use(struct memmap_seen *s, const ucontext_t *uc)
{
	uint64_t rip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	struct memmap_insn x;

	s->loads = BOB_MEM_NO_CURSOR;
	if (!memmap_decode((const uint8_t *)rip, &x))
		return;
	for (unsigned i = 0; i < x.in.operand_count_visible; i++) {
		const ZydisDecodedOperand *o = &x.op[i], *other = &x.op[!i];
		uint64_t at;
		int8_t reg;

		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type != ZYDIS_MEMOP_TYPE_MEM)
			continue;
		at = memrun_register(uc, o->mem.base, rip + x.in.length) +
		     memrun_register(uc, o->mem.index, 0) * o->mem.scale +
		     (uint64_t)o->mem.disp.value;
		if (o->mem.segment == ZYDIS_REGISTER_FS)
			at += memrun_fs_base();
		reg = other->type == ZYDIS_OPERAND_TYPE_REGISTER ?
			      ZydisRegisterGetId(other->reg.value) :
			      -1;
		if (memmap_in(at, memrun_buffer, sizeof(memrun_buffer))) {
			if (ZydisRegisterGetId(o->mem.base) != (int)s->w.cursor)
				memmap_wrong(s, "a word is stored by way of another register");
			if (s->w.desc == MEMMAP_NONE || s->w.complete)
				memmap_wrong(s, "a word is stored, but no record is under way");
		}
		if (memmap_in(at, memrun_tls.spill, sizeof(memrun_tls.spill)))
			s->spilled[(at - (uint64_t)(uintptr_t)memrun_tls.spill) / 8] =
				i == 0 ? (uint8_t)reg : BOB_MEM_NO_CURSOR;
		if (memmap_in(at, &memrun_tls.limit, 8) && reg != (int)s->w.cursor)
			memmap_wrong(s, "another register is held against the limit");
		if (!memmap_in(at, &memrun_tls.cursor, 8))
			continue;
		if (i == 1)
			s->loads = (uint8_t)reg;
		else if (reg != (int)s->w.cursor || s->w.added)
			memmap_wrong(s, "another register is stored as the cursor");
	}
}

/* All words of an iteration, after the stored cursor. */
static bool memmap_has_payload(const struct memrun *m, const struct memmap_seen *s)
{
	const struct bob_mem_desc *d = &m->plan.descs.at[s->w.desc].desc;

	for (unsigned i = 0; i < d->payload; i++)
		if (!memrun_tls.cursor[i])
			return false;
	return true;
}

static void memmap_check_spills(struct memmap_seen *s)
{
	const struct memmap_seen *last = &memmap.last;

	if (last->valid)
		memcpy(s->spilled, last->spilled, sizeof(s->spilled));
	else
		memset(s->spilled, BOB_MEM_NO_CURSOR, sizeof(s->spilled));
	if (memcmp(s->spilled, s->w.spilled, sizeof(s->spilled)))
		memmap_wrong(s, "other registers are put away");
	for (unsigned i = 0; i < BOB_MEM_SPILLS; i++)
		memmap.seen[5] += s->spilled[i] != BOB_MEM_NO_CURSOR;
}

static void memmap_check_cursor(const struct memrun *m, const struct memmap_seen *s,
				const ucontext_t *uc)
{
	uint64_t next = (uint64_t)(uintptr_t)memrun_tls.cursor;
	uint32_t header = memmap_header(m);
	const struct memmap_seen *last = &memmap.last;

	if (last->valid && last->loads != BOB_MEM_NO_CURSOR && s->w.cursor != last->loads)
		memmap_wrong(s, "the cursor was loaded just now");
	if (s->w.cursor == BOB_MEM_NO_CURSOR)
		return;
	memmap.seen[1]++;
	if (!last->valid || (last->w.cursor != s->w.cursor && last->loads != s->w.cursor))
		memmap_wrong(s, "no instruction loaded the cursor");
	if (header != MEMMAP_NONE)
		next += 8 * memmap_words(&m->plan.descs.at[header].desc);
	else if (s->w.iterates && s->w.complete && memmap_has_payload(m, s))
		next += 8 * m->plan.descs.at[s->w.desc].desc.payload; /* is about to be stored */
	if (memmap_reg(uc, s->w.cursor) + 8 * s->w.added != next)
		memmap_wrong(s, "the register is not the cursor");
}

static void memmap_check_record(const struct memrun *m, struct memmap_seen *s)
{
	const struct memmap_seen *last = &memmap.last;
	uint32_t header = memmap_header(m);
	const struct bob_mem_desc *d;

	s->pending = header != MEMMAP_NONE;
	if (s->pending && !last->pending) {
		memmap.headers++;
		d = &m->plan.descs.at[header].desc;
		if (!last->valid || last->w.desc != header || last->w.complete)
			memmap_wrong(last, "this record was not under way");
		if (s->w.desc != (d->kind == BOB_MEM_LOOP && !d->payload ? MEMMAP_NONE : header))
			memmap_wrong(s, "its record is there");
		if (d->payload && !s->w.iterates)
			memmap_wrong(s, "its iterations have begun");
	}
	if (s->w.desc == MEMMAP_NONE)
		return;
	if (s->w.desc >= m->plan.descs.count) {
		memmap_wrong(s, "no such descriptor");
		return;
	}
	d = &m->plan.descs.at[s->w.desc].desc;
	if (!last->valid || last->w.desc != s->w.desc ||
	    (!s->w.iterates && (last->w.iterates || (last->w.complete && !s->w.complete))))
		memmap.headers_before = memmap.headers;
	if ((s->w.iterates && !d->payload) || (s->w.iterates || (s->w.complete && !d->payload)) !=
						      (memmap.headers > memmap.headers_before))
		memmap_wrong(s, "complete, or not");
	memmap.seen[2] += s->w.complete;
	if (s->w.orig < d->pc || (s->w.orig > d->pc + d->last &&
				  (d->kind != BOB_MEM_LOOP || s->w.orig > d->pc + d->last + 15)))
		memmap_wrong(s, "outside of the piece");
}

static void memmap_check_counter(const struct memrun *m, const struct memmap_seen *s,
				 const ucontext_t *uc)
{
	const struct memmap_seen *last = &memmap.last;
	uint64_t now = memmap_reg(uc, s->w.counter), trips;
	const struct bob_mem_planned *p;
	struct bob_mem_desc d;
	bool begins;

	if (s->w.counter == BOB_MEM_NO_CURSOR) {
		if (s->w.stepped)
			memmap_wrong(s, "no counter that could be stepped");
		return;
	}
	memmap.seen[3]++;
	if (s->w.desc >= m->plan.descs.count ||
	    m->plan.descs.at[s->w.desc].desc.kind != BOB_MEM_LOOP) {
		memmap_wrong(s, "a counter without a loop");
		return;
	}
	p = &m->plan.descs.at[s->w.desc];
	d = memrun_desc(m, s->w.desc);
	begins = !last->valid || last->w.desc != s->w.desc || last->w.counter == BOB_MEM_NO_CURSOR;
	if (begins) {
		memmap.counter = memrun_tls.cursor[1 + d.counter];
		memmap.trips = 0;
		memmap.idle = d.access_count && p->desc.last == 0 && now == 0;
	} else if (s->code <= last->code) {
		memmap.trips++;
	}
	if (!begins && s->w.counter != last->w.counter)
		memmap_wrong(s, "another counter");
	trips = memmap.idle ? 0 : memmap.trips + s->w.stepped;
	if (now != memmap.counter + trips * (uint64_t)d.step[d.counter].constant)
		memmap_wrong(s, "the counter's value");
}

/* Iterations in the record, and what it has of this one. */
static void memmap_check_payload(const struct memrun *m, const struct memmap_seen *s,
				 const ucontext_t *uc)
{
	const struct memmap_seen *last = &memmap.last;
	const uint64_t *cursor = memrun_tls.cursor, *begin;
	const struct bob_mem_desc *d;
	uint64_t words;

	if (!s->w.iterates || s->w.desc >= m->plan.descs.count)
		return;
	memmap.seen[4]++;
	if (s->w.cursor != BOB_MEM_NO_CURSOR)
		cursor = (const uint64_t *)memmap_reg(uc, s->w.cursor) + s->w.added;
	d = &m->plan.descs.at[s->w.desc].desc;
	begin = memrun_tls.loop + 1 + d->words;
	words = (uint64_t)(cursor - begin);
	if (!last->valid || !last->w.iterates || last->w.desc != s->w.desc)
		memmap.begun = 0; /* the first is still to begin */
	else if (s->code <= last->code)
		memmap.begun++;
	if (words != (memmap.begun + s->w.complete) * d->payload)
		memmap_wrong(s, "other iterations are in the record");
	for (unsigned i = 0; i < (s->w.complete ? d->payload : 0u); i++)
		if (!cursor[(int)i - (int)d->payload])
			memmap_wrong(s, "a word of the iteration is missing");
}

static void memmap_check(struct memrun *m, const ucontext_t *uc)
{
	uint64_t rip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	struct memmap_seen s = { .code = (uint32_t)(rip - (uint64_t)(uintptr_t)memmap_code(m, 0)),
				 .valid = true };

	if (bob_mem_map_find(m->head, s.code, &s.w) != BOB_OK) {
		memmap_wrong(&s, "not found");
		return;
	}
	memmap.seen[0]++;
	memmap_check_spills(&s);
	memmap_check_use(&s, uc);
	memmap_check_cursor(m, &s, uc);
	memmap_check_record(m, &s);
	memmap_check_counter(m, &s, uc);
	memmap_check_payload(m, &s, uc);
	if (s.w.orig != memmap.last.w.orig)
		memmap_insn_ends(m);
	memmap_path_add(m, memmap.path, &memmap.path_count, s.w.orig);
	memmap.last = s;
}

/* Space in a full buffer is made at once: stepping through that says nothing. */
static void memmap_observe(struct memrun *m, ucontext_t *uc)
{
	greg_t *rip = &uc->uc_mcontext.gregs[REG_RIP], *rsp = &uc->uc_mcontext.gregs[REG_RSP];

	if (*rip == (greg_t)(uintptr_t)m->arena) {
		memrun_c_drain();
		*rip = *(greg_t *)*rsp;
		*rsp += 8;
	}
	if (memmap_in((uint64_t)*rip, memmap_code(m, 0), m->head->blob.len))
		memmap_check(m, uc);
}

/* --- a run --- */

/* From the first access of a piece to its last instruction, its record is under way. */
static uint32_t *memmap_descs(const struct memrun *m)
{
	size_t bytes = m->text_hi - m->text_lo;
	uint32_t *of = malloc(bytes * sizeof(*of));

	for (size_t i = 0; i < bytes; i++)
		of[i] = MEMMAP_NONE;
	for (size_t i = 0; i < m->plan.descs.count; i++) {
		struct bob_mem_desc d = memrun_desc(m, i);
		uint64_t from = m->bias + d.pc - m->text_lo;

		if (d.access_count)
			for (uint64_t k = d.access[0].pc; k <= d.last; k++)
				of[from + k] = (uint32_t)i;
	}
	return of;
}

static bool memmap_path_differs(const struct memrun *m)
{
	size_t n = 0, i = 0;

	for (size_t k = 0; k < m->path_count; k++)
		memmap_path_add(m, m->path, &n, m->path[k]);
	while (i < n && i < memmap.path_count && m->path[i] == memmap.path[i])
		i++;
	if (i == n && i == memmap.path_count)
		return false;
	fprintf(stderr, "%s: map: instruction %zu of %zu and %zu is %lx, translated %lx\n",
		memmap.name, i, n, memmap.path_count, (unsigned long)(i < n ? m->path[i] : 0),
		(unsigned long)(i < memmap.path_count ? memmap.path[i] : 0));
	return true;
}

/* memrun_both, and then the map. */
static bool memmap_both(struct memrun *m, const char *name, struct memrun_call *c, void *mem,
			size_t len)
{
	uint8_t *before = malloc(len);
	uint64_t seen[6];
	bool ok;

	if (!m->path)
		m->path = calloc(MEMRUN_EVENTS, sizeof(*m->path));
	memcpy(before, mem, len);
	ok = memrun_both(m, name, c, mem, len);

	memcpy(seen, memmap.seen, sizeof(seen));
	memset(&memmap, 0, sizeof(memmap));
	memcpy(memmap.seen, seen, sizeof(seen));
	memmap.name = name;
	memmap.path = calloc(MEMRUN_EVENTS, sizeof(*memmap.path));
	memmap.desc_of = memmap_descs(m);
	memcpy(mem, before, len);
	memrun_reset(m, true);
	memrun_patch(m, true);
	memset(&memrun_tls, 0, sizeof(memrun_tls));
	m->recorded.count = 0;
	m->observe = memmap_observe;
	c->step = 1;
	memrun_enter(c);
	m->observe = NULL;
	memrun_c_drain();
	memrun_patch(m, false);
	memrun_reset(m, true);

	memmap_insn_ends(m);
	if (m->stepped.count != m->recorded.count ||
	    memcmp(m->stepped.at, m->recorded.at, m->stepped.count * sizeof(m->stepped.at[0]))) {
		memrun_events_differ(m, name);
		ok = false;
	}
	ok &= !memmap_path_differs(m) && memmap.wrong == 0;
	free(memmap.path);
	free(memmap.desc_of);
	free(before);
	return ok;
}

#endif
