/* SPDX-License-Identifier: BSD-3-Clause */
/* Call traces as Trace Event Format JSON. Threads are written one by one, each in event order, so
 * times never decrease; a cursor over the marks converts positions to times. Viewers cannot load
 * large files, so max_events is divided among the threads. */
#include <inttypes.h>

#include "export/export.h"
#include "table/json.h"

/* Converts positions to times; positions must not decrease. */
struct clock {
	const struct bob_mark_info *marks;
	size_t count, next;
	uint64_t start_ns;	/* of the run */
	uint64_t thread_ns;	/* start of the thread: time of position 0, in ns */
	uint64_t last_ns;
};

static uint64_t between(uint64_t pos, uint64_t pos0, uint64_t ns0, const struct bob_mark_info *m)
{
	if (m->pos <= pos0 || m->mono_ns <= ns0)
		return ns0;
	return ns0 + (uint64_t)((double)(m->mono_ns - ns0) *
				((double)(pos - pos0) / (double)(m->pos - pos0)));
}

static uint64_t time_of(struct clock *c, uint64_t pos)
{
	const struct bob_mark_info *m = c->marks;
	uint64_t ns;

	if (!c->count)
		return c->thread_ns + 1000 * pos;
	while (c->next < c->count && m[c->next].pos <= pos)
		c->next++;
	if (c->next == c->count)
		ns = m[c->count - 1].mono_ns;
	else if (c->next == 0)
		ns = between(pos, 0, c->thread_ns, &m[0]);
	else
		ns = between(pos, m[c->next - 1].pos, m[c->next - 1].mono_ns, &m[c->next]);
	if (ns < c->last_ns)
		ns = c->last_ns;
	c->last_ns = ns;
	return ns;
}

static void put_event(struct bob_export *x, const struct bob_thread_info *th, const char *phase,
		      const char *name, uint64_t ns)
{
	struct bob_json j = { .out = x->out, .dense = 1, .depth = 1, .first = 1 };

	fputs(",\n", x->out);
	bob_json_object(&j, NULL);
	bob_json_string(&j, "ph", phase);
	bob_json_uint(&j, "pid", th->process);
	bob_json_uint(&j, "tid", th->number);
	if (name)
		bob_json_string(&j, "name", name);
	fprintf(x->out, ",\"ts\":%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
	bob_json_end(&j, '}');
}

static void put_label(struct bob_export *x, const struct bob_thread_info *th, const char *kind,
		      const char *label)
{
	struct bob_json j = { .out = x->out, .dense = 1, .depth = 1, .first = 1 };

	fputs(",\n", x->out);
	bob_json_object(&j, NULL);
	bob_json_string(&j, "ph", "M");
	bob_json_uint(&j, "pid", th->process);
	bob_json_uint(&j, "tid", th->number);
	bob_json_string(&j, "name", kind);
	bob_json_object(&j, "args");
	bob_json_string(&j, "name", label);
	bob_json_end(&j, '}');
	bob_json_end(&j, '}');
}

static void put_labels(struct bob_export *x, const struct bob_thread_info *th)
{
	const struct bob_process_info *p = bob_trace_process(x->trace, th->process);
	char text[320];

	if (p->rank >= 0)
		snprintf(text, sizeof(text), "rank %" PRId32 " %s (pid %" PRIu32 ")", p->rank,
			 p->exe, p->pid);
	else
		snprintf(text, sizeof(text), "%s (pid %" PRIu32 ")", p->exe, p->pid);
	put_label(x, th, "process_name", text);
	snprintf(text, sizeof(text), "%s (tid %" PRIu32 ")", th->name, th->tid);
	put_label(x, th, "thread_name", text);
}

/* Writes at most `budget` entries. Slices that are open at the end get the last time as end. */
static bob_status put_thread(struct bob_export *x, uint32_t thread, uint64_t budget)
{
	const struct bob_thread_info *th = bob_trace_thread(x->trace, thread);
	struct clock clock = { .start_ns = bob_trace_run_start(x->trace, th->process),
			       .thread_ns = th->start_mono_ns };
	uint64_t open = 0, done = 0, ns = 0;
	struct bob_cursor *c;
	struct bob_event ev;
	bob_status st = bob_cursor_open(x->trace, thread, &c, x->err), damage = BOB_OK;

	if (st != BOB_OK)
		return st;
	clock.count = bob_trace_marks(x->trace, thread, &clock.marks);
	if (clock.thread_ns < clock.start_ns)
		clock.thread_ns = clock.start_ns;
	put_labels(x, th);
	for (;;) {
		st = bob_cursor_next(c, &ev, damage == BOB_OK ? x->err : NULL);
		if (st == BOB_ERR_CORRUPT) {	/* intact events may follow */
			damage = st;
			continue;
		}
		if (st != BOB_OK)
			break;
		if (ev.kind == BOB_EVENT_ENTRY && done == budget)
			break;
		ns = time_of(&clock, ev.pos);
		ns = ns > clock.start_ns ? ns - clock.start_ns : 0;
		if (ev.kind == BOB_EVENT_EXIT) {
			if (open) {
				open--;
				put_event(x, th, "E", NULL, ns);
			}
			continue;
		}
		done++;
		open++;
		put_event(x, th, "B",
			  x->name(x->ctx, bob_functions_number(x->functions, th->process, ev.id)),
			  ns);
		if (!(done & 0xfffff) && x->progress && x->progress->tick)
			x->progress->tick(x->progress->ctx, 0x100000);
	}
	while (open-- > 0)
		put_event(x, th, "E", NULL, ns);
	bob_cursor_close(c);
	if (st == BOB_OK)
		x->cut_events += th->events - done;
	return st == BOB_END || st == BOB_OK ? damage : st;
}

/* Entries per thread: the largest limit for which the sum over all threads is at most max_events.
 * Threads with fewer entries are written completely. */
static uint64_t thread_budget(const struct bob_export *x)
{
	uint64_t lo = 1, hi = x->max_events;

	if (!x->max_events)
		return UINT64_MAX;
	while (lo < hi) {
		uint64_t cap = hi - (hi - lo) / 2, sum = 0;

		for (uint32_t i = 0; i < x->thread_count && sum <= x->max_events; i++) {
			uint64_t n = bob_trace_thread(x->trace, x->threads[i])->events;

			sum += n < cap ? n : cap;
		}
		if (sum <= x->max_events)
			lo = cap;
		else
			hi = cap - 1;
	}
	return lo;
}

bob_status bob_export_chrome(struct bob_export *x)
{
	uint64_t budget = thread_budget(x);
	bob_status first = BOB_OK;

	x->cut_events = 0;
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
	      "{\"ph\":\"M\",\"pid\":0,\"name\":\"trace_source\",\"args\":{\"name\":\"bobbin\"}}",
	      x->out);
	for (uint32_t i = 0; i < x->thread_count; i++) {
		bob_status st = put_thread(x, x->threads[i], budget);

		if (st != BOB_OK && first == BOB_OK)
			first = st;
	}
	fputs("\n]}\n", x->out);
	return first;
}
