/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts references and probes per file and function, for one run of each function. So files may
 * come in any order and be parsed twice; predict_sum.c computes the number of runs when all files
 * are known. Costs of probes are added at once, so the user's own costs must be set before. */
#include "source/predict.h"

#include <stdlib.h>
#include <string.h>

#include "source/predict_parts.h"

bob_status bob_predict_open(struct bob_predict **out)
{
	struct bob_predict *p = calloc(1, sizeof(*p));

	if (!p)
		return BOB_ERR_NOMEM;
	bob_predict_costs_begin(p->costs);
	p->condition = BOB_PREDICT_CONDITION;
	*out = p;
	return BOB_OK;
}

void bob_predict_close(struct bob_predict *p)
{
	if (p)
		bob_arena_free(&p->arena);
	free(p);
}

static void *zeroed(struct bob_predict *p, size_t size)
{
	void *at = bob_arena_alloc(&p->arena, size);

	p->is_failed |= !at;
	return at;
}

const char *bob_predict_text(struct bob_predict *p, const char *text, size_t len)
{
	const char *copy = bob_arena_text(&p->arena, text, len);

	p->is_failed |= !copy;
	return copy ? copy : "";
}

bool bob_predict_is_file(const char *path, const char *name)
{
	const size_t whole = strlen(path), len = strlen(name);

	if (len > whole || strcmp(path + whole - len, name) != 0)
		return false;
	return len == whole || path[whole - len - 1] == '/';
}

/* --- an earlier run --- */

bob_status bob_predict_profile(struct bob_predict *p, const char *function, uint32_t line,
			       double times, double trips)
{
	struct bob_predict_said *s = p->profile;

	while (s && (!line || s->line != line || strcmp(s->name, function) != 0))
		s = s->next;
	if (s) { /* another loop of that line */
		if (times + s->times > 0)
			s->value = (s->value * s->times + trips * times) / (s->times + times);
		s->times += times;
		return BOB_OK;
	}
	s = zeroed(p, sizeof(*s));
	if (!s)
		return BOB_ERR_NOMEM;
	*s = (struct bob_predict_said){ .next = p->profile, .line = line,
					.value = line ? trips : times, .times = times,
					.name = bob_predict_text(p, function, strlen(function)) };
	p->profile = s;
	return p->is_failed ? BOB_ERR_NOMEM : BOB_OK;
}

/* The recorded counts of a function; an unnamed Fortran program is `main` in events. */
static const struct bob_predict_said *profiled(const struct bob_predict *p, const char *function,
					       uint32_t line)
{
	const struct bob_predict_said *s = p->profile;

	while (s && (s->line != line || strcmp(s->name, *function ? function : "main") != 0))
		s = s->next;
	return s;
}

void bob_predict_has(struct bob_predict *p, const char *function, uint32_t line)
{
	if (p && p->file && profiled(p, function, line))
		p->file->is_profiled = true;
}

/* --- where we are --- */

void bob_predict_file(struct bob_predict *p, const char *path, enum bob_predict_language language)
{
	struct bob_predict_file_of **at;

	if (!p)
		return;
	p->unit = NULL;
	at = &p->files;
	while (*at && strcmp((*at)->path, path) != 0)
		at = &(*at)->next;
	if (!*at) {
		*at = zeroed(p, sizeof(**at));
		if (*at)
			(*at)->path = bob_predict_text(p, path, strlen(path));
	}
	p->file = *at;
	if (p->file)
		*p->file = (struct bob_predict_file_of){ .next = p->file->next,
							 .path = p->file->path,
							 .language = language };
}

void bob_predict_unit(struct bob_predict *p, const char *name, enum bob_predict_kind kind)
{
	struct bob_predict_unit_of *u;

	if (!p || !p->file)
		return;
	p->unit = NULL;
	if (kind == BOB_PREDICT_LIBRARY)
		return;
	for (u = p->file->units; u && strcmp(u->name, name) != 0; u = u->next)
		continue;
	if (!u) {
		u = zeroed(p, sizeof(*u));
		if (!u)
			return;
		u->file = p->file;
		u->name = bob_predict_text(p, name, strlen(name));
		u->of = u->name;
		u->earlier = kind == BOB_PREDICT_ENTRY ? 1 :
							 bob_predict_profiled_runs(p, p->file, u);
		if (p->file->last)
			p->file->last->next = u;
		else
			p->file->units = u;
		p->file->last = u;
	}
	u->kind = kind;
	p->unit = u;
}

