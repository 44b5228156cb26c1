/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that were merged while they ran, in MPI_Finalize (heads): what their own files have in
 * addition. */
#include <stdlib.h>

#include "archive/folds.h"
#include "archive/merge/merging.h"

const struct bob_stream *bob_head_stream(const struct bob_process *p, const struct bob_stream *s)
{
	for (size_t k = 0; p->head && k < p->head->stream_count; k++)
		if (p->head->streams[k]->number == s->number)
			return p->head->streams[k];
	return NULL;
}

uint64_t bob_head_events(const struct bob_process *p, const struct bob_stream *s,
			 enum bob_content content)
{
	const struct bob_stream *h = bob_head_stream(p, s);
	const struct bob_folded *f;

	if (p->given)
		return bob_after_find(p->given, p->given_count, s->number, content);
	if (!h)
		return 0;
	f = content == BOB_CONTENT_MPI ? h->mpi.folded : h->folded;
	if (!f)
		return 0;
	return bob_folded_events(f,
				 content == BOB_CONTENT_MPI ? h->mpi.participant : h->participant);
}

const char *bob_archive_outer(const struct bob_trace *t, uint32_t process)
{
	const struct bob_process *p = process < t->process_count ? t->processes[process] : NULL;

	p = p && p->head ? p->head : p;
	return p && p->file->outer ? t->files[p->file->outer - 1].name : NULL;
}

struct left {
	const uint64_t *after;	/* by participant: events to omit */
	uint64_t seen;		/* events of the current participant */
	uint32_t participant;
};

static int is_after(void *ctx, uint32_t participant, const struct bob_fold_event *event)
{
	struct left *l = ctx;

	(void)event;
	if (participant != l->participant)
		*l = (struct left){ .after = l->after, .participant = participant };
	return l->seen++ >= l->after[participant];
}

bob_status bob_tail_make(const struct bob_folded *f, const uint64_t *after, struct bob_folded **out)
{
	struct left l = { .after = after };

	*out = NULL;
	for (uint32_t i = 0; i < bob_folded_count(f); i++) {
		if (after[i] > bob_folded_events(f, i))
			return BOB_ERR_CORRUPT;
		if (!bob_folded_parted(f, i, after[i]))
			return bob_folded_select(f, is_after, &l, &bob_alloc_malloc, out);
	}
	return BOB_OK;
}

bob_status bob_tail_of_merged(const struct bob_process *p, enum bob_content content,
			      const struct bob_folded *f, struct bob_folded **out)
{
	uint64_t *after = calloc(bob_folded_count(f) + 1ull, sizeof(*after));
	struct left l = { .after = after };
	bob_status st = BOB_ERR_NOMEM;

	for (size_t i = 0; after && i < p->stream_count; i++) {
		uint32_t participant;

		if (bob_participant_find(f, bob_merged_id(p, i), &participant))
			after[participant] = bob_head_events(p, p->streams[i], content);
	}
	if (after)
		st = bob_folded_select(f, is_after, &l, &bob_alloc_malloc, out);
	free(after);
	return st;
}
