/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs that log their calls: each o_X calls MPI_X and then writes a line with the event
 * that a recorder must have, with the numbers of src/mpi/functions.txt; it numbers objects itself.
 * Lines go to ORACLE_DIR/RANK.THREAD. Without ORACLE_DIR nothing is written.
 * tests/e2e/mpi_events.py compares. Needs _GNU_SOURCE. */
#ifndef ORACLE_H
#define ORACLE_H

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RANKS 64
#define FIRST 256 /* number of the first handle that a call makes */

static __thread FILE *say_to;

static void say_open(int rank, int thread)
{
	const char *dir = getenv("ORACLE_DIR");
	char path[4096];

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/%d.%d", dir, rank, thread);
	say_to = fopen(path, "w");
	if (!say_to)
		abort();
}

static void say(const char *format, ...)
{
	va_list args;

	if (!say_to)
		return;
	va_start(args, format);
	vfprintf(say_to, format, args);
	va_end(args);
	fputc('\n', say_to);
	fflush(say_to); /* who is killed has said it */
}

/* [a,b,c], in one of a few buffers. */
static __thread char list_text[8][16384];
static __thread unsigned list_next;

static const char *list_of(const int *v, int n)
{
	char *t = list_text[list_next++ % 8];
	int at = sprintf(t, "[");

	for (int i = 0; i < n; i++)
		at += sprintf(t + at, "%s%d", i ? "," : "", v[i]);
	strcpy(t + at, "]");
	return t;
}

static int rank_number(int rank)
{
	return rank == MPI_ANY_SOURCE ? -1 :
	       rank == MPI_PROC_NULL  ? -2 :
	       rank == MPI_ROOT	      ? -3 :
					rank;
}

static const char *status_of(const MPI_Status *s, int bytes)
{
	char *t = list_text[list_next++ % 8];

	sprintf(t, "(%d,%d,%d)", rank_number(s->MPI_SOURCE), s->MPI_TAG, bytes);
	return t;
}

/* By no call of MPI: it would be recorded. */
static int bytes_of(const MPI_Status *s)
{
#ifdef OPEN_MPI
	return (int)s->_ucount;
#else
	return s->count_lo;
#endif
}

static int from_launcher(const char *openmpi, const char *mpich)
{
	const char *v = getenv(openmpi);

	if (!v)
		v = getenv(mpich);
	return v ? atoi(v) : 0;
}

static int own_rank(void)
{
	return from_launcher("OMPI_COMM_WORLD_RANK", "PMI_RANK");
}

static int world_size(void)
{
	return from_launcher("OMPI_COMM_WORLD_SIZE", "PMI_SIZE");
}

/* Of what does not receive. */
static const char *nothing = "(0,0,0)";

/* --- communicators --- */

struct comm {
	MPI_Comm h;
	long n;
	int size, me;
	int world[MAX_RANKS];	/* ranks in MPI_COMM_WORLD */
};

static long comms_made = FIRST, types_made = FIRST, groups_made = FIRST, wins_made = FIRST;

static const char *members_of(const struct comm *c)
{
	return list_of(c->world, c->size);
}

/* --- types --- */

struct type {
	MPI_Datatype h;
	char n[32];		/* name or number */
	int size;
};

static const struct type INT = { MPI_INT, "INT", 4 }, DOUBLE = { MPI_DOUBLE, "DOUBLE", 8 },
			 BYTE = { MPI_BYTE, "BYTE", 1 }, LONG = { MPI_LONG, "LONG", 8 };

/* --- requests --- */

struct req {
	MPI_Request h, first;	/* as it was made */
	long serial;
	int receives, persistent;
	struct req *next;
	int shared;		/* another one has the same handle */
	int thread;
};

static __thread long reqs_made;
static __thread struct req *outstanding;

/* The word of a request: how many were made since. */
static long req_word(const struct req *r)
{
	if (r->h == MPI_REQUEST_NULL)
		return 0;
	return r->shared ? 1 : 2 * (reqs_made - 1 - r->serial) + 2;
}

/* Is it one of MPI's predefined requests, which any number of calls return? Those of Open MPI are
 * in the library itself, other requests in allocated memory; those of MPICH are 0x6c000000 and a
 * kind. */
static int is_of_library(MPI_Request h)
{
#ifdef OPEN_MPI
	Dl_info info;

	return dladdr(h, &info) != 0;
#else
	return (h & ~0xff) == 0x6c000000;
#endif
}

