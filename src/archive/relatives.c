/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders a trace's processes, finds their parents and heads, and relates the clocks of their
 * hosts. */
#include <stdlib.h>
#include <string.h>

#include "archive/keyed.h"
#include "archive/reader.h"
#include "base/order.h"

BOB_COMPARE_POINTERS(by_rank, struct bob_process,
		     BOB_UP(info.rank) BOB_UP(info.start_real_ns) BOB_UP(info.start_mono_ns)
			     BOB_TEXT(info.file))

/* --- parents --- */

/* The parent's file as named by the child; otherwise the latest process with that pid that began
 * before the child. */
static uint32_t find_parent(const struct bob_trace *t, const struct bob_keyed *pids,
			    const struct bob_process *child)
{
	const struct bob_file_head *h = &child->file->head;
	uint32_t pid = h->parent_seq != ~0u ? h->parent_pid : h->ppid, best = ~0u;
	uint64_t key = bob_key_of_pid(pid, child->info.host);
	const struct bob_keyed_entry *e = bob_keyed_first(pids, key);

	for (; bob_keyed_is(pids, e, key); e++) {
		const struct bob_process *p = t->processes[e->number];

		if (p == child || p->info.pid != pid || strcmp(p->info.host, child->info.host))
			continue;
		if (h->parent_seq != ~0u) {
			if (p->info.seq == h->parent_seq)
				return (uint32_t)e->number;
			continue;
		}
		if (p->info.start_mono_ns <= child->info.start_mono_ns &&
		    (best == ~0u || p->info.start_mono_ns > t->processes[best]->info.start_mono_ns))
			best = (uint32_t)e->number;
	}
	return best;
}

/* Numbers processes and their threads in order. */
static bob_status link_processes(struct bob_trace *t)
{
	struct bob_keyed pids;

	if (!bob_keyed_pids(&pids, t))
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < t->process_count; i++) {
		struct bob_process *p = t->processes[i];

		p->info.parent = find_parent(t, &pids, p);
		p->info.first_thread = (uint32_t)t->thread_count;
		p->info.thread_count = (uint32_t)p->stream_count;
		for (size_t k = 0; k < p->stream_count; k++) {
			p->streams[k]->info.process = (uint32_t)i;
			t->threads[t->thread_count++] = p->streams[k];
		}
	}
	bob_keyed_free(&pids);
	return BOB_OK;
}

/* --- clocks of hosts --- */

static void find_host(struct bob_trace *t, size_t i)
{
	struct bob_process *p = t->processes[i];
	const struct bob_process *first;
	size_t k = i ? t->processes[i - 1]->first_of_host : 0;

	if (i && strcmp(t->processes[k]->info.host, p->info.host))
		for (k = 0; k < i; k++)
			if (t->processes[k]->first_of_host == k &&
			    !strcmp(t->processes[k]->info.host, p->info.host))
				break;
	p->first_of_host = k;
	first = t->processes[k];
	p->real_less_mono = first->info.start_real_ns - first->info.start_mono_ns;
}

static void compare_clocks(struct bob_trace *t)
{
	t->begin_ns = UINT64_MAX;
	for (size_t i = 0; i < t->process_count; i++) {
		uint64_t ns;

		find_host(t, i);
		ns = t->processes[i]->info.start_mono_ns + t->processes[i]->real_less_mono;
		t->begin_ns = ns < t->begin_ns ? ns : t->begin_ns;
	}
}

uint64_t bob_trace_run_start(const struct bob_trace *t, uint32_t process)
{
	return process < t->process_count ? t->begin_ns - t->processes[process]->real_less_mono : 0;
}

/* --- heads --- */

/* A head must begin where the process's file does. */
static void link_head(struct bob_trace *t, const struct bob_keyed *names,
		      const struct bob_process *head)
{
	uint64_t key = bob_key_of_text(head->file->name);
	const struct bob_keyed_entry *e = bob_keyed_first(names, key);

	for (; !head->after_count && bob_keyed_is(names, e, key); e++)
		if (!strcmp(t->processes[e->number]->file->name, head->file->name))
			t->processes[e->number]->head = head;
}

static bob_status link_heads(struct bob_trace *t)
{
	struct bob_keyed names;

	if (!t->head_count)
		return BOB_OK;
	if (!bob_keyed_begin(&names, t->process_count))
		return BOB_ERR_NOMEM;
	for (size_t i = 0; i < t->process_count; i++) {
		const struct bob_process *p = t->processes[i];

		if (!p->file->outer && p->info.in_head)
			bob_keyed_add(&names, bob_key_of_text(p->file->name), i);
	}
	bob_keyed_sort(&names);
	for (size_t i = 0; i < t->head_count; i++)
		link_head(t, &names, t->heads[i]);
	bob_keyed_free(&names);
	return BOB_OK;
}

/* --- copies --- */

static int is_same_process(const struct bob_process *a, const struct bob_process *b)
{
	return a->info.pid == b->info.pid && a->info.seq == b->info.seq &&
	       a->info.start_mono_ns == b->info.start_mono_ns &&
	       a->info.start_real_ns == b->info.start_real_ns &&
	       !strcmp(a->info.host, b->info.host);
}

/* Files of the same process are adjacent in the order of processes. */
static void report_copies(struct bob_trace *t)
{
	for (size_t i = 1; i < t->process_count; i++)
		if (is_same_process(t->processes[i - 1], t->processes[i]))
			bob_problem_add(
				t, t->processes[i]->file, 0,
				"two files are of one process; their common data is counted twice",
				1);
}

bob_status bob_relatives_link(struct bob_trace *t)
{
	size_t n = 0;
	bob_status st = bob_worlds_build(t);

	if (st != BOB_OK)
		return st;
	if (t->process_count)
		qsort(t->processes, t->process_count, sizeof(*t->processes), by_rank);
	report_copies(t);
	for (size_t i = 0; i < t->process_count; i++)
		n += t->processes[i]->stream_count;
	t->threads = calloc(n + 1, sizeof(*t->threads));
	if (!t->threads)
		return BOB_ERR_NOMEM;
	compare_clocks(t);
	st = link_heads(t);
	if (st == BOB_OK)
		st = link_processes(t);
	if (st == BOB_OK)
		st = bob_ends_build(t);
	return st == BOB_OK ? bob_spawns_build(t) : st;
}
