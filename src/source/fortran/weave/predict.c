/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts an instrumented file for the prediction (source/predict.h): references and calls of each
 * unit and its copies, and the probes. The count of a statement is the product of the trips of the
 * enclosing DO constructs, halved under each IF and SELECT. */
#include "source/fortran/weave/weave.h"

#include <string.h>

struct counting {
	struct bob_weave *w;
	struct bob_predict *p;
	struct bob_arena scratch;
	double *times;		/* executions in each construct; below 0: not computed */
	double *come;		/* executions of each construct */
	struct bob_predict_loop *
		*loops; /* of each construct, of the units and each copy; NULL: not yet */
	bool is_failed;
};

/* --- execution counts --- */

static double times_in(struct counting *c, uint32_t construct)
{
	const struct bob_fortran_construct *k;
	double t;

	if (construct >= c->w->file->construct_count)
		return 1;
	if (c->times[construct] >= 0)
		return c->times[construct];
	k = &c->w->file->constructs[construct];
	t = times_in(c, k->parent);
	if (k->kind == BOB_CONSTRUCT_DO)
		t = bob_predict_come(c->p, c->w->file->statements[k->first].line, t,
				     bob_weave_is_loop_event(c->w, k->first));
	c->come[construct] = t;
	if (k->kind == BOB_CONSTRUCT_DO && t > 0)
		t *= bob_predict_trips(c->p, c->w->file->statements[k->first].line,
				       bob_weave_do_trips(c->w, k->first));
	else if (k->kind == BOB_CONSTRUCT_IF || k->kind == BOB_CONSTRUCT_SELECT)
		t *= bob_predict_condition(c->p, c->w->file->statements[k->first].line);
	c->times[construct] = t;
	return t;
}

static double come_to(struct counting *c, uint32_t construct)
{
	times_in(c, construct);
	return c->come[construct];
}

/* The construct that contains the statement, other than its own. */
static uint32_t around(const struct counting *c, uint32_t statement)
{
	const uint32_t i = c->w->file->statements[statement].construct;

	if (i >= c->w->file->construct_count)
		return BOB_FORTRAN_NO;
	return c->w->file->constructs[i].first == statement ? c->w->file->constructs[i].parent : i;
}

/* Executions of the statement; a DO WHILE evaluates its condition once more than it runs. */
static double times_of(struct counting *c, uint32_t statement)
{
	const struct bob_fortran_statement *s = &c->w->file->statements[statement];
	if (s->kind == BOB_F_DO_WHILE && s->construct < c->w->file->construct_count)
		return come_to(c, s->construct) + times_in(c, s->construct);
	return times_in(c, around(c, statement));
}

/* --- the program itself --- */

/* The callee: a copy, or the procedure itself. */
static const char *callee(const struct counting *c, uint32_t in, uint32_t statement,
			  const struct bob_fortran_use *u)
{
	for (size_t i = 0; i < c->w->redirects.count; i++) {
		const struct bob_weave_redirect *r = &c->w->redirects.at[i];

		if (r->in == in && r->statement == statement && r->from == u->from)
			return r->name;
	}
	return u->symbol->name;
}

static void count_statement(struct counting *c, uint32_t in, uint32_t statement)
{
	const struct bob_fortran_statement *s = &c->w->file->statements[statement];
	const double times = times_of(c, statement);
	struct bob_fortran_uses uses;

	if (!s->is_executable)
		return;
	if (bob_fortran_uses(&c->scratch, c->w->file, statement, &uses) != BOB_OK) {
		c->is_failed = true;
		return;
	}
	for (uint32_t i = 0; i < uses.count; i++) {
		const struct bob_fortran_use *u = &uses.at[i];
		const double t = s->kind == BOB_F_IF && u->flags & BOB_USE_BODY ?
					 times * bob_predict_condition(c->p, s->line) :
					 times;

		if (u->role == BOB_ROLE_CALL && u->symbol->class != BOB_NAME_INTRINSIC)
			bob_predict_call(c->p, callee(c, in, statement, u), t);
		else if (u->role == BOB_ROLE_READ || u->role == BOB_ROLE_WRITE)
			bob_predict_own(c->p, t, 1);
	}
}

static void count_unit(struct counting *c, uint32_t in, uint32_t unit)
{
	const struct bob_fortran_unit *u = &c->w->file->units[unit];

	for (uint32_t i = u->first; i <= u->last && i < c->w->file->count; i++)
		if (c->w->file->statements[i].unit == unit)
			count_statement(c, in, i);
}

/* --- probes --- */

static void enter(struct counting *c, uint32_t in, uint32_t unit)
{
	const struct bob_fortran_unit *u = &c->w->file->units[unit];

	bob_predict_unit(c->p, in ? c->w->clones.at[in - 1].name : u->name,
			 u->kind == BOB_UNIT_PROGRAM ? BOB_PREDICT_ENTRY : BOB_PREDICT_FUNCTION);
	if (in)
		bob_predict_copy_of(c->p, u->name);
}

/* The loop of a construct, or around it. */
static struct bob_predict_loop *loop_of(struct counting *c, uint32_t in, uint32_t construct)
{
	const struct bob_fortran_construct *k;
	struct bob_predict_loop **at;

	if (construct >= c->w->file->construct_count)
		return NULL;
	k = &c->w->file->constructs[construct];
	if (k->kind != BOB_CONSTRUCT_DO)
		return loop_of(c, in, k->parent);
	at = &c->loops[(size_t)in * c->w->file->construct_count + construct];
	if (!*at)
		*at = bob_predict_loop(c->p, loop_of(c, in, k->parent), come_to(c, construct));
	return *at;
}

