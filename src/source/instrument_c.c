/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts requests to options of the C front end, and its results to those of `bobbin instrument`.
 * In a group each file also gets the requests of the other files that may concern it. */
#include "source/instrument_c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/c/c.h"
#include "source/left.h"

#define OPEN (1ll << 40) /* larger than any subscript */

struct c_result {
	struct bob_source_result result;
	struct bob_source_c_result *of_c;
	struct bob_source_refusal *refusals;
};

static void close_c(struct bob_source_result *r)
{
	struct c_result *c = r->memory;

	bob_source_c_close(c->of_c);
	free(c->refusals);
	free(c);
}

static void take_c(struct c_result *c)
{
	const struct bob_source_c_counts *n = &c->of_c->counts;
	struct bob_source_result *r = &c->result;

	r->text = c->of_c->text;
	r->len = c->of_c->len;
	r->counts = (struct bob_source_counts){ .variables = n->variables, .proved = n->proved,
						.filtered = n->filtered, .dropped = n->dropped,
						.nests = n->nests,
						.nest_references = n->nest_references,
						.loops = n->loops,
						.calls = n->calls,
						.communication = n->communication,
						.copies = n->copies };
	for (uint32_t i = 0; i < c->of_c->refused_count; i++)
		c->refusals[r->refusal_count++] =
			(struct bob_source_refusal){ .why = c->of_c->refused[i].why,
						     .count = c->of_c->refused[i].count,
						     .line = c->of_c->refused[i].line,
						     .system = c->of_c->refused[i].system };
	r->refusals = c->refusals;
	r->headers = c->of_c->headers;
	r->header_count = c->of_c->header_count;
	r->memory = c;
	r->close = close_c;
}

static const enum bob_source_c_what c_what[] = {
	[BOB_REQUEST_VARIABLE] = BOB_SOURCE_C_VARIABLE,
	[BOB_REQUEST_LOOPS] = BOB_SOURCE_C_LOOPS,
	[BOB_REQUEST_CALLS] = BOB_SOURCE_C_CALLS,
	[BOB_REQUEST_COMMUNICATION] = BOB_SOURCE_C_COMMUNICATION,
};

/* The reason why the request is not valid in C; NULL: it may be. */
static const char *not_of_c(const struct bob_request *w)
{
	if (w->scope == BOB_SCOPE_MODULE)
		return "C has no modules: F:x is the x of function F";
	if (w->scope == BOB_SCOPE_COMMON)
		return "C has no COMMON blocks: name the variable alone";
	return w->rank > BOB_SOURCE_C_RANK_MAX ? "too many subscripts for C" : NULL;
}

static void c_request(const struct bob_request *w, struct bob_source_c_request *to)
{
	*to = (struct bob_source_c_request){
		.what = c_what[w->what],
		.function = w->scope == BOB_SCOPE_UNIT ? w->in : NULL,
		.name = w->name,
		.path = w->path,
		.rank = w->rank,
		.first_line = w->first_line,
		.last_line = w->last_line == UINT32_MAX ? 0 : w->last_line,
	};
	for (uint32_t i = 0; i < w->rank; i++)
		to->box[i] = (struct bob_source_c_bounds){
			w->box[i].first < -OPEN ? -OPEN : w->box[i].first,
			w->box[i].last > OPEN ? OPEN : w->box[i].last };
}

static bob_status c_requests(const struct bob_request_file *f,
			     struct bob_source_c_request **requests, uint32_t *count,
			     struct bob_source_complaint *why)
{
	uint32_t n = 0;

	for (const struct bob_request *w = f->first; w; w = w->next)
		n += w->what != BOB_REQUEST_ALLOCATOR;
	*requests = calloc(n + 1u, sizeof(**requests));
	*count = n;
	if (!*requests)
		return BOB_ERR_NOMEM;
	n = 0;
	for (const struct bob_request *w = f->first; w; w = w->next) {
		const char *what = not_of_c(w);

		if (what) {
			why->command = w->command;
			why->column = w->column;
			snprintf(why->text, sizeof(why->text), "%.300s: %s", f->path, what);
			return BOB_ERR_INVAL;
		}
		if (w->what != BOB_REQUEST_ALLOCATOR)
			c_request(w, &(*requests)[n++]);
	}
	return BOB_OK;
}

static uint32_t argument(uint32_t from_1)
{
	return from_1 ? from_1 - 1 : BOB_SOURCE_C_NO_ARGUMENT;
}

