/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inserts the code that writes records. At the beginning of a superblock it loads the cursor and
 * checks that all records of the superblock fit, so each record is at a constant offset from the
 * cursor. For each record it stores the descriptor's number, marked as open; then each word just
 * before the access that needs it; then the header, which makes the record valid, and the new
 * cursor. Costs about 1 ns per access; bench/mem measures it. */
#include "instrument.h"

#include <libvex_guest_amd64.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>

struct out {
	IRSB *sb;
	IRTemp cursor, sp;
	uint64_t at;		/* offset of the current record from `cursor` */
};

static struct vgb_pieces pieces;

static IRExpr *constant(uint64_t v)
{
	return IRExpr_Const(IRConst_U64(v));
}

static IRExpr *value(struct out *o, IRExpr *e)
{
	IRTemp t = newIRTemp(o->sb->tyenv, Ity_I64);

	addStmtToIRSB(o->sb, IRStmt_WrTmp(t, e));
	return IRExpr_RdTmp(t);
}

static void store(struct out *o, IRExpr *to, IRExpr *what)
{
	addStmtToIRSB(o->sb, IRStmt_Store(Iend_LE, to, what));
}

/* The address of a record's k-th word; the header is 0. */
static IRExpr *place(struct out *o, UInt k)
{
	uint64_t at = o->at + 8ull * k;

	if (!at)
		return IRExpr_RdTmp(o->cursor);
	return value(o, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(o->cursor), constant(at)));
}

static IRExpr *load_cursor(struct out *o, const uint64_t *field)
{
	return value(o, IRExpr_Load(Iend_LE, Ity_I64, constant((uint64_t)field)));
}

/* The called function may change the cursor, so it is declared as modified. */
static void add_call(struct out *o, IRDirty *d)
{
	d->mFx = Ifx_Modify;
	d->mAddr = constant((uint64_t)&vgb_cursor);
	d->mSize = sizeof(vgb_cursor);
	addStmtToIRSB(o->sb, IRStmt_Dirty(d));
}

static void call(struct out *o, const HChar *name, void *function, IRExpr *arg, IRExpr *guard)
{
	IRDirty *d = unsafeIRDirty_0_N(arg ? 1 : 0, name, VG_(fnptr_to_fnentry)(function),
				       arg ? mkIRExprVec_1(arg) : mkIRExprVec_0());

	if (guard)
		d->guard = guard;
	add_call(o, d);
}

static void begin(struct out *o)
{
	uint64_t need = 8ull * (pieces.pieces + pieces.words);
	IRTemp full = newIRTemp(o->sb->tyenv, Ity_I1);
	IRExpr *capacity = value(o, IRExpr_Binop(Iop_Sub64, load_cursor(o, &vgb_cursor.end),
						 load_cursor(o, &vgb_cursor.at)));

	addStmtToIRSB(o->sb,
		      IRStmt_WrTmp(full, IRExpr_Binop(Iop_CmpLT64U, capacity, constant(need))));
	call(o, "vgb_buffer", vgb_buffer, constant(need), IRExpr_RdTmp(full));
	o->cursor = load_cursor(o, &vgb_cursor.at)->Iex.RdTmp.tmp;
	o->sp = value(o, IRExpr_Get(offsetof(VexGuestAMD64State, guest_RSP), Ity_I64))
			->Iex.RdTmp.tmp;
	o->at = 0;
}

static void write_word(struct out *o, UInt k, IRExpr *e)
{
	if (!e)
		e = IRExpr_RdTmp(o->sp);
	else if (typeOfIRExpr(o->sb->tyenv, e) == Ity_I1)
		e = value(o, IRExpr_Unop(Iop_1Uto64, e));
	store(o, place(o, 1 + k), e);
}

static void commit(struct out *o, const struct vgb_piece *p)
{
	uint64_t bytes = 8ull * (1 + p->words);

	store(o, place(o, 0), constant(VGB_HEADER(p->number)));
	o->at += bytes;
	store(o, constant((uint64_t)&vgb_cursor.at), place(o, 0));
}

