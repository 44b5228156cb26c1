/* SPDX-License-Identifier: BSD-3-Clause */
/* Textual form of events with values and of their times. */
#include <inttypes.h>
#include <string.h>

#include "archive/dump.h"
#include "archive/events/user_key.h"
#include "base/ascii.h"

/* Letters, digits and _.:- are literal, other bytes %NN, so the text has no blanks. */
static void print_bytes(const void *bytes, size_t len, FILE *to)
{
	const char *p = bytes;

	for (size_t i = 0; i < len; i++)
		if (bob_is_word(p[i]) || (p[i] && strchr(".:-", p[i])))
			putc(p[i], to);
		else
			fprintf(to, "%%%02x", (uint8_t)p[i]);
}

static void print_user_key(const struct bob_user_key *k, enum bob_user_phase phase, FILE *to)
{
	static const char *const phases[BOB_USER_PHASES] = { "whole", "begin", "end", "instant",
							     "counter" };
	static const char *const types[BOB_USER_TYPES] = { "int", "double", "string" };

	fprintf(to, "%s,%u,", phases[phase], k->flags);
	print_bytes(k->name, strlen(k->name), to);
	putc('(', to);
	for (uint32_t i = 0; i < (uint32_t)k->in + k->out; i++)
		fprintf(to, "%s%s,%s",
			i == k->in ? "->" :
			i	   ? ";" :
				     "",
			types[k->type[i]], k->text + k->name_at[i]);
	putc(')', to);
}

static void print_key(const uint8_t *key, size_t len, FILE *to)
{
	struct bob_user_key k;
	enum bob_user_phase phase;

	if (bob_user_decode(key, len, &k, &phase) == BOB_OK) {
		print_user_key(&k, phase, to);
		return;
	}
	for (size_t i = 0; i < len; i++)
		fprintf(to, "%02x", key[i]);
	if (!len)
		putc('-', to);
}

static void print_places(const struct bob_trace *t, uint32_t process, const uint64_t *place,
			 uint32_t depth, FILE *to)
{
	for (uint32_t i = 0; i < depth; i++) {
		uint32_t image;
		uint64_t pc;

		bob_trace_place(t, process, place[i], &image, &pc);
		fputs(" @", to);
		bob_dump_address(t, process, image == 0xffff ? BOB_MEM_NO_IMAGE : image, pc, to);
	}
}

/* Blanks separate elements, but not the words of one element. */
static void print_vector(const struct bob_value_vector *v, FILE *to)
{
	fputs(" [", to);
	for (uint64_t i = 0; i < v->count; i++)
		for (uint32_t k = 0; k < v->words; k++)
			fprintf(to, "%s%" PRIu64, k ? "," : i ? " " : "", v->at[i * v->words + k]);
	putc(']', to);
}

static void print_text(const struct bob_value_vector *v, uint64_t bytes, FILE *to)
{
	const uint64_t there = 8 * v->count;

	fputs(" [", to);
	print_bytes(v->at, bytes < there ? bytes : there, to);
	putc(']', to);
}

/* Prints the strings of an event of the program's own. Returns 0 for other events. */
static int print_texts(const struct bob_value_event *e, FILE *to)
{
	struct bob_event_layout l;
	struct bob_user_key k;
	enum bob_user_phase phase;

	if (bob_user_decode(e->key, e->key_len, &k, &phase) != BOB_OK)
		return 0;
	bob_user_layout(&k, phase, &l);
	if (l.words != e->words || l.vectors != e->vectors)
		return 0;
	for (uint32_t i = 0; i < e->vectors; i++)
		print_text(&e->vector[i], e->word[l.vector[i].length], to);
	return 1;
}

static void print_values(const struct bob_trace *t, uint32_t process, uint64_t index,
			 const struct bob_value_event *e, FILE *to)
{
	fprintf(to, "%" PRIu64 " ", index);
	print_key(e->key, e->key_len, to);
	for (uint32_t i = 0; i < e->words; i++)
		fprintf(to, " %" PRIu64, e->word[i]);
	if (!print_texts(e, to))
		for (uint32_t i = 0; i < e->vectors; i++)
			print_vector(&e->vector[i], to);
	print_places(t, process, e->place, e->depth, to);
	fprintf(to, "%s%s\n", e->open ? " !open" : "", e->lost ? " !lost" : "");
}

