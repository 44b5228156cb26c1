/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts a C file for the prediction: references during the scan, probes when they are inserted. */
#include "source/c/copies.h"
#include "source/c/nest.h"

#include <string.h>

static const struct bob_predict_share whole = { 1, 1, true }, unknown = { 0, 1, false };

/* The box's fraction of the array, if all elements are accessed equally often. */
static double part(struct bob_c_unit *u, const struct bob_source_c_request *w, CXType t)
{
	double share = 1;

	for (uint32_t i = 0; i < w->rank; i++) {
		double low, high, extent;

		t = u->clang->getCanonicalType(t);
		if (t.kind != CXType_ConstantArray)
			return -1;
		extent = (double)u->clang->getArraySize(t);
		low = w->box[i].low > 0 ? (double)w->box[i].low : 0;
		high = (double)w->box[i].high < extent - 1 ? (double)w->box[i].high : extent - 1;
		share *= high >= low && extent > 0 ? (high - low + 1) / extent : 0;
		t = u->clang->getArrayElementType(t);
	}
	return share;
}

struct bob_predict_share bob_c_share(struct bob_c_unit *u, const struct bob_c_lvalue *lv)
{
	const struct bob_c_variable *v = lv->variable;
	double sum = 0;

	if (!v || !v->is_wanted || (lv->is_through && !v->is_pointer))
		return unknown;
	for (uint32_t i = 0; i < u->options->request_count; i++) {
		const struct bob_source_c_request *w = &u->options->requests[i];
		double share;

		if (!bob_c_is_request_of(w, v))
			continue;
		if (!w->rank)
			return whole;
		share = part(u, w, v->canonical);
		if (lv->is_through || share < 0)
			return unknown;
		sum += share;
	}
	return (struct bob_predict_share){ sum < 1 ? sum : 1, sum < 1 ? sum : 1, false };
}

void bob_c_times(struct bob_c_unit *u, CXCursor statement)
{
	struct bob_predict *p = u->options->predict;
	uint32_t line;

	if (!p)
		return;
	line = bob_c_line(bob_c_span(u, statement).line);
	switch (u->clang->getCursorKind(statement)) {
	case CXCursor_ForStmt:
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt:
		bob_c_predict_enter(u, statement);
		u->often.times = bob_predict_come(p, line, u->often.times,
						  u->is_scan && bob_c_is_loop_event(u, statement));
		u->often.loop = bob_predict_loop(p, u->often.loop, u->often.times);
		if (u->often.times > 0)
			u->often.times *= bob_predict_trips(p, line, bob_c_trips(u, statement));
		break;
	default:
		u->often.times *= bob_predict_condition(p, line);
	}
}

void bob_c_walk_perhaps(struct bob_c_unit *u, CXCursor condition, CXCursor c)
{
	const struct bob_c_often often = u->often;

	bob_c_times(u, condition);
	bob_c_walk(u, c, BOB_C_VALUE);
	u->often = often;
}

void bob_c_predict_function(struct bob_c_unit *u, CXCursor function)
{
	enum bob_predict_kind kind = BOB_PREDICT_HELPER;

	if (u->clang->Location_isInSystemHeader(u->clang->getCursorLocation(function)))
		kind = BOB_PREDICT_LIBRARY;
	else if (!strcmp(u->function_name, "main"))
		kind = BOB_PREDICT_ENTRY;
	else if (bob_c_span(u, function).is_ours)
		kind = BOB_PREDICT_FUNCTION;
	bob_predict_unit(u->options->predict, bob_c_copies_name(u), kind);
	bob_predict_copy_of(u->options->predict, u->function_name);
	u->often = (struct bob_c_often){ .times = 1 };
}

/* Registers the loops of the function with bob_predict_has. */
static enum CXChildVisitResult see_loop(CXCursor c, CXCursor parent, CXClientData data)
{
	struct bob_c_unit *u = data;
	const enum CXCursorKind k = u->clang->getCursorKind(c);

	(void)parent;
	if (k == CXCursor_ForStmt || k == CXCursor_WhileStmt || k == CXCursor_DoStmt)
		bob_predict_has(u->options->predict, u->function_name,
				bob_c_line(bob_c_span(u, c).line));
	return CXChildVisit_Recurse;
}

static enum CXChildVisitResult see_function(CXCursor c, CXCursor parent, CXClientData data)
{
	struct bob_c_unit *u = data;

	(void)parent;
	if (u->clang->getCursorKind(c) != CXCursor_FunctionDecl ||
	    !u->clang->isCursorDefinition(c) || !bob_c_span(u, c).is_ours)
		return CXChildVisit_Continue;
	u->function_name = bob_c_spelling(u, c);
	u->clang->visitChildren(c, see_loop, u);
	u->function_name = "";
	return CXChildVisit_Continue;
}

void bob_c_predict_file(struct bob_c_unit *u)
{
	bob_predict_file(u->options->predict, u->path, BOB_PREDICT_C);
	if (u->options->predict)
		u->clang->visitChildren(u->clang->getTranslationUnitCursor(u->tu), see_function, u);
}

void bob_c_predict_own(struct bob_c_unit *u)
{
	bob_predict_own(u->options->predict, u->often.times, 1);
}

void bob_c_predict_site(struct bob_c_unit *u, CXCursor c, const struct bob_c_lvalue *lv,
			enum bob_c_use use)
{
	struct bob_predict_single s = { .loop = u->often.loop,
					.times = u->often.times,
					.accesses = use == BOB_C_UPDATE ? 2 : 1 };

	if (!u->options->predict)
		return;
	s.share = bob_c_share(u, lv);
	bob_c_predict_place(u, c, &s);
	bob_predict_single(u->options->predict, &s);
}

void bob_c_predict_declare(struct bob_c_unit *u)
{
	bob_predict_declare(u->options->predict, u->often.times);
}

void bob_c_predict_nest(const struct bob_c_nest *n)
{
	struct bob_predict *p = n->u->options->predict;
	struct bob_predict_nest reported = { .times = n->u->often.times, .rows = n->u->often.times,
					 .trips = 1, .probes = n->count, .depth = n->depth,
					 .looked = n->places,
					 .is_seen = true,
					 .share = { 0, 0, true } };

	if (!p)
		return;
	for (uint32_t d = 0; d < n->depth; d++) {
		const uint32_t line = bob_c_line(n->loop[d].line);

		reported.rows = bob_predict_come(p, line, reported.rows * reported.trips, false);
		reported.times = d ? reported.times : reported.rows;
		reported.trips = reported.rows > 0 ? bob_predict_trips(p, line, n->loop[d].trips) :
						     0;
	}
	reported.beside = reported.times * n->tested;
	for (uint32_t k = 0; k < n->count; k++) {
		const struct bob_predict_share s = bob_c_share(n->u, &n->access[k].lv);

		reported.accesses += n->access[k].use == BOB_C_UPDATE ? 2 : 1;
		reported.share.least += s.least / n->count;
		reported.share.most += s.most / n->count;
		reported.share.is_whole &= s.is_whole;
	}
	bob_predict_nest(p, &reported);
}
