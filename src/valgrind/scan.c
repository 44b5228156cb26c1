/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the loads and stores of a superblock and divides it into pieces whose accesses happen
 * either all or not at all: a piece ends before every exit. Addresses that differ by a constant
 * share a word, the address of the first access. */
#include "instrument.h"

#include <libvex_guest_amd64.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_mallocfree.h>

#define REGS 16			/* only integer registers are tracked */
#define REG_FIRST offsetof(VexGuestAMD64State, guest_RAX)
#define RSP_OFFSET offsetof(VexGuestAMD64State, guest_RSP)
#define RSP ((RSP_OFFSET - REG_FIRST) / 8)
#define ROOT_NONE 0xffffffffu
#define ROOT_SP 0xfffffffeu	/* the stack pointer at the beginning of the superblock */
#define TMPS_MAX 16384

/* A value as root + offset; the root is a temporary. */
struct origin {
	UInt root;
	uint64_t offset;
};

struct scan {
	const IRSB *sb;
	const struct vgb_image *im;
	struct vgb_pieces *out;
	Addr pc, begin;		/* of the current instruction; of the superblock */
	UInt last_mark;		/* statement of the last instruction */
	int ignore;		/* the accesses of the instruction are artifacts of VEX */
	int gather, compare;
	struct origin sp;	/* at the beginning of the piece */
	struct vgb_piece *piece; /* NULL: no piece is open */
	struct bob_mem_desc d;
	/* origin of each word of the piece */
	struct origin base[BOB_MEM_WORDS_MAX];
	const IRExpr *guard[BOB_MEM_WORDS_MAX];
	struct origin reg[REGS];
};

static struct bob_mem_access access[BOB_MEM_ACCESSES_MAX];
static struct origin tmp[TMPS_MAX];
/* The definition of a temporary, if it is an if-then-else or a copy of one. */
static const IRExpr *ite[TMPS_MAX];

/* --- origins --- */

static struct origin origin_of(const IRExpr *e)
{
	tl_assert(e->tag == Iex_RdTmp);
	return tmp[e->Iex.RdTmp.tmp];
}

static int reg_at(Int offset)
{
	Int at = offset - (Int)REG_FIRST;

	return at >= 0 && at < REGS * 8 && at % 8 == 0 ? at / 8 : -1;
}

static void forget(struct scan *s, Int offset, Int size)
{
	for (Int r = 0; r < REGS; r++) {
		Int at = (Int)REG_FIRST + 8 * r;

		if (offset < at + 8 && at < offset + size)
			s->reg[r].root = ROOT_NONE;
	}
}

static void follow_put(struct scan *s, const IRStmt *st)
{
	const IRExpr *data = st->Ist.Put.data;
	IRType type = typeOfIRExpr(s->sb->tyenv, data);
	int r = reg_at(st->Ist.Put.offset);

	forget(s, st->Ist.Put.offset, sizeofIRType(type));
	if (r >= 0 && type == Ity_I64 && data->tag == Iex_RdTmp)
		s->reg[r] = origin_of(data);
}

/* t = a + c, t = c + a, t = a - c */
static int follow_sum(const IRExpr *e, struct origin *o)
{
	const IRExpr *a = e->Iex.Binop.arg1, *b = e->Iex.Binop.arg2;

	if (e->Iex.Binop.op == Iop_Add64 && a->tag == Iex_Const) {
		const IRExpr *t = a;

		a = b;
		b = t;
	}
	if ((e->Iex.Binop.op != Iop_Add64 && e->Iex.Binop.op != Iop_Sub64) || a->tag != Iex_RdTmp ||
	    b->tag != Iex_Const || b->Iex.Const.con->tag != Ico_U64)
		return 0;
	*o = origin_of(a);
	if (e->Iex.Binop.op == Iop_Add64)
		o->offset += b->Iex.Const.con->Ico.U64;
	else
		o->offset -= b->Iex.Const.con->Ico.U64;
	return 1;
}