bob_status bob_dump_values(const struct bob_trace *t, uint32_t thread, FILE *to)
{
	struct bob_value_cursor *c;
	struct bob_value_event e;
	uint64_t index = 0;
	bob_status st = bob_value_cursor_open(t, thread, BOB_VALUES_MPI, &c, NULL);

	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_OK : st;
	fputs("events\n", to);
	while ((st = bob_value_cursor_next(c, &e, NULL)) == BOB_OK || st == BOB_ERR_CORRUPT) {
		if (st == BOB_OK)
			print_values(t, t->threads[thread]->info.process, index++, &e, to);
		else
			fputs("damaged\n", to);
	}
	bob_value_cursor_close(c);
	return st == BOB_END ? BOB_OK : st;
}

/* --- moments --- */

bob_status bob_dump_spans(const struct bob_trace *t, uint32_t thread, FILE *to)
{
	struct bob_span_cursor *c;
	struct bob_value_span s;
	uint64_t index = 0;
	bob_status st = bob_span_cursor_open(t, thread, BOB_VALUES_MPI, &c, NULL);

	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_OK : st;
	fputs("moments\n", to);
	while ((st = bob_span_cursor_next(c, &s, NULL)) == BOB_OK) {
		fprintf(to, "%" PRIu64 " %" PRIu64 " ", index++, s.begin_ns);
		if (s.open)
			fputs("-\n", to);
		else
			fprintf(to, "%" PRIu64 "\n", s.end_ns);
	}
	if (st == BOB_ERR_CORRUPT)
		fputs("damaged\n", to);
	bob_span_cursor_close(c);
	return st == BOB_END || st == BOB_ERR_CORRUPT ? BOB_OK : st;
}

/* --- times --- */

struct times {
	const struct bob_trace *t;
	FILE *to;
	int begun;
};

static void print_site(const struct bob_trace *t, const struct bob_value_site *s, FILE *to)
{
	putc(' ', to);
	print_key(s->key, s->key ? s->key_len : 0, to);
	if (s->key)
		print_places(t, t->threads[s->thread]->info.process, s->place, s->depth, to);
}

static void print_extreme(const struct bob_trace *t, uint64_t ns, uint32_t thread, FILE *to)
{
	const struct bob_thread_info *th = &t->threads[thread]->info;

	fprintf(to, " %" PRIu64 " (%" PRIu32 ".%" PRIu32 ")", ns, th->process, th->number);
}

static void print_sums(const struct times *x, const char *what, const struct bob_value_times *v)
{
	uint32_t first = 0, last = BOB_VALUE_TIME_BINS;

	while (first + 1 < last && !v->bin[first])
		first++;
	while (last > first + 1 && !v->bin[last - 1])
		last--;
	fprintf(x->to, " %s", what);
	print_extreme(x->t, v->min_ns, v->min_thread, x->to);
	print_extreme(x->t, v->max_ns, v->max_thread, x->to);
	fprintf(x->to, " %" PRIu64 " 0x%" PRIx64 " 0x%" PRIx64 " %" PRIu32 ":", v->sum_ns,
		v->square[1], v->square[0], first);
	for (uint32_t i = first; i < last; i++)
		fprintf(x->to, "%s%" PRIu64, i > first ? "," : "", v->bin[i]);
}

static int print_pair(void *ctx, const struct bob_value_pair *p)
{
	struct times *x = ctx;

	if (!x->begun)
		fputs("times\n", x->to);
	x->begun = 1;
	fprintf(x->to, "%" PRIu64, p->count);
	print_site(x->t, &p->from, x->to);
	fputs(" >", x->to);
	print_site(x->t, &p->to, x->to);
	print_sums(x, "gap", &p->interval);
	print_sums(x, "duration", &p->duration);
	putc('\n', x->to);
	return 0;
}

static void dump_clocks(const struct bob_trace *t, FILE *to)
{
	for (uint32_t p = 0; p < t->process_count; p++) {
		struct bob_clock c;

		bob_trace_clock(t, p, &c);
		for (uint32_t i = 0; i < c.count; i++)
			fprintf(to, "clock %" PRIu32 " %" PRIu64 " %" PRId64 " %" PRIu64 "%s\n", p,
				c.at_ns[i], c.offset_ns[i], c.uncertainty_ns[i],
				c.same ? " same" : "");
	}
}

bob_status bob_archive_dump_times(const struct bob_trace *t, FILE *to)
{
	struct times x = { t, to, 0 };
	bob_status st;

	dump_clocks(t, to);
	st = bob_trace_value_times(t, BOB_VALUES_MPI, print_pair, &x);

	return st == BOB_OK && ferror(to) ? BOB_ERR_IO : st;
}