/* Libraries have one handle for all that is complete at once: then it is not known whose it is. */
static long req_new(struct req *r, int receives)
{
	*r = (struct req){ .h = r->h,
			   .first = r->h,
			   .serial = reqs_made,
			   .receives = receives,
			   .next = outstanding };
	if (r->h == MPI_REQUEST_NULL)
		return 0;
	reqs_made++;
	r->shared = is_of_library(r->h);
	for (struct req *o = outstanding; o; o = o->next)
		if (o->first == r->h)
			o->shared = r->shared = 1;
	outstanding = r;
	return r->shared ? 1 : 2;
}

static void req_gone(struct req *r)
{
	for (struct req **p = &outstanding; *p; p = &(*p)->next)
		if (*p == r) {
			*p = r->next;
			return;
		}
}

/* Before a call that may complete some: their words; handles for the call. */
struct reqs {
	char words[4096];
	MPI_Request h[64];
	MPI_Status s[64];
	int receives[64];
};

static void reqs_before(struct reqs *q, struct req **r, int n)
{
	int at = sprintf(q->words, "[");

	for (int i = 0; i < n; i++) {
		at += sprintf(q->words + at, "%s%ld", i ? "," : "", req_word(r[i]));
		q->h[i] = r[i]->h;
		q->receives[i] = r[i]->receives && !r[i]->shared && r[i]->h != MPI_REQUEST_NULL;
	}
	strcpy(q->words + at, "]");
}

static void reqs_after(struct reqs *q, struct req **r, int n)
{
	for (int i = 0; i < n; i++) {
		if (r[i]->h != MPI_REQUEST_NULL && q->h[i] == MPI_REQUEST_NULL)
			req_gone(r[i]);
		r[i]->h = q->h[i];
	}
}

static int is_cancelled(const MPI_Status *s)
{
#ifdef OPEN_MPI
	return s->_cancelled;
#else
	return s->count_hi_and_cancelled & 1;
#endif
}

/* A cancelled receive is reported without a sender. */
static const char *req_status(const MPI_Status *s, int receives)
{
	return !receives ? nothing : is_cancelled(s) ? "(-2,-1,0)" : status_of(s, bytes_of(s));
}

static const char *statuses_of(const struct reqs *q, const int *index, int n)
{
	char *t = list_text[list_next++ % 8];
	char text[64][64];
	int at = 1;

	for (int i = 0; i < n; i++)
		strcpy(text[i], req_status(&q->s[i], q->receives[index ? index[i] : i]));
	strcpy(t, "[");
	for (int i = 0; i < n; i++)
		at += sprintf(t + at, "%s,", text[i]);
	strcpy(t + at, "]");
	return t;
}

/* --- point-to-point --- */

#define O_SEND(name)                                                                               \
	static void o_##name(const void *buf, int count, const struct type *t, int dest, int tag,  \
			     const struct comm *c)                                                 \
	{                                                                                          \
		int r = MPI_##name(buf, count, t->h, dest, tag, c->h);                             \
		say(#name " count=%d datatype=%s dest=%d tag=%d comm=%ld result=%d", count, t->n,  \
		    rank_number(dest), tag, c->n, r);                                              \
	}

O_SEND(Send)
O_SEND(Bsend)
O_SEND(Ssend)

static void o_Recv(void *buf, int count, const struct type *t, int source, int tag,
		   const struct comm *c, int ignore)
{
	MPI_Status s;
	int r = MPI_Recv(buf, count, t->h, source, tag, c->h, ignore ? MPI_STATUS_IGNORE : &s);

	/* if the status is ignored, source and tag are exact, and the size is the one received */
	if (ignore)
		s.MPI_SOURCE = source, s.MPI_TAG = tag;
	say("Recv count=%d datatype=%s source=%d tag=%d comm=%ld result=%d status=%s", count, t->n,
	    rank_number(source), tag, c->n, r, status_of(&s, ignore ? ignore : bytes_of(&s)));
}

static void o_Sendrecv(void *sbuf, int scount, const struct type *st, int dest, int stag,
		       void *rbuf, int rcount, const struct type *rt, int source, int rtag,
		       const struct comm *c)
{
	MPI_Status s;
	int r = MPI_Sendrecv(sbuf, scount, st->h, dest, stag, rbuf, rcount, rt->h, source, rtag,
			     c->h, &s);

	say("Sendrecv sendcount=%d sendtype=%s dest=%d sendtag=%d recvcount=%d recvtype=%s "
	    "source=%d recvtag=%d comm=%ld result=%d "
	    "status=%s",
	    scount, st->n, rank_number(dest), stag, rcount, rt->n, rank_number(source), rtag, c->n,
	    r, status_of(&s, bytes_of(&s)));
}