static void follow_tmp(struct scan *s, IRTemp t, const IRExpr *e)
{
	int r;

	tmp[t] = (struct origin){ t, 0 };
	ite[t] = e->tag == Iex_ITE ? e : e->tag == Iex_RdTmp ? ite[e->Iex.RdTmp.tmp] : NULL;
	switch (e->tag) {
	case Iex_RdTmp:
		tmp[t] = origin_of(e);
		break;
	case Iex_Binop:
		follow_sum(e, &tmp[t]);
		break;
	case Iex_Get:
		r = reg_at(e->Iex.Get.offset);
		if (r < 0 || e->Iex.Get.ty != Ity_I64)
			break;
		if (s->reg[r].root != ROOT_NONE)
			tmp[t] = s->reg[r];
		else
			s->reg[r] = tmp[t];
		break;
	default:
		break;
	}
}

/* --- pieces --- */

static void begin_piece(struct scan *s, UInt at)
{
	struct vgb_pieces *o = s->out;

	tl_assert(o->pieces < VGB_PIECES_MAX);
	s->piece = &o->piece[o->pieces];
	s->piece->open = ~0u;
	s->piece->to = at;
	s->piece->first_word = o->words;
	s->piece->words = 0;
	s->d = (struct bob_mem_desc){ .kind = BOB_MEM_BLOCK, .image = s->im->number,
				      .pc = s->pc - s->im->bias, .sp_word = BOB_MEM_NO_WORD,
				      .access = access };
	s->sp = s->reg[RSP];
}

/* End the piece before statement `at`. A piece without accesses and flow is dropped. */
static void end_piece(struct scan *s, UInt at)
{
	if (!s->piece)
		return;
	if (s->d.access_count || s->d.flow) {
		s->d.words = (uint8_t)s->piece->words;
		s->piece->to = at;
		s->piece->number = vgb_desc_number(&s->d);
		if (s->piece->number == ~0u)
			s->out->failed = True;
		s->out->pieces++;
	}
	s->piece = NULL;
}

/* Remember the position of the first word or access of the piece's record. */
static void touch(struct scan *s, UInt at)
{
	if (s->piece->open == ~0u)
		s->piece->open = at;
}

static uint8_t add_word(struct scan *s, UInt at, IRExpr *value)
{
	struct vgb_pieces *o = s->out;
	uint8_t w = (uint8_t)s->piece->words++;

	tl_assert(w < BOB_MEM_WORDS_MAX && o->words < VGB_PIECE_WORDS_MAX);
	o->word[o->words++] = (struct vgb_word){ at, value };
	touch(s, at);
	s->base[w].root = ROOT_NONE;
	s->guard[w] = NULL;
	return w;
}

static uint8_t word_of_address(struct scan *s, UInt at, IRExpr *addr, int64_t *offset)
{
	struct origin o = origin_of(addr);
	uint8_t w;

	for (w = 0; w < s->piece->words; w++)
		if (s->base[w].root == o.root) {
			*offset = (int64_t)(o.offset - s->base[w].offset);
			return w;
		}
	w = add_word(s, at, addr);
	s->base[w] = o;
	*offset = 0;
	return w;
}

static uint8_t word_of_guard(struct scan *s, UInt at, IRExpr *guard)
{
	uint8_t w;

	for (w = 0; w < s->piece->words; w++)
		if (s->guard[w] && eqIRAtom(s->guard[w], guard))
			return w;
	w = add_word(s, at, guard);
	s->guard[w] = guard;
	return w;
}

/* End the piece and continue in a new one. */
static void cut(struct scan *s, UInt at)
{
	end_piece(s, at);
	begin_piece(s, at);
}

