/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions around references: they report the address and return the value. They are in Fortran,
 * at the end of the file, because only the compiler knows how values are passed. There is one for
 * each needed type and kind:
 *
 *       recursive function bobbin_9b4fe371_r8(bobbin_s,bobbin_x)
 *
 *       a(i) -> bobbin_9b4fe371_r8(12_4,a(i))
 *
 * They are not pure, so no call may be omitted or merged with another one. Another function saves a
 * subscript in a variable. */
#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/host/arena.h"

/* An insertion into a statement's text. */
struct bob_weave_edit {
	uint32_t in;		/* as in struct bob_weave */
	uint32_t statement, at;
	uint32_t width;		/* of the text that it surrounds */
	uint32_t made;		/* of equal widths, the later one surrounds the earlier */
	bool is_end;
	const char *text;
};

static void add(struct bob_weave *w, struct bob_weave_edit e)
{
	w->is_failed |= BOB_VEC_ADD(&w->edits, e) != BOB_OK;
}

void bob_weave_wrap(struct bob_weave *w, uint32_t statement, uint32_t from, uint32_t to,
		    const char *open, const char *close)
{
	const uint32_t made = (uint32_t)w->edits.count;

	add(w, (struct bob_weave_edit){ w->in, statement, from, to - from, made, false, open });
	add(w, (struct bob_weave_edit){ w->in, statement, to, to - from, made, true, close });
}

/* At one place, ends precede beginnings; ends of inner ones precede those of outer ones, beginnings
 * of outer ones precede those of inner ones. */
static int by_place(const void *a, const void *b)
{
	const struct bob_weave_edit *x = a, *y = b;

	if (x->in != y->in)
		return x->in < y->in ? -1 : 1;
	if (x->statement != y->statement)
		return x->statement < y->statement ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->is_end != y->is_end)
		return x->is_end ? -1 : 1;
	if (x->width != y->width)
		return (x->width < y->width) == x->is_end ? -1 : 1;
	return (x->made < y->made) == x->is_end ? -1 : 1;
}

const char *bob_weave_wrapped(struct bob_weave *w, uint32_t statement, uint32_t from)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const char *text = "";

	for (size_t i = 0; i < w->edits.count; i++) {
		const struct bob_weave_edit *e = &w->edits.at[i];

		if (e->in != w->in || e->statement != statement || e->at < from)
			continue;
		text = bob_weave_text(w, "%s%s%s", text, bob_weave_slice(w, s, from, e->at),
				      e->text);
		from = e->at;
	}
	return bob_weave_text(w, "%s%s", text, bob_weave_slice(w, s, from, s->len));
}

bob_status bob_weave_wrap_all(struct bob_weave *w, struct bob_fortran_patches *p)
{
	bob_status st = BOB_OK;

	if (w->edits.count)
		qsort(w->edits.at, w->edits.count, sizeof(*w->edits.at), by_place);
	for (size_t i = 0; i < w->edits.count && st == BOB_OK; i++) {
		const struct bob_weave_edit *e = &w->edits.at[i];
		const struct bob_fortran_statement *s = &w->file->statements[e->statement];

		if (e->in != w->in || (s->kind == BOB_F_IF && e->at >= s->body &&
				       bob_weave_is_expanded(w, e->statement)))
			continue;
		st = bob_fortran_patch_replace(p, e->is_end ? s->at[e->at - 1] + 1 : s->at[e->at],
					       0, e->text);
	}
	return st;
}

/* --- generated functions --- */

static const struct wrapper {
	enum bob_fortran_type type;
	int32_t kind;
	char letter;
	const char *name;
	bool in_pieces;
} wrappers[] = {
	{ BOB_T_INTEGER, 1, 'i', "integer", false },
	{ BOB_T_INTEGER, 2, 'i', "integer", false },
	{ BOB_T_INTEGER, 4, 'i', "integer", false },
	{ BOB_T_INTEGER, 8, 'i', "integer", false },
	{ BOB_T_INTEGER, 16, 'i', "integer", false },
	{ BOB_T_REAL, 4, 'r', "real", false },
	{ BOB_T_REAL, 8, 'r', "real", false },
	{ BOB_T_REAL, 10, 'r', "real", false },
	{ BOB_T_REAL, 16, 'r', "real", false },
	{ BOB_T_COMPLEX, 4, 'z', "complex", false },
	{ BOB_T_COMPLEX, 8, 'z', "complex", false },
	{ BOB_T_COMPLEX, 10, 'z', "complex", false },
	{ BOB_T_COMPLEX, 16, 'z', "complex", false },
	{ BOB_T_LOGICAL, 1, 'l', "logical", false },
	{ BOB_T_LOGICAL, 2, 'l', "logical", false },
	{ BOB_T_LOGICAL, 4, 'l', "logical", false },
	{ BOB_T_LOGICAL, 8, 'l', "logical", false },
	{ BOB_T_LOGICAL, 16, 'l', "logical", false },
	{ BOB_T_CHARACTER, 1, 't', "character", false },
	{ BOB_T_CHARACTER, 4, 't', "character", false },
	{ BOB_T_CHARACTER, 1, 'p', "character", true },
	{ BOB_T_CHARACTER, 4, 'p', "character", true },
};
#define COUNT (sizeof(wrappers) / sizeof(wrappers[0]))
#define KEEPER COUNT

