/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums up the prediction over all files. A function runs as often as all calls of it, in all files,
 * are executed. Of several functions of one name, that of the same file is called. Entries of
 * programs run once. A function without a visible caller is assumed to run once, and reported as
 * unknown. Recursive calls add nothing. */
#include <string.h>

#include "source/predict_parts.h"

static double said_runs(const struct bob_predict *p, const char *name)
{
	for (struct bob_predict_said *s = p->said; s; s = s->next)
		if (!s->line && !strcmp(s->name, name)) {
			s->is_used = true;
			return s->value;
		}
	return -1;
}

uint32_t bob_predict_unused(const struct bob_predict *p, uint32_t after)
{
	uint32_t at = 0;

	for (const struct bob_predict_said *s = p->said; s; s = s->next)
		if (!s->is_used && s->at > after && (!at || s->at < at))
			at = s->at;
	return at;
}

static struct bob_predict_unit_of *in_file(const struct bob_predict_file_of *f, const char *name)
{
	struct bob_predict_unit_of *u = f->units;

	while (u && strcmp(u->name, name) != 0)
		u = u->next;
	return u;
}

/* Is `c` the name that C uses for the Fortran procedure `fortran`? */
static bool is_linked(const char *fortran, const char *c)
{
	const size_t len = strlen(fortran);

	return !strncmp(fortran, c, len) && !strcmp(c + len, "_");
}

/* Does the other language call the unit by this name? */
static bool is_of_other(const struct bob_predict_file_of *f, const struct bob_predict_unit_of *u,
			const char *name)
{
	return f->language == BOB_PREDICT_FORTRAN ? is_linked(u->name, name) :
						    is_linked(name, u->name);
}

/* The unit of that name in any file. */
static struct bob_predict_unit_of *in_files(const struct bob_predict *p, const char *name)
{
	struct bob_predict_unit_of *u = NULL;

	for (const struct bob_predict_file_of *f = p->files; f && !u; f = f->next)
		u = in_file(f, name);
	return u;
}

/* The function that a call in file `from` refers to; NULL: it is in no file. */
static struct bob_predict_unit_of *callee(const struct bob_predict *p,
					  const struct bob_predict_file_of *from, const char *name)
{
	struct bob_predict_unit_of *u = in_file(from, name);

	u = u ? u : in_files(p, name);
	for (const struct bob_predict_file_of *f = p->files; f && !u; f = f->next)
		for (u = f->language != from->language ? f->units : NULL;
		     u && !is_of_other(f, u, name);)
			u = u->next;
	return u;
}

double bob_predict_profiled_runs(const struct bob_predict *p, const struct bob_predict_file_of *f,
				 const struct bob_predict_unit_of *u)
{
	const struct bob_predict_said *first = NULL;
	double runs = -1;

	for (const struct bob_predict_said *s = p->profile; s; s = s->next)
		if (!s->line && (!strcmp(s->name, u->name) ||
				 (is_of_other(f, u, s->name) && !in_files(p, s->name))))
			runs = (runs > 0 ? runs : 0) + s->value;
		else if (s->line && !strcmp(s->name, u->name) && (!first || s->line < first->line))
			first = s;
	return first && first->times > runs ? first->times : runs;
}

/* The number of runs that the user set, else that of an earlier run. Below 0: neither is known. */
static double runs_of(const struct bob_predict *p, const struct bob_predict_unit_of *u)
{
	const double said = said_runs(p, u->name);

	return said < 0 && !p->is_shared && !u->is_copied && u->kind != BOB_PREDICT_ENTRY ?
		       u->earlier :
		       said;
}

static void begin(const struct bob_predict *p)
{
	for (struct bob_predict_file_of *f = p->files; f; f = f->next)
		for (struct bob_predict_unit_of *u = f->units; u; u = u->next) {
			u->said = runs_of(p, u);
			u->runs = u->said > 0 ? u->said : 0;
			u->is_called = u->is_seen = false;
			u->at = u->calls;
		}
	for (struct bob_predict_file_of *f = p->files; f; f = f->next)
		for (struct bob_predict_unit_of *u = f->units; u; u = u->next)
			for (struct bob_predict_call_to *c = u->calls; c; c = c->next) {
				c->to = callee(p, f, c->name);
				if (c->to && c->to != u)
					c->to->is_called = true;
			}
}

/* Depth-first search of the calls from `u` (without recursion on the stack). It appends units in
 * post-order: callees before callers. */
static void follow(struct bob_predict_unit_of *u, struct bob_predict_unit_of **order)
{
	u->is_seen = true;
	u->from = NULL;
	while (u) {
		struct bob_predict_unit_of *to = u->at ? u->at->to : NULL;

		if (u->at) {
			u->at = u->at->next;
			if (!to || to->is_seen)
				continue;
			to->is_seen = true;
			to->from = u;
			u = to;
			continue;
		}
		u->place = *order ? (*order)->place + 1 : 0;
		u->before = *order;
		*order = u;
		u = u->from;
	}
}

enum root { ENTRIES, UNCALLED, REST, ROOTS };

static bool is_root(const struct bob_predict_unit_of *u, enum root r)
{
	return !u->is_seen && (r == ENTRIES  ? u->kind == BOB_PREDICT_ENTRY :
			       r == UNCALLED ? !u->is_called :
					       true);
}