static void add_access(struct scan *s, UInt at, enum bob_mem_type type, IRExpr *addr, Int size,
		       IRExpr *guard)
{
	struct bob_mem_access *a;

	if (s->ignore || size <= 0)
		return;
	if (guard && guard->tag == Iex_Const) {
		if (!guard->Iex.Const.con->Ico.U1)
			return;
		guard = NULL;
	}
	if (!s->piece)
		begin_piece(s, at);
	if (s->piece->words + 2u > BOB_MEM_WORDS_MAX - 1 ||
	    s->d.access_count == BOB_MEM_ACCESSES_MAX)
		cut(s, at);
	a = &access[s->d.access_count++];
	*a = (struct bob_mem_access){ .pc = (uint32_t)(s->pc - s->im->bias - s->d.pc),
				      .size = (uint16_t)size, .type = (uint8_t)type,
				      .word = BOB_MEM_NO_WORD, .guard = BOB_MEM_NO_WORD };
	touch(s, at);
	if (addr->tag == Iex_Const)
		a->offset = (int64_t)(addr->Iex.Const.con->Ico.U64 - s->im->bias);
	else
		a->word = word_of_address(s, at, addr, &a->offset);
	if (guard)
		a->guard = word_of_guard(s, at, guard);
}

/* --- instructions with a special translation in VEX --- */

/* The opcode: skips the legacy prefixes and REX. */
static const UChar *opcode(Addr pc)
{
	const UChar *p = (const UChar *)pc;

	for (int i = 0; i < 14; i++, p++)
		if (*p != 0x66 && *p != 0x67 && *p != 0xf0 && *p != 0xf2 && *p != 0xf3 &&
		    *p != 0x2e && *p != 0x36 && *p != 0x3e && *p != 0x26 && *p != 0x64 &&
		    *p != 0x65)
			break;
	return *p >= 0x40 && *p <= 0x4f ? p + 1 : p;
}

/* bt, bts, btr, btc of two registers: VEX stores one of them below the stack to select the bit. */
static int is_bit_test_of_registers(Addr pc)
{
	const UChar *p = opcode(pc);

	return p[0] == 0x0f && (p[1] == 0xa3 || p[1] == 0xab || p[1] == 0xb3 || p[1] == 0xbb) &&
	       p[2] >= 0xc0;
}

/* Gathers: VEX loads from the stack pointer for lanes that are masked off. */
static int is_gather(Addr pc)
{
	const UChar *p = (const UChar *)pc;

	while (*p == 0x67 || *p == 0x64 || *p == 0x65 || *p == 0x2e || *p == 0x36 || *p == 0x3e ||
	       *p == 0x26)
		p++;
	return p[0] == 0xc4 && (p[1] & 0x1f) == 2 && p[3] >= 0x90 && p[3] <= 0x93;
}

/* cmps: VEX loads from rdi first. Accesses are recorded in the order of the operands, as by the
 * other engine. */
static int is_string_compare(Addr pc)
{
	return (*opcode(pc) & 0xfe) == 0xa6;
}

/* --- statements --- */

static void load(struct scan *s, UInt at, IRExpr *addr, Int size)
{
	if (s->gather && addr->tag == Iex_RdTmp && ite[addr->Iex.RdTmp.tmp]) {
		const IRExpr *e = ite[addr->Iex.RdTmp.tmp];

		add_access(s, at, BOB_MEM_LOAD, e->Iex.ITE.iftrue, size, e->Iex.ITE.cond);
		return;
	}
	add_access(s, at, BOB_MEM_LOAD, addr, size, NULL);
	if (s->compare && s->d.access_count > 1) {
		struct bob_mem_access *a = &access[s->d.access_count - 2], first = a[0];

		if (a[0].pc != a[1].pc)
			return;
		a[0] = a[1];
		a[1] = first;
	}
}

