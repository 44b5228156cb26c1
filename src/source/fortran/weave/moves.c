/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements that move a traced variable, or begin or end its lifetime: ALLOCATE, DEALLOCATE,
 * pointer assignment, assignment, MOVE_ALLOC, and calls that are passed an allocatable or a pointer
 * as a whole.
 *
 * Before such a call, the variable, its argument number and its address are recorded; after it, its
 * new address. If the procedure allocates its dummy argument, it finds there which variable that is
 * (runtime/moves.c). Number and place are those of the dummy argument in the called procedure,
 * which is found by its name. If a generic name may mean several, none is recorded before the call,
 * and the variable is only declared after it. */
#include <string.h>

#include "source/fortran/weave/weave.h"
#include "source/fortran/weave/lines.h"
#include "source/fortran/weave/memory.h"
#include "source/fortran/weave/reached.h"

#define MOVABLE (BOB_SYMBOL_ALLOCATABLE | BOB_SYMBOL_POINTER)
#define PASSED_MAX 16u		/* of a statement */

bool bob_weave_moves(const struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	const struct bob_fortran_expr *part = u->ref->child;
	const struct bob_fortran_symbol *y = u->symbol;

	if (u->role != BOB_ROLE_WRITE || (s->body ? s->body_kind : s->kind) != BOB_F_ASSIGN ||
	    u->flags & BOB_USE_MASKED || !part)
		return false;
	while (part->next)
		part = part->next;
	if (u->flags & BOB_USE_COMPONENT)
		y = bob_weave_last(w, statement, u->ref);
	return y && y->flags & BOB_SYMBOL_ALLOCATABLE && !part->child;
}

/* --- identification --- */

/* A variable of the table, or a dummy argument that may be one: `key`. */
struct whole {
	const struct bob_fortran_symbol *symbol;
	const struct bob_weave_variable *variable; /* NULL: a dummy */
	uint32_t key;
};

static uint32_t key_of(const char *name, uint32_t position)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return (h & 0x3ffffffu) << 5 | (position < 31 ? position : 31);
}

/* BOB_FORTRAN_NO: there is none of that name. */
static uint32_t position_of(const struct bob_fortran_unit *u, const char *name, size_t len)
{
	for (uint32_t d = 0; d < u->dummy_count; d++)
		if (strlen(u->dummies[d]) == len && !memcmp(u->dummies[d], name, len))
			return d;
	return BOB_FORTRAN_NO;
}

/* Can it be passed as TYPE(*)? gfortran 12 fails for polymorphic variables. */
static bool is_passable(const struct bob_fortran_symbols *names, const struct bob_fortran_symbol *s)
{
	return s->type != BOB_T_CLASS && s->type != BOB_T_ANY &&
	       bob_weave_passing(names, s) == BOB_PASSED_PLAINLY;
}

/* `n`: the n-th match, from 0: parts of one variable may be requested separately. */
static bool find_whole(const struct bob_weave *w, const struct bob_fortran_use *u, uint32_t n,
		       struct whole *out)
{
	const struct bob_fortran_symbol *s = u->symbol;
	uint32_t d, count = 0;

	*out = (struct whole){ .symbol = s };
	if (u->flags & BOB_USE_COMPONENT)
		return false; /* handled by component_moves.c */
	for (size_t k = 0; k < w->variables.count && !out->variable; k++)
		if (bob_weave_is(s, &w->variables.at[k]) && count++ == n)
			out->variable = &w->variables.at[k];
	if (out->variable || n)
		return out->variable != NULL;
	if (!(s->flags & BOB_SYMBOL_DUMMY) || !(s->flags & MOVABLE) ||
	    s->unit >= w->file->unit_count || !bob_weave_may_be_any(w, s, u->flags) ||
	    !is_passable(w->file->units[s->unit].symbols, s))
		return false;
	d = position_of(&w->file->units[s->unit], s->name, strlen(s->name));
	out->key = key_of(w->file->units[s->unit].name, d);
	return d != BOB_FORTRAN_NO;
}