void bob_predict_copy_of(struct bob_predict *p, const char *name)
{
	struct bob_predict_unit_of *u = p && p->file ? p->file->units : NULL;

	while (u && strcmp(u->name, name) != 0)
		u = u->next;
	if (!u || !p->unit || u == p->unit)
		return;
	p->unit->of = u->name;
	p->unit->earlier = u->earlier;
	p->unit->is_copied = u->is_copied = true;
}

static const struct bob_predict_costs *costs(const struct bob_predict *p)
{
	return &p->costs[p->file->language];
}

/* --- counts --- */

/* Appends a loop of this unit, once. */
static void note(struct bob_predict *p, struct bob_predict_line **at, uint32_t line)
{
	struct bob_predict_line *l;

	while (*at && (*at)->line < line)
		at = &(*at)->next;
	if (*at && (*at)->line == line)
		return;
	l = zeroed(p, sizeof(*l));
	if (!l)
		return;
	*l = (struct bob_predict_line){ *at, line, p->unit };
	*at = l;
}

/* The user's assumption for this line of the file; NULL: none. */
static const struct bob_predict_said *said(const struct bob_predict *p, uint32_t line,
					   bool is_share)
{
	struct bob_predict_said *s = p->said;

	while (s && (s->line != line || s->is_share != is_share ||
		     !bob_predict_is_file(p->file->path, s->name)))
		s = s->next;
	if (s)
		s->is_used = true;
	return s;
}

double bob_predict_condition(const struct bob_predict *p, uint32_t line)
{
	const struct bob_predict_said *s = p && p->file ? said(p, line, true) : NULL;

	return s ? s->value : p ? p->condition : BOB_PREDICT_CONDITION;
}

static bool is_idle(const struct bob_predict_file_of *f, uint32_t line)
{
	const struct bob_predict_line *l = f->idle;

	while (l && l->line < line)
		l = l->next;
	return l && l->line == line;
}

double bob_predict_come(struct bob_predict *p, uint32_t line, double times, bool is_event)
{
	const struct bob_predict_said *s;

	if (!p || !p->unit || p->is_shared)
		return times;
	s = profiled(p, p->unit->of, line);
	if (s)
		return p->unit->earlier > 0 ? s->times / p->unit->earlier : times;
	if (p->file->is_profiled && is_event && times > 0)
		note(p, &p->file->idle, line);
	return is_idle(p->file, line) ? 0 : times;
}

double bob_predict_trips(struct bob_predict *p, uint32_t line, double known)
{
	const struct bob_predict_said *s;

	if (!p || !p->file)
		return known;
	s = said(p, line, false);
	if (s)
		return s->value;
	s = known < 0 && p->unit ? profiled(p, p->unit->of, line) : NULL;
	if (s)
		return s->value;
	if (known >= 0)
		return known;
	if (!p->unit)
		return BOB_PREDICT_TRIPS;
	if (is_idle(p->file, line))
		return 0;
	note(p, &p->file->unknown, line);
	return BOB_PREDICT_TRIPS;
}

double bob_predict_span(int64_t low, int64_t high, int64_t step)
{
	const uint64_t by = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;

	if (step < 0 ? low < high : low > high)
		return 0;
	return 1 + (double)((step < 0 ? (uint64_t)low - (uint64_t)high :
					(uint64_t)high - (uint64_t)low) /
			    by);
}

void bob_predict_own(struct bob_predict *p, double times, uint32_t count)
{
	if (p && p->unit)
		p->unit->own += times * count;
}

void bob_predict_call(struct bob_predict *p, const char *callee, double times)
{
	struct bob_predict_call_to *c;

	if (!p || !p->unit || !*callee)
		return;
	for (c = p->unit->calls; c && strcmp(c->name, callee) != 0; c = c->next)
		continue;
	if (!c) {
		c = zeroed(p, sizeof(*c));
		if (!c)
			return;
		*c = (struct bob_predict_call_to){
			.next = p->unit->calls, .name = bob_predict_text(p, callee, strlen(callee))
		};
		p->unit->calls = c;
	}
	c->times += times;
}