/* All allocators, of all files of the command. The caller frees the result; NULL: no memory. */
static struct bob_source_c_allocator *c_allocators(const struct bob_request_file *files,
						   uint32_t *count)
{
	struct bob_source_c_allocator *to;
	uint32_t n = 0;

	for (const struct bob_request_file *f = files; f; f = f->next)
		for (const struct bob_request *w = f->first; w; w = w->next)
			n += w->what == BOB_REQUEST_ALLOCATOR;
	to = calloc(n + 1u, sizeof(*to));
	if (!to)
		return NULL;
	n = 0;
	for (const struct bob_request_file *f = files; f; f = f->next)
		for (const struct bob_request *w = f->first; w; w = w->next) {
			const struct bob_request_allocator *a = &w->allocator;

			if (w->what == BOB_REQUEST_ALLOCATOR)
				to[n++] = (struct bob_source_c_allocator){
					w->name, argument(a->size[0]), argument(a->size[1]),
					a->is_counted, a->is_text, argument(a->old)
				};
		}
	*count = n;
	return to;
}

/* Reports a failure; for a request that matches nothing, with its command. */
static void complain(const struct bob_request_file *f, bob_status st, uint32_t missing,
		     const char *text, struct bob_source_complaint *why)
{
	const struct bob_request *w = f->first;

	for (uint32_t i = 0; w; w = w->next)
		if (w->what != BOB_REQUEST_ALLOCATOR && i++ == missing)
			break;
	if (st == BOB_ERR_INVAL && w) {
		why->command = w->command;
		why->column = w->column;
	}
	snprintf(why->text, sizeof(why->text), "%s", text);
}

/* --- files --- */

struct member {
	const struct bob_request_file *file;
	struct bob_source_c_request *requests;
	uint32_t request_count;
	/* what the other files may access; NULL: it is the only file */
	struct bob_source_c_reach *reach;
	char *unread;		/* NULL; its first error: the others are analysed without it */
};

struct bob_source_c_group {
	struct bob_source_c_allocator *allocators;
	uint32_t allocator_count;
	bool *called;		/* for each allocator: a file of the command calls it */
	const char **functions;	/* functions that the files define */
	uint32_t function_count;
	struct member *members;
	uint32_t count;
	bool has_other_files;	/* there is more than one C file */
	/* some were not parsed: they are in Fortran, were not found, or have an error */
	bool has_unread;
	const char **left;	/* first errors of the files that have some */
	uint32_t left_count;
	const struct bob_source_across *fortran; /* requests of the Fortran files */
	struct bob_source_across across; /* requests of these files, for the Fortran files */
	const char **names;	/* names in `across` */
};

static struct bob_source_c_options options_of(const struct bob_source_c_group *g,
					      const struct bob_source_options *o)
{
	return (struct bob_source_c_options){ .flags = o->flags,
					      .flag_count = o->flag_count,
					      .is_flat = o->is_flat || o->is_exact,
					      .holds_nothing = o->holds_nothing,
					      .has_copies = o->has_c_copies && !o->is_in_place,
					      .has_other_files = g && g->has_other_files,
					      .allocators = g ? g->allocators : NULL,
					      .allocator_count = g ? g->allocator_count : 0,
					      .called = g ? g->called : NULL,
					      .functions = g ? g->functions : NULL,
					      .function_count = g ? g->function_count : 0,
					      .has_unread = g && g->has_unread };
}

static bob_status read_member(struct bob_source_c_group *g, struct member *m,
			      const struct bob_source_options *o, struct bob_source_complaint *why)
{
	struct bob_source_c_options options = options_of(g, o);
	struct bob_source_c_complaint complaint = { "" };
	uint32_t missing = UINT32_MAX;
	bob_status st = c_requests(m->file, &m->requests, &m->request_count, why);

	if (st != BOB_OK || (!g->has_other_files && !g->allocator_count))
		return st;
	options.requests = m->requests;
	options.request_count = m->request_count;
	options.missing = &missing;
	st = bob_source_c_reach(m->file->path, &options, &m->reach, &complaint);
	if (st == BOB_ERR_CORRUPT) {
		m->unread = strdup(complaint.text);
		g->has_unread = true;
		g->left[g->left_count++] = m->unread;
		return m->unread ? BOB_OK : BOB_ERR_NOMEM;
	}
	complain(m->file, st, missing, complaint.text, why);
	return st;
}