static const char *lower_of(struct bob_weave *w, const struct bob_fortran_symbol *s)
{
	return s->rank ? bob_weave_text(w, "lbound(%s,kind=8)", s->name) : "(/0_8/)";
}

/* A call of procedure `what` with the number, the variable and its bounds, if it is allocated or
 * associated. */
static const char *where_line(struct bob_weave *w, char what, int64_t n,
			      const struct bob_fortran_symbol *s)
{
	w->has_moves = true;
	return bob_weave_text(w, "%scall %s%c(%lld_4,%s,%s)", bob_weave_guard(w, s), w->id, what,
			      (long long)n, s->name, lower_of(w, s));
}

/* Everything at that address ends (key 0), or the variable of the dummy is no longer there. */
static const char *gone_line(struct bob_weave *w, uint32_t key, const struct bob_fortran_symbol *s)
{
	w->has_moves = true;
	return bob_weave_text(w, "%scall %sx(%u_4,%s)", bob_weave_guard(w, s), w->id, key, s->name);
}

static const char *now_line(struct bob_weave *w, const struct whole *x)
{
	return x->variable ? bob_weave_declare_line(w, x->variable, x->symbol) :
			     where_line(w, 'k', x->key, x->symbol);
}

/* --- places --- */

bool bob_weave_places(struct bob_weave *w, uint32_t i, bool in_body, bool needs_after,
		      const char *what, struct bob_weave_places *out)
{
	const struct bob_fortran_statement *s = &w->file->statements[i];
	struct bob_fortran_place p;

	*out = (struct bob_weave_places){ .rank = in_body ? BOB_RANK_BODY_BEFORE :
							    BOB_RANK_BEFORE };
	if (bob_fortran_place(w->file, i, &p) != BOB_OK || p.needs & BOB_NEED_ONE_SECTION ||
	    (needs_after && (p.after == BOB_FORTRAN_NO || s->ends_loops)) ||
	    (in_body && !bob_weave_expand(w, i, &out->before))) {
		bob_weave_refuse(w, bob_weave_text(w, "no line can follow this %s", what), s->line);
		return false;
	}
	out->after = p.after;
	if (!in_body && !bob_weave_before(w, i, &out->before))
		return false;
	w->has_probes[s->unit] = true;
	return true;
}

/* --- statements that move variables --- */

static bool is_word(const struct bob_fortran_statement *s, const struct bob_fortran_use *u,
		    const char *name)
{
	const struct bob_fortran_expr *part = u->ref->child;

	return part && part->name_len == strlen(name) &&
	       !memcmp(s->text + part->from, name, part->name_len);
}

static bool has_move_alloc(const struct bob_fortran_statement *s,
			   const struct bob_fortran_uses *all)
{
	for (uint32_t i = 0; i < all->count; i++)
		if (all->at[i].role == BOB_ROLE_CALL && is_word(s, &all->at[i], "move_alloc"))
			return true;
	return false;
}

/* A whole assignment may reallocate an allocatable variable. */
static void put_assigned(struct bob_weave *w, uint32_t i, const struct whole *x)
{
	struct bob_weave_places p;

	if (!bob_weave_places(w, i, w->file->statements[i].body, true, "assignment", &p))
		return;
	if (x->variable)
		bob_weave_put_of(w, x->symbol, p.before, p.rank, i,
				 bob_weave_forget_line(w, x->variable, x->symbol));
	bob_weave_put_of(w, x->symbol, p.after, BOB_RANK_AFTER, i, now_line(w, x));
}

/* Ends the variable; if memory is freed, it ends under all names. */
static const char *end_line(struct bob_weave *w, const struct whole *x, bool is_released)
{
	if (x->variable && (!is_released || x->variable->is_object))
		return bob_weave_forget_line(w, x->variable, x->symbol);
	return is_released || x->key ? gone_line(w, is_released ? 0 : x->key, x->symbol) : "";
}

