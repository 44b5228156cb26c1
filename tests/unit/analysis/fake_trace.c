/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace in memory, for tests of code that reads traces. Implements what include/bobbin/trace.h
 * declares; the test includes this file, so the real reader is not linked. A thread is a string: an
 * upper-case letter enters function A..Z, its lower-case letter leaves it; a digit switches to that
 * stack; ! makes the next entry a signal handler's, ? an orphan; spaces mean nothing. Frames left
 * open stay open. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bobbin/trace.h"

#define FAKE_PROCESSES 4
#define FAKE_THREADS 8
#define FAKE_STACKS 10
#define FAKE_DEPTH 64

struct fake_process {
	struct bob_process_info info;
	struct bob_image_info images[2];
};

struct bob_trace {
	struct fake_process processes[FAKE_PROCESSES];
	struct bob_thread_info threads[FAKE_THREADS];
	const char *events[FAKE_THREADS];
	uint64_t repeat[FAKE_THREADS];
	struct bob_mark_info marks[FAKE_THREADS][4];
	size_t mark_count[FAKE_THREADS];
	uint32_t process_count, thread_count;
};

struct bob_cursor {
	const struct bob_trace *t;
	const char *p, *start;
	uint64_t rounds;
	uint64_t index;
	uint32_t stack, notes;
	uint32_t depth[FAKE_STACKS];
	struct bob_frame frames[FAKE_STACKS][FAKE_DEPTH];
	uint64_t entered[FAKE_STACKS][FAKE_DEPTH];
	uint32_t first_id;
	int reports_values;
};

static struct bob_trace fake;
static const char *const fake_argv[] = { "./app", "-x", NULL };
static const char fake_names[26][4] = { "A", "B", "C", "D", "E", "F", "G", "H", "I",
					"J", "K", "L", "M", "N", "O", "P", "Q", "R",
					"S", "T", "U", "V", "W", "X", "Y", "" };

/* A process with images "app" (A..M) and "libx.so" (N..Z), function A having id `first_id`. */
static void fake_process(uint32_t first_id, int32_t rank)
{
	struct fake_process *p = &fake.processes[fake.process_count++];

	memset(p, 0, sizeof(*p));
	p->info = (struct bob_process_info){ .pid = 100 + fake.process_count, .rank = rank,
					     .world_size = -1, .parent = ~0u,
					     .first_thread = fake.thread_count, .image_count = 2,
					     .state = 1, .stop_text = "", .host = "h",
					     .exe = "/bin/app", .argv = fake_argv, .cwd = "/",
					     .file = "p", .start_mono_ns = 1000 };
	p->images[0] = (struct bob_image_info){ .path = "/bin/app", .soname = "app",
						.first_id = first_id, .count = 13, .patched = 13,
						.build_id_len = 20, .chosen = 1 };
	p->images[1] = (struct bob_image_info){ .path = "/lib/libx.so", .soname = "libx.so",
						.first_id = first_id + 13, .count = 13,
						.patched = 13, .build_id_len = 20, .chosen = 1 };
}

/* A thread of the newest process that runs `events` `repeat` times. */
static void fake_thread_times(const char *events, uint64_t repeat)
{
	struct fake_process *p = &fake.processes[fake.process_count - 1];
	uint32_t i = fake.thread_count++;
	uint64_t n = 0;

	for (const char *s = events; *s; s++)
		n += isupper((unsigned char)*s) != 0;
	fake.threads[i] = (struct bob_thread_info){ .process = fake.process_count - 1,
						    .tid = 200 + i,
						    .number = p->info.thread_count++, .state = 1,
						    .codec = 1, .name = "t", .events = n * repeat,
						    .symbols = n * repeat,
						    .start_mono_ns = 1000 };
	fake.events[i] = events;
	fake.repeat[i] = repeat;
}

static inline void fake_thread(const char *events)
{
	fake_thread_times(events, 1);
}

static inline void fake_mark(uint64_t pos, uint64_t mono_ns)
{
	uint32_t i = fake.thread_count - 1;

	fake.marks[i][fake.mark_count[i]++] = (struct bob_mark_info){ pos, mono_ns };
}

static void fake_reset(void)
{
	memset(&fake, 0, sizeof(fake));
}

uint32_t bob_trace_process_count(const struct bob_trace *t)
{
	return t->process_count;
}

uint32_t bob_trace_thread_count(const struct bob_trace *t)
{
	return t->thread_count;
}

const struct bob_process_info *bob_trace_process(const struct bob_trace *t, uint32_t index)
{
	return index < t->process_count ? &t->processes[index].info : NULL;
}