static const char *name_of(struct bob_weave *w, const struct wrapper *x)
{
	return bob_weave_text(w, "%s%c%d", w->id, x->letter, x->kind);
}

static size_t find(enum bob_fortran_type type, int32_t kind, bool in_pieces)
{
	size_t i = 0;

	while (i < COUNT && (wrappers[i].type != type || wrappers[i].kind != kind ||
			     wrappers[i].in_pieces != in_pieces))
		i++;
	return i;
}

bool bob_weave_has_wrapper(enum bob_fortran_type type, int32_t kind, bool in_pieces)
{
	return find(type, kind, in_pieces) < COUNT;
}

const char *bob_weave_wrapper(struct bob_weave *w, enum bob_fortran_type type, int32_t kind,
			      bool in_pieces)
{
	const size_t i = find(type, kind, in_pieces);

	if (i == COUNT)
		return "";
	w->wrappers |= UINT64_C(1) << i;
	return name_of(w, &wrappers[i]);
}

const char *bob_weave_keeper(struct bob_weave *w)
{
	w->wrappers |= UINT64_C(1) << KEEPER;
	return bob_weave_text(w, "%skeep", w->id);
}

struct place {
	struct bob_weave *w;
	uint32_t at, order;
	enum bob_weave_rank rank;
};

static void line(const struct place *p, const char *text)
{
	bob_weave_put(p->w, p->at, p->rank, p->order, text);
}

static void head(const struct place *p, const struct wrapper *x)
{
	line(p, bob_weave_text(p->w, "recursive function %s(bobbin_s,bobbin_x)", name_of(p->w, x)));
}

static void types(const struct place *p, const struct wrapper *x)
{
	const char *name = name_of(p->w, x);
	const bool is_text = x->type == BOB_T_CHARACTER;

	line(p, "integer(4),value::bobbin_s");
	line(p, bob_weave_text(p->w, "%s(kind=%d%s),intent(in)::bobbin_x", x->name, x->kind,
			       is_text ? ",len=*" : ""));
	line(p, bob_weave_text(p->w, "%s(kind=%d%s)::%s", x->name, x->kind,
			       is_text ? ",len=len(bobbin_x)" : "", name));
}

static void keeper(const struct place *p)
{
	line(p, bob_weave_text(p->w, "recursive function %skeep(bobbin_s,bobbin_x)", p->w->id));
	line(p, "integer(8),intent(out)::bobbin_s");
	line(p, "integer(8),value::bobbin_x");
	line(p, bob_weave_text(p->w, "integer(8)::%skeep", p->w->id));
}

static void probe_interface(const struct place *p, const struct wrapper *x)
{
	const char *name = bob_weave_text(p->w, "%s%c", p->w->id, x->in_pieces ? 's' : 'a');

	line(p, "interface");
	line(p, bob_weave_text(p->w, "pure subroutine %s(bobbin_s,bobbin_x) bind(c,name='%s')",
			       name, name));
	line(p, BOB_WEAVE_C_KINDS);
	line(p, "integer(bobbin_i),value::bobbin_s");
	line(p, x->in_pieces ? "type(*),dimension(..),intent(in)::bobbin_x" :
			       "type(*),intent(in)::bobbin_x");
	line(p, "end");
	line(p, "end interface");
}

void bob_weave_wrapper_interfaces(struct bob_weave *w, uint32_t at, uint32_t unit)
{
	const struct place p = { w, at, unit, BOB_RANK_INTERFACE };

	for (size_t i = 0; i < COUNT; i++) {
		if (!(w->wrappers >> i & 1))
			continue;
		head(&p, &wrappers[i]);
		types(&p, &wrappers[i]);
		line(&p, "end");
	}
	if (!(w->wrappers >> KEEPER & 1))
		return;
	keeper(&p);
	line(&p, "end");
}

void bob_weave_wrapper_functions(struct bob_weave *w)
{
	const struct place p = { w, w->file->len, 0, BOB_RANK_EXIT };

	for (size_t i = 0; i < COUNT; i++) {
		const struct wrapper *x = &wrappers[i];

		if (!(w->wrappers >> i & 1))
			continue;
		head(&p, x);
		probe_interface(&p, x);
		types(&p, x);
		line(&p, bob_weave_text(w, "call %s%c(bobbin_s,bobbin_x)", w->id,
					x->in_pieces ? 's' : 'a'));
		line(&p, bob_weave_text(w, "%s=bobbin_x", name_of(w, x)));
		line(&p, "end");
	}
	if (!(w->wrappers >> KEEPER & 1))
		return;
	keeper(&p);
	line(&p, "bobbin_s=bobbin_x");
	line(&p, bob_weave_text(w, "%skeep=bobbin_x", w->id));
	line(&p, "end");
}