/* DEALLOCATE of a pointer that may refer to a traced variable. */
static void put_released(struct bob_weave *w, uint32_t i, const struct bob_fortran_use *u)
{
	const struct bob_fortran_statement *s = &w->file->statements[i];
	const enum bob_fortran_kind kind = s->body ? s->body_kind : s->kind;
	struct bob_weave_places p;

	if (u->role != BOB_ROLE_RELEASE || kind != BOB_F_DEALLOCATE ||
	    u->flags & BOB_USE_COMPONENT || !(u->symbol->flags & BOB_SYMBOL_POINTER) ||
	    !bob_weave_may_be_any(w, u->symbol, u->flags))
		return;
	if (!is_passable(s->names, u->symbol))
		bob_weave_refuse(w, "what a polymorphic pointer frees", s->line);
	else if (bob_weave_places(w, i, s->body, false, "DEALLOCATE", &p))
		bob_weave_put_of(w, u->symbol, p.before, p.rank, i, gone_line(w, 0, u->symbol));
}

/* ... of a traced pointer itself. */
static void put_move_of(struct bob_weave *w, uint32_t i, const struct bob_fortran_use *u,
			const struct whole *x, bool is_move_alloc)
{
	const struct bob_fortran_statement *s = &w->file->statements[i];
	const enum bob_fortran_kind kind = s->body ? s->body_kind : s->kind;
	const bool ends = u->role == BOB_ROLE_RELEASE;
	struct bob_weave_places p;

	if (!x->variable && (u->role == BOB_ROLE_POINT || kind == BOB_F_NULLIFY))
		return; /* the former target still exists */
	if (bob_weave_moves(w, i, u)) {
		put_assigned(w, i, x);
		return;
	}
	if (!bob_weave_places(w, i, s->body, !ends, is_move_alloc ? "MOVE_ALLOC" : "ALLOCATE", &p))
		return;
	if (ends || (is_move_alloc && !(x->variable && x->variable->is_object)))
		bob_weave_put_of(w, x->symbol, p.before, p.rank, i,
				 end_line(w, x, kind == BOB_F_DEALLOCATE || !ends));
	if (!ends)
		bob_weave_put_of(w, x->symbol, p.after, BOB_RANK_AFTER, i, now_line(w, x));
}

static void put_move(struct bob_weave *w, uint32_t i, const struct bob_fortran_use *u,
		     bool is_move_alloc)
{
	struct whole x;

	if (u->role != BOB_ROLE_RELEASE && u->role != BOB_ROLE_ALLOCATE &&
	    u->role != BOB_ROLE_POINT && !bob_weave_moves(w, i, u))
		return;
	if (!find_whole(w, u, 0, &x)) {
		put_released(w, i, u);
		return;
	}
	for (uint32_t n = 0; find_whole(w, u, n, &x); n++)
		put_move_of(w, i, u, &x, is_move_alloc);
}

/* --- calls --- */

struct passed {
	struct whole x;
	uint32_t key;		/* of the dummy that it becomes; 0: unknown */
	bool ends;		/* it is freed on entry of the procedure */
};

/* The dummies that an argument becomes, in all possible callees. */
struct becomes {
	uint32_t count;		/* dummies that may move it */
	uint32_t key;		/* of the last one */
	uint32_t ending;	/* those that are allocatable and INTENT(OUT) */
};

static void look_at(const struct bob_fortran_unit *u, const struct bob_fortran_symbol *s,
		    uint32_t position, const char *keyword, size_t len, struct becomes *b)
{
	const uint32_t d = len ? position_of(u, keyword, len) : position;
	const struct bob_fortran_symbol *y;

	if (!u->symbols || d >= u->dummy_count)
		return;
	y = bob_fortran_own(u->symbols, u->dummies[d], (uint32_t)strlen(u->dummies[d]));
	if (!y || !(y->flags & MOVABLE & s->flags) || y->rank != s->rank || y->type != s->type ||
	    (y->flags & (BOB_SYMBOL_INTENT_IN | BOB_SYMBOL_INTENT_OUT)) == BOB_SYMBOL_INTENT_IN)
		return;
	b->count++;
	b->key = key_of(u->name, d);
	b->ending += y->flags & BOB_SYMBOL_ALLOCATABLE && y->flags & BOB_SYMBOL_INTENT_OUT &&
		     !(y->flags & BOB_SYMBOL_INTENT_IN);
}