uint64_t bob_trace_run_start(const struct bob_trace *t, uint32_t process)
{
	uint64_t start = UINT64_MAX;

	(void)process;
	for (uint32_t i = 0; i < t->process_count; i++)
		if (t->processes[i].info.start_mono_ns < start)
			start = t->processes[i].info.start_mono_ns;
	return start;
}

const struct bob_thread_info *bob_trace_thread(const struct bob_trace *t, uint32_t index)
{
	return index < t->thread_count ? &t->threads[index] : NULL;
}

const struct bob_image_info *bob_trace_image(const struct bob_trace *t, uint32_t process,
					     uint32_t image)
{
	return process < t->process_count && image < 2 ? &t->processes[process].images[image] :
							 NULL;
}

bob_status bob_trace_function_sized(const struct bob_trace *t, uint32_t process, uint32_t id,
				    struct bob_function_info *out, size_t out_size)
{
	uint32_t i = id - t->processes[process].images[0].first_id;

	memset(out, 0, out_size);
	if (i >= 26)
		return BOB_NONE;
	out->id = id;
	out->image = i / 13;
	out->name = fake_names[i];
	out->addr = 0x1000 + 16 * i;
	out->file = i == 1 ? "b.c" : "";
	out->line = i == 1 ? 7 : 0;
	out->skip = i == 12 ? 1 : 0;
	return BOB_OK;
}

const char *bob_skip_text(uint32_t skip)
{
	return skip ? "too short" : "";
}

size_t bob_trace_marks(const struct bob_trace *t, uint32_t thread,
		       const struct bob_mark_info **marks)
{
	*marks = t->marks[thread];
	return t->mark_count[thread];
}

bob_status bob_cursor_open(const struct bob_trace *t, uint32_t thread, struct bob_cursor **out,
			   struct bob_error *err)
{
	struct bob_cursor *c = calloc(1, sizeof(*c));

	(void)err;
	c->t = t;
	c->p = c->start = t->events[thread];
	c->rounds = t->repeat[thread];
	c->first_id = t->processes[t->threads[thread].process].images[0].first_id;
	*out = c;
	return BOB_OK;
}

static void fake_enter(struct bob_cursor *c, struct bob_event *ev, uint32_t id)
{
	uint32_t d = c->depth[c->stack]++;

	*ev =
		(struct bob_event){ c->index, c->index, BOB_EVENT_ENTRY, id,
				    d,	      c->stack, c->notes,	 0 };
	c->frames[c->stack][d] = (struct bob_frame){ id, c->notes, c->index };
	c->entered[c->stack][d] = c->index++;
	c->notes = 0;
}

void bob_cursor_enable_values(struct bob_cursor *c)
{
	c->reports_values = 1;
}

/* '#' makes the stream corrupt, '*' is a call of MPI function 7. */
bob_status bob_cursor_next(struct bob_cursor *c, struct bob_event *ev, struct bob_error *err)
{
	for (;;) {
		char ch = *c->p;

		if (!ch) {
			if (!c->rounds || !--c->rounds)
				return BOB_END;
			c->p = c->start;
			continue;
		}
		c->p++;
		if (isdigit((unsigned char)ch))
			c->stack = (uint32_t)(ch - '0');
		else if (ch == '!')
			c->notes |= BOB_NOTE_SIGNAL;
		else if (ch == '?')
			c->notes |= BOB_NOTE_ORPHAN;
		else if (ch == '#') {
			if (err)
				err->offset = 42;
			return BOB_ERR_CORRUPT;
		} else if (ch == '*' && c->reports_values) {
			*ev = (struct bob_event){ c->index, c->index, BOB_EVENT_VALUES,	7,
						  c->depth[c->stack], c->stack, 0, 0 };
			return BOB_OK;
		} else if (isupper((unsigned char)ch)) {
			fake_enter(c, ev, c->first_id + (uint32_t)(ch - 'A'));
			return BOB_OK;
		} else if (islower((unsigned char)ch)) {
			uint32_t d = --c->depth[c->stack];

			*ev = (struct bob_event){ c->index, c->entered[c->stack][d], BOB_EVENT_EXIT,
						  c->first_id + (uint32_t)(ch - 'a'), d, c->stack,
						  0, 0 };
			return BOB_OK;
		}
	}
}

const struct bob_frame *bob_cursor_stack(const struct bob_cursor *c, size_t *depth)
{
	*depth = c->depth[c->stack];
	return c->frames[c->stack];
}

void bob_cursor_close(struct bob_cursor *c)
{
	free(c);
}