/* VEX translates a locked instruction to a load and a compare-and-swap. */
static void compare_and_swap(struct scan *s, UInt at, const IRCAS *cas)
{
	Int size = sizeofIRType(typeOfIRExpr(s->sb->tyenv, cas->dataLo));
	int64_t offset = 0;
	struct bob_mem_access *a;

	if (cas->dataHi)
		size *= 2;
	if (s->piece && s->d.access_count && !s->ignore) {
		a = &access[s->d.access_count - 1];
		if (a->type == BOB_MEM_LOAD && a->size == size && a->guard == BOB_MEM_NO_WORD &&
		    a->pc == (uint32_t)(s->pc - s->im->bias - s->d.pc)) {
			if (cas->addr->tag == Iex_Const)
				offset = (int64_t)(cas->addr->Iex.Const.con->Ico.U64 - s->im->bias);
			if (cas->addr->tag == Iex_Const ?
				    a->word == BOB_MEM_NO_WORD && a->offset == offset :
				    a->word == word_of_address(s, at, cas->addr, &offset) &&
					    a->offset == offset) {
				a->type = BOB_MEM_ATOMIC;
				return;
			}
		}
	}
	add_access(s, at, BOB_MEM_ATOMIC, cas->addr, size, NULL);
}

static void dirty(struct scan *s, UInt at, const IRDirty *d)
{
	for (Int i = 0; i < d->nFxState; i++)
		if (d->fxState[i].fx != Ifx_Read)
			for (Int k = 0; k <= d->fxState[i].nRepeats; k++)
				forget(s, d->fxState[i].offset + k * d->fxState[i].repeatLen,
				       d->fxState[i].size);
	if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify)
		add_access(s, at, BOB_MEM_LOAD, d->mAddr, d->mSize, d->guard);
	if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
		add_access(s, at, BOB_MEM_STORE, d->mAddr, d->mSize, d->guard);
}

static void guarded_load(struct scan *s, UInt at, const IRLoadG *g)
{
	IRType result, loaded;

	typeOfIRLoadGOp(g->cvt, &result, &loaded);
	add_access(s, at, BOB_MEM_LOAD, g->addr, sizeofIRType(loaded), g->guard);
}

static int ends_in_flow(const struct scan *s)
{
	return s->sb->jumpkind == Ijk_Call || s->sb->jumpkind == Ijk_Ret;
}

/* A new instruction begins. The piece ends here if the code jumps back (an unrolled loop). It also
 * ends if the last instruction is a call or a return whose stack pointer does not differ by a
 * constant from that at the beginning of the piece. */
static void instruction(struct scan *s, UInt at, const IRStmt *st)
{
	Addr pc = st->Ist.IMark.addr + st->Ist.IMark.delta, before = s->pc;

	s->pc = pc;
	s->ignore = is_bit_test_of_registers(pc);
	s->gather = is_gather(pc);
	s->compare = is_string_compare(pc);
	if (s->piece && !s->d.access_count && !s->d.flow) {
		s->piece = NULL; /* the piece is still empty: begin it here */
	} else if (s->piece && (pc <= before || (at == s->last_mark && ends_in_flow(s) &&
						 s->reg[RSP].root != s->sp.root))) {
		end_piece(s, at);
	}
	if (!s->piece)
		begin_piece(s, at);
	s->d.last = (uint32_t)(pc - s->im->bias - s->d.pc);
}