/* Is the unit a possible callee: a procedure of that name, or its interface? `name` NULL: any
 * procedure that calls may reach under other names. */
static bool may_be_called(const struct bob_weave *f, uint32_t unit, const char *name)
{
	const struct bob_fortran_unit *u = &f->file->units[unit];

	if (u->kind != BOB_UNIT_SUBROUTINE && u->kind != BOB_UNIT_FUNCTION)
		return false;
	return name ? !strcmp(u->name, name) : f->is_bound[unit];
}

static struct becomes becomes_of(struct bob_weave *w, const struct bob_fortran_statement *s,
				 const struct bob_fortran_use *call, uint32_t position,
				 const struct bob_fortran_expr *argument,
				 const struct bob_fortran_symbol *what)
{
	const struct bob_fortran_expr *part = call->ref->child;
	const bool is_indirect = part->next || bob_weave_is_indirect(call->symbol),
		   has_keyword = argument->node == BOB_N_KEYWORD;
	const char *name = call->symbol->origin ? call->symbol->origin :
						  bob_weave_text(w, "%.*s", (int)part->name_len,
								 s->text + part->from);
	struct becomes b = { 0 };

	if (part->next) /* type-bound: the object of the call may be an argument, too */
		position++;
	for (struct bob_weave *f = w->files; f; f = f->next)
		for (uint32_t i = 0; i < f->file->unit_count; i++)
			if (may_be_called(f, i, is_indirect ? NULL : name) &&
			    (f == w || !(f->file->units[i].flags & BOB_UNIT_INTERFACE)))
				look_at(&f->file->units[i], what, position,
					s->text + argument->from,
					has_keyword ? argument->name_len : 0, &b);
	return b;
}

/* The use that is the whole argument. */
static const struct bob_fortran_use *use_of(const struct bob_fortran_uses *all,
					    const struct bob_fortran_expr *argument)
{
	const struct bob_fortran_expr *e = argument->node == BOB_N_KEYWORD ? argument->child :
									     argument;

	for (uint32_t i = 0; e && i < all->count; i++)
		if (all->at[i].ref == e && all->at[i].role == BOB_ROLE_PASS && e->child &&
		    !e->child->child && !e->child->next && all->at[i].symbol->flags & MOVABLE)
			return &all->at[i];
	return NULL;
}

/* ... a component, as a whole. */
static const struct bob_fortran_use *component_of(const struct bob_weave *w, uint32_t statement,
						  const struct bob_fortran_uses *all,
						  const struct bob_fortran_expr *argument,
						  const struct bob_fortran_symbol **c)
{
	const struct bob_fortran_expr *e = argument->node == BOB_N_KEYWORD ? argument->child :
									     argument;

	for (uint32_t i = 0; e && i < all->count; i++) {
		const struct bob_fortran_expr *part = all->at[i].ref->child;

		if (all->at[i].ref != e || all->at[i].role != BOB_ROLE_PASS ||
		    !(all->at[i].flags & BOB_USE_COMPONENT))
			continue;
		while (part && part->next)
			part = part->next;
		*c = bob_weave_last(w, statement, e);
		return part && !part->child && *c && (*c)->flags & MOVABLE ? &all->at[i] : NULL;
	}
	return NULL;
}