/* Runs of a program's entry, and of functions without a visible caller. */
static double runs_alone(struct bob_predict_unit_of *u)
{
	if (u->kind == BOB_PREDICT_FUNCTION && u->earlier >= 0)
		u->said = u->earlier;
	return u->said >= 0 ? u->said : u->kind != BOB_PREDICT_HELPER;
}

/* Propagates the numbers of runs in reverse post-order, callers first. Recursive calls add
 * nothing. */
static void count_runs(const struct bob_predict *p)
{
	struct bob_predict_unit_of *order = NULL;

	begin(p);
	for (enum root r = ENTRIES; r < ROOTS; r++)
		for (struct bob_predict_file_of *f = p->files; f; f = f->next)
			for (struct bob_predict_unit_of *u = f->units; u; u = u->next)
				if (is_root(u, r)) {
					if (u->said < 0)
						u->runs = runs_alone(u);
					u->is_called &= r != REST;
					follow(u, &order);
				}
	for (struct bob_predict_unit_of *u = order; u; u = u->before)
		for (const struct bob_predict_call_to *c = u->calls; c; c = c->next)
			if (c->to && c->to->said < 0 && c->to->place < u->place)
				c->to->runs += u->runs * c->times;
}

/* --- all --- */

static void name_unknown(struct bob_predict_total *t, const char *file, const char *name,
			 uint32_t line)
{
	if (t->unknown_count == BOB_PREDICT_UNKNOWN_MAX)
		return;
	t->unknown[t->unknown_count].file = file;
	t->unknown[t->unknown_count].name = name;
	t->unknown[t->unknown_count++].line = line;
}

static void add_unit(const struct bob_predict *p, struct bob_predict_unit_of *u,
		     struct bob_predict_total *t)
{
	const struct bob_predict_costs *c = &p->costs[u->file->language];
	const struct bob_predict_loops_cost singles = bob_predict_loops_cost(u, c);
	const double first = u->runs < 1 ? u->runs : 1;

	t->own += u->runs * u->own;
	t->own_least_ns += u->runs * u->own * c->least;
	t->own_most_ns += u->runs * u->own * c->most;
	t->singles += u->runs * u->singles;
	t->nests += u->runs * u->nests;
	t->rows += u->runs * u->rows;
	t->reported += u->runs * u->reported;
	t->traced_least += u->runs * u->traced_least;
	t->traced_most += u->runs * u->traced_most;
	t->added_least_ns += u->runs * (u->least_ns + singles.least) + first * singles.first_least;
	t->added_most_ns += u->runs * (u->most_ns + singles.most) + first * singles.first_most;
	if (u->kind == BOB_PREDICT_FUNCTION && !u->is_called && u->said < 0 &&
	    (u->reported > 0 || u->own > 0)) {
		t->unknown_runs++;
		name_unknown(t, NULL, u->name, 0);
	}
}

static void add_file(const struct bob_predict *p, const struct bob_predict_file_of *f,
		     struct bob_predict_total *t)
{
	const struct bob_predict_costs *c = &p->costs[f->language];

	for (const struct bob_predict_line *l = f->idle; l; l = l->next)
		t->idle++;
	for (const struct bob_predict_line *l = f->unknown; l; l = l->next) {
		if (l->unit && l->unit->runs <= 0 && !l->unit->is_copied)
			continue;
		t->unknown_trips++;
		name_unknown(t, f->path, NULL, l->line);
	}
	for (struct bob_predict_unit_of *u = f->units; u; u = u->next)
		add_unit(p, u, t);
	if (!f->singles && !f->nests) {
		t->code_bytes += c->code_empty;
		return;
	}
	t->code_bytes += c->code_file + f->singles * c->code_single + f->nests * c->code_nest +
			 f->nest_accesses * c->code_nest_access + f->variables * c->code_variable;
	if (t->begin_ns < c->begin)
		t->begin_ns = c->begin;
}

/* Dilation: time of the probes and the program's own time. If the latter is estimated, or trips are
 * assumed, the start of the recorder is left out. */
static void divide(const struct bob_predict *p, struct bob_predict_total *t)
{
	double begin = 0;

	if (t->baseline_ns > 0 && !t->unknown_trips && !t->unknown_runs) {
		t->own_least_ns = t->own_most_ns = p->baseline_ns;
		begin = t->begin_ns;
	}
	t->dilation_least = t->dilation_most = 1;
	if (t->own_most_ns > 0)
		t->dilation_least += (t->added_least_ns + begin) / t->own_most_ns;
	if (t->own_least_ns > 0)
		t->dilation_most += (t->added_most_ns + begin) / t->own_least_ns;
	if (p->code > 0)
		t->inflation = 1 + t->code_bytes / p->code;
}

bob_status bob_predict_sum(struct bob_predict *p, struct bob_predict_total *out)
{
	if (p->is_failed)
		return BOB_ERR_NOMEM;
	memset(out, 0, sizeof(*out));
	out->baseline_ns = p->baseline_ns;
	count_runs(p);
	for (const struct bob_predict_file_of *f = p->files; f; f = f->next)
		add_file(p, f, out);
	divide(p, out);
	return BOB_OK;
}