static void statement(struct scan *s, UInt at, const IRStmt *st)
{
	const IRTypeEnv *env = s->sb->tyenv;

	switch (st->tag) {
	case Ist_IMark:
		instruction(s, at, st);
		break;
	case Ist_Exit:
		end_piece(s, at);
		break;
	case Ist_WrTmp:
		if (st->Ist.WrTmp.data->tag == Iex_Load)
			load(s, at, st->Ist.WrTmp.data->Iex.Load.addr,
			     sizeofIRType(st->Ist.WrTmp.data->Iex.Load.ty));
		follow_tmp(s, st->Ist.WrTmp.tmp, st->Ist.WrTmp.data);
		break;
	case Ist_Put:
		follow_put(s, st);
		break;
	case Ist_Store:
		add_access(s, at, BOB_MEM_STORE, st->Ist.Store.addr,
			   sizeofIRType(typeOfIRExpr(env, st->Ist.Store.data)), NULL);
		break;
	case Ist_StoreG:
		add_access(s, at, BOB_MEM_STORE, st->Ist.StoreG.details->addr,
			   sizeofIRType(typeOfIRExpr(env, st->Ist.StoreG.details->data)),
			   st->Ist.StoreG.details->guard);
		break;
	case Ist_LoadG:
		guarded_load(s, at, st->Ist.LoadG.details);
		break;
	case Ist_CAS:
		compare_and_swap(s, at, st->Ist.CAS.details);
		break;
	case Ist_LLSC:
		if (st->Ist.LLSC.storedata)
			add_access(s, at, BOB_MEM_STORE, st->Ist.LLSC.addr,
				   sizeofIRType(typeOfIRExpr(env, st->Ist.LLSC.storedata)), NULL);
		else
			add_access(s, at, BOB_MEM_LOAD, st->Ist.LLSC.addr,
				   sizeofIRType(typeOfIRTemp(env, st->Ist.LLSC.result)), NULL);
		break;
	case Ist_Dirty:
		dirty(s, at, st->Ist.Dirty.details);
		break;
	default:
		break;
	}
}

/* The last instruction pushes or pops the return address, which determines the stack pointer. */
static void end_with_flow(struct scan *s)
{
	int call = s->sb->jumpkind == Ijk_Call;
	const struct bob_mem_access *a;
	int64_t end;

	if (!ends_in_flow(s) || !s->piece || !s->d.access_count)
		return;
	a = &access[s->d.access_count - 1];
	if (a->pc != s->d.last || a->size != 8 || a->word == BOB_MEM_NO_WORD ||
	    a->type != (call ? BOB_MEM_STORE : BOB_MEM_LOAD))
		return;
	end = a->offset + (call ? 8 : 0);
	s->d.sp_word = a->word;
	s->d.sp_end = (int32_t)end;
	s->d.sp_begin = s->sp.root == s->base[a->word].root ?
				(int32_t)(int64_t)(s->sp.offset - s->base[a->word].offset) :
				(int32_t)end; /* the piece consists of this instruction */
	s->d.flow |= call ? BOB_MEM_CALLS : BOB_MEM_RETURNS;
}

/* A function begins: a word of its first piece is the stack pointer. */
static void enter(struct scan *s, UInt at)
{
	uint8_t w = add_word(s, at, NULL);

	s->base[w] = s->reg[RSP];
	s->d.flow = BOB_MEM_ENTERS;
	s->d.sp_word = w;
}

void vgb_scan(const IRSB *sb, const VexGuestLayout *layout, const struct vgb_image *im,
	      struct vgb_pieces *out)
{
	static struct scan s;
	UInt i = 0;

	tl_assert(layout->offset_SP == (Int)RSP_OFFSET && sb->tyenv->types_used < TMPS_MAX);
	VG_(memset)(&s, 0, sizeof(s));
	s.sb = sb;
	s.im = im;
	s.out = out;
	out->pieces = out->words = 0;
	out->failed = False;
	for (Int r = 0; r < REGS; r++)
		s.reg[r].root = ROOT_NONE;
	s.reg[RSP] = (struct origin){ ROOT_SP, 0 };
	for (Int k = 0; k < sb->stmts_used; k++)
		if (sb->stmts[k]->tag == Ist_IMark)
			s.last_mark = (UInt)k;
	while (i < (UInt)sb->stmts_used && sb->stmts[i]->tag != Ist_IMark)
		i++;
	for (UInt first = i; i < (UInt)sb->stmts_used; i++) {
		statement(&s, i, sb->stmts[i]);
		if (i == first && vgb_image_entry(im, s.pc))
			enter(&s, i);
	}
	end_with_flow(&s);
	end_piece(&s, (UInt)sb->stmts_used);
}