static void add_accesses(struct bob_predict_unit_of *u, double times,
			 struct bob_predict_share share)
{
	u->reported += times;
	u->traced_least += times * share.least;
	u->traced_most += times * share.most;
}

struct bob_predict_loop *bob_predict_loop(struct bob_predict *p, struct bob_predict_loop *around,
					  double times)
{
	struct bob_predict_loop *l = p && p->unit ? zeroed(p, sizeof(*l)) : NULL;

	if (!l)
		return NULL;
	l->around = around ? around : &p->unit->straight;
	l->times = times;
	l->next = p->unit->loops;
	p->unit->loops = l;
	return l;
}

bool bob_predict_is_back(uint32_t used, uint32_t known)
{
	const uint32_t still = known & ~used;

	for (uint32_t d = 0; d < 32; d++)
		if (still >> d & 1 && used & ((1u << d) - 1) && used >> d)
			return true;
	return false;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

void bob_predict_single(struct bob_predict *p, const struct bob_predict_single *s)
{
	const struct bob_predict_share by = s->share;
	struct bob_predict_loop *l;

	if (!p || !p->unit)
		return;
	p->file->singles++;
	p->unit->singles += s->times;
	add_accesses(p->unit, s->times * s->accesses, by);
	l = s->loop ? s->loop : &p->unit->straight;
	l->probes += by.most > 0;
	l->inside_least += s->times * by.least;
	l->inside_most += s->times * by.most;
	l->outside_least += s->times * (1 - by.most);
	l->outside_most += s->times * (1 - by.least);
	l->back_least += s->is_back ? by.least : 0;
	l->back_most += s->is_back ? by.most : 0;
	if (!s->is_scattered) {
		l->regular = larger(l->regular, by.most);
		return;
	}
	l->widest_scattered = larger(l->widest_scattered, by.most);
	l->scattered_least += s->times * by.least;
	l->scattered_most += s->times * by.most;
	l->chance_least += s->times * 4 * by.least * (1 - by.least);
	l->chance_most += s->times * 4 * by.most * (1 - by.most);
}

/* Interpolates between the costs of accesses inside and outside the request. */
static double mixed(double inside, double outside, double share)
{
	return inside * share + outside * (1 - share);
}

/* Cost of all executions of a nest if `share` of its accesses, or rows, is inside the request. A
 * nest of a single row is completely outside as often as its rows are; others are assumed never to
 * be. */
static double nest(const struct bob_predict_costs *c, const struct bob_predict_nest *n,
		   double share)
{
	const double before = n->times * (c->nest + n->probes * c->nest_access);
	const double inside = n->share.is_whole ? c->row + n->probes * c->row_access :
						  c->box + n->probes * c->box_access;

	if (n->depth == 1 && n->is_seen)
		return mixed(before + n->rows * inside,
			     n->times * (c->miss + n->looked * c->miss_access), share);
	return before + n->rows * mixed(inside, c->out + n->probes * c->out_access, share);
}

void bob_predict_nest(struct bob_predict *p, const struct bob_predict_nest *n)
{
	if (!p || !p->unit)
		return;
	p->file->nests++;
	p->file->nest_accesses += n->probes * n->depth;
	p->unit->nests += n->times;
	p->unit->rows += n->rows;
	add_accesses(p->unit, n->rows * n->trips * n->accesses + n->beside, n->share);
	p->unit->least_ns += nest(costs(p), n, n->share.least);
	p->unit->most_ns += nest(costs(p), n, n->share.most);
}

void bob_predict_declare(struct bob_predict *p, double times)
{
	if (!p || !p->unit)
		return;
	p->unit->least_ns += times * costs(p)->declare;
	p->unit->most_ns += times * costs(p)->declare;
}

void bob_predict_variables(struct bob_predict *p, uint32_t count)
{
	if (p && p->file)
		p->file->variables = count;
}