#define O_ISEND(name)                                                                              \
	static void o_##name(const void *buf, int count, const struct type *t, int dest, int tag,  \
			     const struct comm *c, struct req *q)                                  \
	{                                                                                          \
		int r = MPI_##name(buf, count, t->h, dest, tag, c->h, &q->h);                      \
		say(#name " count=%d datatype=%s dest=%d tag=%d comm=%ld result=%d request=%ld",   \
		    count, t->n, rank_number(dest), tag, c->n, r, req_new(q, 0));                  \
	}

O_ISEND(Isend)
O_ISEND(Issend)
O_ISEND(Send_init)

#define O_IRECV(name)                                                                              \
	static void o_##name(void *buf, int count, const struct type *t, int source, int tag,      \
			     const struct comm *c, struct req *q)                                  \
	{                                                                                          \
		int r = MPI_##name(buf, count, t->h, source, tag, c->h, &q->h);                    \
		say(#name " count=%d datatype=%s source=%d tag=%d comm=%ld result=%d request=%ld", \
		    count, t->n, rank_number(source), tag, c->n, r, req_new(q, 1));                \
	}

O_IRECV(Irecv)
O_IRECV(Recv_init)

static void o_Start(struct req *q)
{
	long w = req_word(q);
	int r = MPI_Start(&q->h);

	say("Start request=%ld result=%d", w, r);
}

static void o_Startall(struct req **v, int n)
{
	struct reqs q;
	int r;

	reqs_before(&q, v, n);
	r = MPI_Startall(n, q.h);
	say("Startall count=%d array_of_requests=%s result=%d", n, q.words, r);
}

static void o_Request_free(struct req *q)
{
	long w = req_word(q);
	int r = MPI_Request_free(&q->h);

	req_gone(q);
	say("Request_free request=%ld result=%d", w, r);
}

static void o_Cancel(struct req *q)
{
	long w = req_word(q);
	int r = MPI_Cancel(&q->h);

	say("Cancel request=%ld result=%d", w, r);
}

#include "oracle_complete.h"

/* --- communicators --- */

static void comm_world(struct comm *c)
{
	c->h = MPI_COMM_WORLD;
	c->n = 1;
	c->me = own_rank();
	c->size = world_size();
	for (int i = 0; i < c->size; i++)
		c->world[i] = i;
}

static void o_Comm_dup(const struct comm *c, struct comm *to)
{
	MPI_Comm h;
	int r = MPI_Comm_dup(c->h, &h);

	*to = *c;
	to->h = h;
	to->n = comms_made++;
	say("Comm_dup comm=%ld result=%d newcomm=%ld newcomm.members=%s", c->n, r, to->n,
	    members_of(to));
}

/* color_of and key_of of each rank of c. */
static void o_Comm_split(const struct comm *c, const int *color, const int *key, struct comm *to)
{
	int r = MPI_Comm_split(c->h, color[c->me], key[c->me], &to->h);

	to->size = 0;
	to->n = 0;
	to->me = -1;
	if (color[c->me] != MPI_UNDEFINED) {
		int order[MAX_RANKS];

		for (int i = 0; i < c->size; i++)
			if (color[i] == color[c->me]) {
				int at = to->size++;

				for (; at && key[order[at - 1]] > key[i]; at--)
					order[at] = order[at - 1];
				order[at] = i;
			}
		for (int i = 0; i < to->size; i++) {
			to->world[i] = c->world[order[i]];
			if (order[i] == c->me)
				to->me = i;
		}
		to->n = comms_made++;
	}
	say("Comm_split comm=%ld color=%d key=%d result=%d newcomm=%ld newcomm.members=%s", c->n,
	    color[c->me], key[c->me], r, to->n, members_of(to));
}

static void o_Comm_free(struct comm *c)
{
	int r = MPI_Comm_free(&c->h);

	say("Comm_free comm=%ld result=%d comm>=0", c->n, r);
	c->size = 0;
}

static void o_Barrier(const struct comm *c)
{
	int r = MPI_Barrier(c->h);

	say("Barrier comm=%ld result=%d", c->n, r);
}

#endif