/* Combines what other files may access of all these files. */
static bob_status unite(struct bob_source_c_group *g)
{
	struct bob_source_across *a = &g->across;
	uint32_t names = 0, functions = 0;

	for (uint32_t i = 0; i < g->count; i++) {
		names += g->members[i].reach ? g->members[i].reach->count : 0;
		functions += g->members[i].reach ? g->members[i].reach->function_count : 0;
	}
	g->names = calloc(names + 1u, sizeof(*g->names));
	g->functions = calloc(functions + 1u, sizeof(*g->functions));
	if (!g->names || !g->functions)
		return BOB_ERR_NOMEM;
	*a = (struct bob_source_across){ .is_there = g->count != 0,
					 .names = g->names,
					 .functions = g->functions,
					 .function_count = functions };
	for (uint32_t i = 0; i < g->count; i++) {
		const struct bob_source_c_reach *r = g->members[i].reach;

		if (!r)
			continue;
		a->classes |= r->classes;
		a->has_arguments |= r->has_arguments;
		for (uint32_t k = 0; k < r->count; k++)
			g->names[a->count++] = r->names[k];
		for (uint32_t k = 0; k < r->function_count; k++)
			g->functions[g->function_count++] = r->functions[k];
	}
	return BOB_OK;
}

static uint32_t count_files(const struct bob_request_file *first)
{
	uint32_t n = 0;

	for (const struct bob_request_file *f = first; f; f = f->next)
		n++;
	return n;
}

/* Reports an allocator that no file calls, as any request that matches nothing. */
static bob_status check_allocators(const struct bob_source_c_group *g,
				   const struct bob_request_file *first,
				   struct bob_source_complaint *why)
{
	uint32_t n = 0;

	for (const struct bob_request_file *f = first; f; f = f->next)
		for (const struct bob_request *w = f->first; w; w = w->next) {
			if (w->what != BOB_REQUEST_ALLOCATOR || g->called[n++])
				continue;
			why->command = w->command;
			why->column = w->column;
			snprintf(why->text, sizeof(why->text),
				 "there is no call of %.200s in the C files of the command",
				 w->name);
			return BOB_ERR_INVAL;
		}
	return BOB_OK;
}

bob_status bob_source_c_group_open(const struct bob_request_file *first,
				   const struct bob_source_options *o,
				   struct bob_source_c_group **out,
				   struct bob_source_complaint *why)
{
	struct bob_source_c_group *g = calloc(1, sizeof(*g));
	bob_status st = BOB_OK;
	uint32_t n = 0;

	if (!g)
		return BOB_ERR_NOMEM;
	for (const struct bob_request_file *f = first; f; f = f->next)
		n += bob_source_language(f->path) == BOB_SOURCE_C;
	g->has_other_files = first && first->next;
	g->members = calloc(n + 1u, sizeof(*g->members));
	g->allocators = c_allocators(first, &g->allocator_count);
	g->called = calloc(g->allocator_count + 1u, sizeof(*g->called));
	g->left = calloc(n + 1u, sizeof(*g->left));
	if (!g->members || !g->allocators || !g->called || !g->left) {
		bob_source_c_group_close(g);
		return BOB_ERR_NOMEM;
	}
	for (const struct bob_request_file *f = first; f; f = f->next)
		if (bob_source_language(f->path) == BOB_SOURCE_C)
			g->members[g->count++].file = f;
	g->has_unread = o->is_partial || n < count_files(first);
	for (uint32_t i = 0; i < n && st == BOB_OK; i++)
		st = read_member(g, &g->members[i], o, why);
	if (st == BOB_OK && !o->is_partial && !g->left_count)
		st = check_allocators(g, first, why);
	if (st == BOB_OK)
		st = unite(g);
	if (st == BOB_OK)
		*out = g;
	else
		bob_source_c_group_close(g);
	return st;
}

const struct bob_source_across *bob_source_c_across(const struct bob_source_c_group *g)
{
	return &g->across;
}

void bob_source_c_join(struct bob_source_c_group *g, const struct bob_source_across *fortran)
{
	g->fortran = fortran;
}

void bob_source_c_group_close(struct bob_source_c_group *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; i < g->count; i++) {
		free(g->members[i].requests);
		free(g->members[i].reach);
		free(g->members[i].unread);
	}
	free(g->members);
	free(g->left);
	free(g->names);
	free(g->functions);
	free(g->called);
	free(g->allocators);
	free(g);
}

