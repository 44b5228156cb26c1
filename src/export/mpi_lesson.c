/* SPDX-License-Identifier: BSD-3-Clause */
/* First pass of message matching: reads the calls of all threads of a process to learn which thread
 * uses which channel (mpi_flows.h). */
#include "export/mpi_flows.h"

struct lesson {
	struct bob_mpi_flows *flows;
	uint32_t thread;	/* number in the process */
};

static bob_status learn_act(void *ctx, const struct bob_mpi_act *a)
{
	const struct lesson *l = ctx;
	const struct bob_mpi_arrival at = { .thread = l->thread };
	uint64_t id;

	return bob_mpi_flows_act(l->flows, a, &at, &id);
}

static bob_status learn_thread(struct lesson *l, const struct bob_trace *t, uint32_t thread,
			       struct bob_mpi_messages *messages)
{
	struct bob_mpi_reader *r;
	struct bob_mpi_call c;
	uint64_t made = 0;
	bob_status st = bob_mpi_reader_open(t, thread, &r, NULL);

	if (st != BOB_OK)
		return st == BOB_NONE ? BOB_OK : st;
	l->thread = bob_trace_thread(t, thread)->number;
	while ((st = bob_mpi_reader_next(r, &c, NULL)) == BOB_OK || st == BOB_ERR_CORRUPT) {
		if (st == BOB_ERR_CORRUPT)
			continue;
		st = bob_mpi_messages_take(messages, &c, l->thread, made, learn_act, l);
		if (st != BOB_OK)
			break;
		made += bob_mpi_requests_made(&c);
	}
	bob_mpi_reader_close(r);
	return st == BOB_END ? BOB_OK : st;
}

bob_status bob_mpi_flows_read(struct bob_mpi_flows *f, const struct bob_trace *t, uint32_t process,
			      const struct bob_mpi_objects *o)
{
	const struct bob_process_info *p = bob_trace_process(t, process);
	struct lesson l = { .flows = f };
	struct bob_mpi_messages *messages = NULL;
	bob_status st = bob_mpi_messages_create(o, &messages);

	bob_mpi_flows_learn(f, 1);
	for (uint32_t i = 0; st == BOB_OK && i < p->thread_count; i++)
		st = learn_thread(&l, t, p->first_thread + i, messages);
	bob_mpi_flows_end(f);
	bob_mpi_flows_learn(f, 0);
	bob_mpi_messages_destroy(messages);
	return st;
}