/* Executions per execution of its statement. */
static double within(const struct counting *c, const struct bob_weave_site *s)
{
	const uint32_t line = c->w->file->statements[s->statement].line;
	double times = s->trips;

	for (uint32_t i = 0; i < s->conditions; i++)
		times *= bob_predict_condition(c->p, line);
	for (uint32_t i = 0; i < s->unknown_loops; i++)
		times *= bob_predict_trips(c->p, line, -1);
	return times;
}

static void count_site(struct counting *c, const struct bob_weave_site *s)
{
	enter(c, s->in, s->unit);
	bob_predict_single(c->p, &(struct bob_predict_single){
					 .loop = loop_of(c, s->in, around(c, s->statement)),
					 .times = times_of(c, s->statement) * within(c, s),
					 .accesses = 1,
					 .share = s->share,
					 .is_scattered = s->is_scattered,
					 .is_back = s->is_back,
				 });
}

/* A whole array or section counts as one row. */
static void count_box(struct counting *c, const struct bob_weave_site *s)
{
	const double times = times_in(c, around(c, s->statement)) * within(c, s);
	const struct bob_predict_nest n = {
		.times = times, .rows = times, .probes = 1, .accesses = 1, .depth = 1, .looked = 1,
		.share = s->share,
		.trips = s->elements >= 0 ? s->elements : BOB_PREDICT_TRIPS,
	};

	enter(c, s->in, s->unit);
	bob_predict_nest(c->p, &n);
}

static void count_nest(struct counting *c, const struct bob_weave_nest_row *r)
{
	const struct bob_weave_site *s = &c->w->sites.at[r->first];
	uint32_t outer = r->loop, k;
	struct bob_predict_nest n = { .probes = r->count, .accesses = r->count,
				      .depth = r->depth, .looked = r->count,
				      .is_seen = r->is_held, .share = { 0, 0, true } };

	if (r->loop >= c->w->file->construct_count)
		return;
	enter(c, s->in, s->unit);
	for (uint32_t d = 1; d < r->depth; d++) {
		k = c->w->file->constructs[outer].parent;
		outer = k < c->w->file->construct_count ? k : outer;
	}
	n.times = come_to(c, outer);
	n.rows = come_to(c, r->loop);
	n.trips = n.rows > 0 ? times_in(c, r->loop) / n.rows : 0;
	for (k = 0; k < r->count; k++) {
		n.share.least += s[k].share.least / r->count;
		n.share.most += s[k].share.most / r->count;
		n.share.is_whole &= s[k].share.is_whole;
	}
	bob_predict_nest(c->p, &n);
}

/* Marks sites of nests, which are counted with these. */
static bool *in_nests(struct counting *c)
{
	bool *is = bob_arena_alloc(&c->scratch, c->w->sites.count + 1u);

	for (size_t i = 0; is && i < c->w->nests.count; i++)
		for (uint32_t k = 0; k < c->w->nests.at[i].count; k++)
			is[c->w->nests.at[i].first + k] = true;
	return is;
}

static bool count_probes(struct counting *c)
{
	const bool *is_in_nest = in_nests(c);

	for (size_t i = 0; is_in_nest && i < c->w->sites.count; i++)
		if (c->w->sites.at[i].box)
			count_box(c, &c->w->sites.at[i]);
		else if (!is_in_nest[i])
			count_site(c, &c->w->sites.at[i]);
	for (size_t i = 0; is_in_nest && i < c->w->nests.count; i++)
		if (!c->w->sites.at[c->w->nests.at[i].first].box)
			count_nest(c, &c->w->nests.at[i]);
	return is_in_nest != NULL;
}

bob_status bob_weave_predict(struct bob_weave *w, struct bob_predict *p)
{
	struct counting c = { .w = w, .p = p };

	bob_predict_file(p, w->path, BOB_PREDICT_FORTRAN);
	for (uint32_t i = 0; i < w->file->construct_count; i++) {
		const struct bob_fortran_statement *s =
			&w->file->statements[w->file->constructs[i].first];

		if (w->file->constructs[i].kind == BOB_CONSTRUCT_DO &&
		    s->unit < w->file->unit_count)
			bob_predict_has(p, w->file->units[s->unit].name, s->line);
	}
	c.come = bob_arena_alloc(&c.scratch, (w->file->construct_count + 1u) * sizeof(*c.come));
	c.times = bob_arena_alloc(&c.scratch, (w->file->construct_count + 1u) * sizeof(*c.times));
	c.loops = bob_arena_alloc(&c.scratch, (w->clones.count + 1u) *
						      (w->file->construct_count + 1u) *
						      sizeof(*c.loops));
	if (!c.times || !c.come || !c.loops) {
		bob_arena_free(&c.scratch);
		return BOB_ERR_NOMEM;
	}
	for (uint32_t i = 0; i < w->file->construct_count; i++)
		c.times[i] = -1;
	for (uint32_t i = 0; i < w->file->unit_count; i++) {
		if (w->file->units[i].flags & BOB_UNIT_INTERFACE ||
		    w->file->units[i].execute == BOB_FORTRAN_NO)
			continue;
		enter(&c, 0, i);
		count_unit(&c, 0, i);
	}
	for (size_t i = 0; i < w->clones.count; i++) {
		enter(&c, (uint32_t)i + 1, w->clones.at[i].unit);
		count_unit(&c, (uint32_t)i + 1, w->clones.at[i].unit);
	}
	c.is_failed |= !count_probes(&c);
	bob_predict_variables(p, (uint32_t)w->variables.count);
	bob_arena_free(&c.scratch);
	return c.is_failed ? BOB_ERR_NOMEM : BOB_OK;
}
