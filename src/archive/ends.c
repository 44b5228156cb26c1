/* SPDX-License-Identifier: BSD-3-Clause */
/* Exit states of processes, as recorded by the processes that waited for them (BOB_REC_WAITED). A
 * wait identifies a process by its pid, which may be reused. It refers to the newest process with
 * that pid on the host of the waiting process that began before the wait returned and descends from
 * the waiting process. The first such wait counts, because it frees the pid. */
#include <stdlib.h>
#include <string.h>

#include "archive/keyed.h"
#include "archive/reader.h"

#define GENERATIONS_MAX 64	/* from the waiting process to the one that ended */

/* The start of a process, or the return of a wait; sorted by key and time. */
struct moment {
	uint64_t key;		/* hash of pid and host: of the process, or of the one waited for */
	uint64_t ns;
	size_t process;		/* index; for a wait: of the waiting process */
	const struct bob_rec_waited *wait; /* NULL: start of a process */
};

static int by_key_and_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	if (!x->wait != !y->wait)
		return x->wait ? 1 : -1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->wait < y->wait ? -1 : x->wait > y->wait;
}

/* Orphans may be reaped by an ancestor (PR_SET_CHILD_SUBREAPER). */
static int descends_from(const struct bob_trace *t, const struct bob_process *p, uint32_t pid)
{
	for (int i = 0; i < GENERATIONS_MAX; i++) {
		if (p->info.ppid == pid)
			return 1;
		if (p->info.parent >= t->process_count)
			return 0;
		p = t->processes[p->info.parent];
	}
	return 0;
}

/* Does the wait refer to this process? Not if the process has replaced itself (exec): then it
 * refers to the new program, which has no file. */
static int is_meant(const struct bob_trace *t, const struct bob_process *p, const struct moment *m)
{
	const struct bob_process *waiter = t->processes[m->process];

	return p->info.pid == m->wait->pid && p->info.state != BOB_FILE_EXEC &&
	       p->info.end_mono_ns <= m->ns && !strcmp(p->info.host, waiter->info.host) &&
	       descends_from(t, p, waiter->info.pid);
}

static void go_through(struct bob_trace *t, const struct moment *m, size_t count)
{
	struct bob_process *newest = NULL;

	for (size_t i = 0; i < count; i++) {
		if (i && m[i].key != m[i - 1].key)
			newest = NULL;
		if (!m[i].wait) {
			newest = t->processes[m[i].process];
		} else if (newest && is_meant(t, newest, &m[i])) {
			if (newest->info.end_source != BOB_END_PARENT) {
				newest->info.end_source = BOB_END_PARENT;
				newest->info.end_status = m[i].wait->status;
			}
			newest = NULL;
		}
	}
}

static size_t collect(const struct bob_trace *t, struct moment *m)
{
	size_t count = 0;

	for (size_t i = 0; i < t->process_count; i++) {
		const struct bob_process *p = t->processes[i];

		m[count++] = (struct moment){ bob_key_of_pid(p->info.pid, p->info.host),
					      p->info.start_mono_ns, i, NULL };
		for (size_t k = 0; k < p->wait_count; k++) {
			const struct bob_rec_waited *w = &p->waits[k];

			m[count++] = (struct moment){ bob_key_of_pid(w->pid, p->info.host),
						      w->mono_ns, i, w };
		}
	}
	return count;
}

bob_status bob_ends_build(struct bob_trace *t)
{
	size_t waits = 0;
	struct moment *m;

	for (size_t i = 0; i < t->process_count; i++)
		waits += t->processes[i]->wait_count;
	if (!waits)
		return BOB_OK;
	m = calloc(t->process_count + waits, sizeof(*m));
	if (!m)
		return BOB_ERR_NOMEM;
	waits = collect(t, m);
	qsort(m, waits, sizeof(*m), by_key_and_time);
	go_through(t, m, waits);
	free(m);
	return BOB_OK;
}

bob_status bob_waits_read(struct bob_trace *t, struct bob_process *p, const uint8_t *bytes,
			  uint32_t len, uint64_t off)
{
	struct bob_rec_waited w;

	for (uint32_t at = 0; len - at >= sizeof(w); at += (uint32_t)sizeof(w)) {
		memcpy(&w, bytes + at, sizeof(w));
		if (!w.pid || w.pid > INT32_MAX || !bob_status_is_end(w.status)) {
			bob_problem_add(t, p->file, off, "a record of a wait is impossible", 1);
			continue;
		}
		if (bob_array_reserve(&p->waits, p->wait_count, &p->wait_cap, sizeof(w)))
			return BOB_ERR_NOMEM;
		p->waits[p->wait_count++] = w;
	}
	return BOB_OK;
}