/* Finds variables that a call gets as a whole and may move. Returns their number. */
static uint32_t passed_by(struct bob_weave *w, uint32_t i, const struct bob_fortran_uses *all,
			  const struct bob_fortran_use *call, struct passed *out)
{
	const struct bob_fortran_statement *s = &w->file->statements[i];
	const struct bob_fortran_expr *part = call->ref->child, *a;
	uint32_t count = 0, d = 0;

	while (part && part->next)
		part = part->next;
	for (a = part && part->child ? part->child->child : NULL; a; a = a->next, d++) {
		const struct bob_fortran_symbol *c = NULL;
		const struct bob_fortran_use *u = component_of(w, i, all, a, &c);
		struct becomes b;
		struct whole x;

		if (u && becomes_of(w, s, call, d, a, c).count)
			bob_weave_put_component_passed(w, i, u);
		u = use_of(all, a);
		if (!u)
			continue;
		for (uint32_t n = 0; count < PASSED_MAX && find_whole(w, u, n, &x); n++) {
			b = becomes_of(w, s, call, d, a, x.symbol);
			if (!b.count)
				break;
			if (x.variable && x.variable->is_object) {
				bob_weave_refuse(
					w,
					"where it lies after a call that may move it: of a type "
					"with procedures",
					s->line);
				break;
			}
			out[count++] = (struct passed){ x, b.count == 1 ? b.key : 0,
							b.ending == b.count };
		}
	}
	return count;
}

static bool has_other_return(const struct bob_fortran_use *call)
{
	const struct bob_fortran_expr *part = call->ref->child, *a;

	for (a = part && part->child ? part->child->child : NULL; a; a = a->next)
		if (a->node == BOB_N_LABEL)
			return true;
	return false;
}

static const char *pass_line(struct bob_weave *w, const struct passed *p, uint32_t n)
{
	w->has_moves = true;
	return p->x.variable ?
		       bob_weave_text(w, "call %su(%u_4,%u_4,%u_4,0_4)", w->id,
				      (unsigned)(p->x.variable - w->variables.at), p->key, n) :
		       bob_weave_text(w, "call %su(-1_4,%u_4,%u_4,%u_4)", w->id, p->key, n,
				      p->x.key);
}

static void put_call(struct bob_weave *w, uint32_t i, const struct bob_fortran_uses *all,
		     const struct bob_fortran_use *call)
{
	const bool in_body = call->flags & BOB_USE_BODY;
	struct passed passed[PASSED_MAX];
	const uint32_t count = passed_by(w, i, all, call, passed);
	struct bob_weave_places p;

	if (!count)
		return;
	if (has_other_return(call)) {
		bob_weave_refuse(w, "no line can follow this call, which may return elsewhere",
				 w->file->statements[i].line);
		return;
	}
	if (!bob_weave_places(w, i, in_body, true, "call, which may move what it is passed", &p))
		return;
	for (uint32_t n = 0; n < count; n++)
		bob_weave_put(w, p.before, p.rank, i, pass_line(w, &passed[n], n));
	for (uint32_t n = 0; n < count; n++) {
		const struct bob_fortran_symbol *s = passed[n].x.symbol;

		bob_weave_put_of(w, s, p.before, p.rank, i,
				 passed[n].ends ? gone_line(w, 0, s) : where_line(w, 'y', n, s));
		bob_weave_put_of(w, s, p.after, BOB_RANK_AFTER, i,
				 where_line(w, 'y', -1 - (int64_t)n, s));
	}
	bob_weave_put(w, p.after, BOB_RANK_AFTER, i,
		      bob_weave_text(w, "call %su(-2_4,0_4,%u_4,0_4)", w->id, count));
}

bob_status bob_weave_put_moves(struct bob_weave *w, uint32_t statement)
{
	const struct bob_fortran_statement *s = &w->file->statements[statement];
	struct bob_fortran_uses uses;
	bob_status st = BOB_OK;
	bool moves;

	if (!w->variables.count && !w->passed.count)
		return BOB_OK;
	st = bob_fortran_uses(w->arena, w->file, statement, &uses);
	if (st != BOB_OK)
		return st;
	moves = has_move_alloc(s, &uses);
	bob_weave_put_component_moves(w, statement, &uses);
	if (!w->variables.count)
		return BOB_OK;
	for (uint32_t i = 0; i < uses.count && st == BOB_OK; i++)
		put_move(w, statement, &uses.at[i], moves);
	for (uint32_t i = 0; i < uses.count && st == BOB_OK; i++)
		if (uses.at[i].role == BOB_ROLE_CALL &&
		    uses.at[i].symbol->class != BOB_NAME_INTRINSIC)
			put_call(w, statement, &uses, &uses.at[i]);
	return st;
}