/* Copy all statements from `i` on, and insert the records. */
static void copy(struct out *o, const IRSB *in, UInt i)
{
	UInt piece = 0, word = 0;

	for (;; i++) {
		const struct vgb_piece *p = &pieces.piece[piece];

		if (piece < pieces.pieces && p->to == i) {
			commit(o, p);
			p = &pieces.piece[++piece];
		}
		if (i >= (UInt)in->stmts_used)
			return;
		if (piece < pieces.pieces && p->open == i)
			store(o, place(o, 0), constant(VGB_OPEN(p->number)));
		for (; word < pieces.words && pieces.word[word].at == i; word++)
			write_word(o, word - p->first_word, pieces.word[word].value);
		addStmtToIRSB(o->sb, in->stmts[i]);
	}
}

/* At the call of the C library by the program's entry point, rdi is main. */
static void watch_start(struct out *o)
{
	IRExpr *rdi;

	if (o->sb->jumpkind != Ijk_Call) {
		call(o, "vgb_main_entered", vgb_main_entered, NULL, NULL);
		return;
	}
	rdi = value(o, IRExpr_Get(offsetof(VexGuestAMD64State, guest_RDI), Ity_I64));
	call(o, "vgb_start_called", vgb_start_called, rdi, NULL);
}

static IRExpr *register_now(struct out *o, Int offset)
{
	return value(o, IRExpr_Get(offset, Ity_I64));
}

/* Synchronisation marks precede the records of the superblock: the cursor has not been loaded
 * yet. */
static void call_watched(struct out *o, Addr pc)
{
	enum vgb_watch watch = vgb_sync_watched(pc);
	IRExpr *sp = NULL;
	IRDirty *d;

	if (watch)
		sp = register_now(o, offsetof(VexGuestAMD64State, guest_RSP));
	if (watch & VGB_WATCH_RETURN) {
		d = unsafeIRDirty_0_N(
			0, "vgb_sync_returned", VG_(fnptr_to_fnentry)(vgb_sync_returned),
			mkIRExprVec_3(constant(pc),
				      register_now(o, offsetof(VexGuestAMD64State, guest_RAX)),
				      sp));
		add_call(o, d);
	}
	if (watch & VGB_WATCH_ENTRY) {
		d = unsafeIRDirty_0_N(
			0, "vgb_sync_entered", VG_(fnptr_to_fnentry)(vgb_sync_entered),
			mkIRExprVec_5(constant(pc),
				      register_now(o, offsetof(VexGuestAMD64State, guest_RDI)),
				      register_now(o, offsetof(VexGuestAMD64State, guest_RSI)),
				      register_now(o, offsetof(VexGuestAMD64State, guest_RDX)),
				      sp));
		add_call(o, d);
	}
}

IRSB *vgb_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
		     const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest_word,
		     IRType host_word)
{
	Addr pc = extents->base[0];
	const struct vgb_image *im;
	struct out o;
	UInt i = 0;

	(void)closure, (void)arch, (void)guest_word, (void)host_word;
	if (vgb_stopped() || !vgb_options.dir)
		return in;
	im = vgb_image_at(pc);
	if (!im->chosen && !vgb_sync_watched(pc))
		return in;
	if (im->chosen)
		vgb_scan(in, layout, im, &pieces);
	else
		pieces.pieces = pieces.words = pieces.failed = 0;
	if (pieces.failed)
		return in;
	o.sb = deepCopyIRSBExceptStmts(in);
	for (; i < (UInt)in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
		addStmtToIRSB(o.sb, in->stmts[i]);
	if (pc == vgb_main && !vgb_recording)
		call(&o, "vgb_main_entered", vgb_main_entered, NULL, NULL);
	call_watched(&o, pc);
	if (pieces.pieces)
		begin(&o);
	copy(&o, in, i);
	if (pc == vgb_image_start() && !vgb_recording)
		watch_start(&o);
	return o.sb;
}