const char *bob_source_c_unread(const struct bob_source_c_group *g,
				const struct bob_request_file *f)
{
	for (uint32_t i = 0; i < g->count; i++)
		if (g->members[i].file == f)
			return g->members[i].unread;
	return NULL;
}

/* Appends the requests of Fortran files to `to`, which is large enough. */
static void add_fortran(const struct bob_source_across *a, struct bob_source_c_request *to,
			struct bob_source_c_options *o)
{
	o->reach |= a->classes;
	o->has_arguments |= a->has_arguments;
	for (uint32_t i = 0; i < a->count; i++)
		to[o->request_count++] =
			(struct bob_source_c_request){ .what = BOB_SOURCE_C_VARIABLE,
						    .name = a->names[i],
						    .is_of_another = true,
						    .is_of_fortran = true };
}

/* Appends the requests of the other files to the file's own requests. */
static bob_status add_others(const struct bob_source_c_group *g, const struct bob_request_file *f,
			     struct bob_source_c_request **requests, struct bob_source_c_options *o)
{
	uint32_t more = g->fortran ? g->fortran->count : 0;
	struct bob_source_c_request *to;

	for (uint32_t i = 0; i < g->count; i++)
		more += g->members[i].reach ? g->members[i].reach->count : 0;
	to = realloc(*requests, (o->request_count + more + 1u) * sizeof(*to));
	if (!to)
		return BOB_ERR_NOMEM;
	*requests = to;
	for (uint32_t i = 0; i < g->count; i++) {
		const struct member *m = &g->members[i];

		if (!m->reach || m->file == f)
			continue;
		o->reach |= m->reach->classes;
		o->has_arguments |= m->reach->has_arguments;
		for (uint32_t k = 0; k < m->reach->count; k++) {
			to[o->request_count] = m->requests[m->reach->requests[k]];
			to[o->request_count].name = m->reach->names[k];
			to[o->request_count++].is_of_another = true;
		}
	}
	if (g->fortran)
		add_fortran(g->fortran, to, o);
	return BOB_OK;
}

static bob_status instrument(const struct bob_request_file *f,
			     const struct bob_source_c_options *options,
			     struct bob_source_c_result **out, struct bob_source_complaint *why)
{
	struct bob_source_c_complaint complaint = { "" };
	struct bob_source_c_options with = *options;
	uint32_t missing = UINT32_MAX;
	bob_status st;

	with.missing = &missing;
	st = bob_source_c_instrument(f->path, &with, out, &complaint);
	complain(f, st, missing, complaint.text, why);
	return st;
}

/* True for the first file without an error: it reports the files that have one. */
static bool is_first_read(const struct bob_source_c_group *g, const struct bob_request_file *f)
{
	uint32_t i = 0;

	while (i < g->count && g->members[i].unread)
		i++;
	return i < g->count && g->members[i].file == f;
}

bob_status bob_source_c_file(const struct bob_source_c_group *g, const struct bob_request_file *f,
			     const struct bob_source_options *o, struct bob_source_result **out,
			     struct bob_source_complaint *why)
{
	struct bob_source_c_options options = options_of(g, o);
	struct c_result *c = calloc(1, sizeof(*c));
	struct bob_source_c_request *requests = NULL;
	bob_status st = c ? c_requests(f, &requests, &options.request_count, why) : BOB_ERR_NOMEM;

	if (st == BOB_OK && g)
		st = add_others(g, f, &requests, &options);
	if (g && !o->is_partial && is_first_read(g, f)) {
		options.left = g->left;
		options.left_count = g->left_count;
	}
	options.requests = requests;
	options.predict = o->predict;
	if (st == BOB_OK)
		st = instrument(f, &options, &c->of_c, why);
	free(requests);
	if (st == BOB_OK) {
		c->refusals = calloc(c->of_c->refused_count + 1u, sizeof(*c->refusals));
		st = c->refusals ? BOB_OK : BOB_ERR_NOMEM;
	}
	if (st != BOB_OK) {
		if (c)
			bob_source_c_close(c->of_c);
		free(c);
		return st == BOB_ERR_CORRUPT ? bob_source_leave(f->path, why->text, out) : st;
	}
	take_c(c);
	*out = &c->result;
	return BOB_OK;
}
