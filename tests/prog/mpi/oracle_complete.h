/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of oracle.h about completion of requests, and about probes of messages. */
/* --- completion --- */

static void o_Wait(struct req *q)
{
	struct reqs a;
	int r;

	reqs_before(&a, &q, 1);
	a.words[strlen(a.words) - 1] = 0;
	r = MPI_Wait(a.h, a.s);
	say("Wait request=%s result=%d status=%s", a.words + 1, r, req_status(a.s, a.receives[0]));
	reqs_after(&a, &q, 1);
}

static int o_Test(struct req *q)
{
	struct reqs a;
	int r, flag;

	reqs_before(&a, &q, 1);
	a.words[strlen(a.words) - 1] = 0;
	r = MPI_Test(a.h, &flag, a.s);
	say("Test request=%s result=%d flag=%d status=%s", a.words + 1, r, flag,
	    flag ? req_status(a.s, a.receives[0]) : nothing);
	reqs_after(&a, &q, 1);
	return flag;
}

static void o_Waitall(struct req **v, int n, int ignore)
{
	struct reqs a;
	int r;

	reqs_before(&a, v, n);
	r = MPI_Waitall(n, a.h, a.s);
	(void)ignore;
	say("Waitall count=%d array_of_requests=%s result=%d array_of_statuses=%s", n, a.words, r,
	    statuses_of(&a, NULL, n));
	reqs_after(&a, v, n);
}

static int o_Testall(struct req **v, int n)
{
	struct reqs a;
	int r, flag;

	reqs_before(&a, v, n);
	r = MPI_Testall(n, a.h, &flag, a.s);
	say("Testall count=%d array_of_requests=%s result=%d flag=%d array_of_statuses=%s", n,
	    a.words, r, flag, statuses_of(&a, NULL, flag ? n : 0));
	reqs_after(&a, v, n);
	return flag;
}

static int o_Waitany(struct req **v, int n)
{
	struct reqs a;
	int r, index;

	reqs_before(&a, v, n);
	r = MPI_Waitany(n, a.h, &index, a.s);
	say("Waitany count=%d array_of_requests=%s result=%d index=%d status=%s", n, a.words, r,
	    index, req_status(a.s, index >= 0 && a.receives[index]));
	reqs_after(&a, v, n);
	return index;
}

static int o_Testany(struct req **v, int n, int *flag)
{
	struct reqs a;
	int r, index;

	reqs_before(&a, v, n);
	r = MPI_Testany(n, a.h, &index, flag, a.s);
	say("Testany count=%d array_of_requests=%s result=%d index=%d flag=%d status=%s", n,
	    a.words, r, index, *flag,
	    *flag ? req_status(a.s, index >= 0 && a.receives[index]) : nothing);
	reqs_after(&a, v, n);
	return index;
}

#define O_SOME(name)                                                                               \
	static int o_##name(struct req **v, int n)                                                 \
	{                                                                                          \
		struct reqs a;                                                                     \
		int r, out, index[64];                                                             \
                                                                                                   \
		reqs_before(&a, v, n);                                                             \
		r = MPI_##name(n, a.h, &out, index, a.s);                                          \
		say(#name " incount=%d array_of_requests=%s result=%d outcount=%d "                \
			  "array_of_indices=%s array_of_statuses=%s",                              \
		    n, a.words, r, out, list_of(index, out > 0 ? out : 0),                         \
		    statuses_of(&a, index, out > 0 ? out : 0));                                    \
		reqs_after(&a, v, n);                                                              \
		return out;                                                                        \
	}

O_SOME(Waitsome)
O_SOME(Testsome)

static void o_Probe(int source, int tag, const struct comm *c, MPI_Status *s)
{
	int r = MPI_Probe(source, tag, c->h, s);

	say("Probe source=%d tag=%d comm=%ld result=%d status=%s", rank_number(source), tag, c->n,
	    r, status_of(s, bytes_of(s)));
}

static int o_Iprobe(int source, int tag, const struct comm *c, MPI_Status *s)
{
	int flag, r = MPI_Iprobe(source, tag, c->h, &flag, s);

	say("Iprobe source=%d tag=%d comm=%ld result=%d flag=%d status=%s", rank_number(source),
	    tag, c->n, r, flag, flag ? status_of(s, bytes_of(s)) : nothing);
	return flag;
}

static long messages_made = FIRST;

static long o_Mprobe(int source, int tag, const struct comm *c, MPI_Message *m)
{
	MPI_Status s;
	int r = MPI_Mprobe(source, tag, c->h, m, &s);
	long n = *m == MPI_MESSAGE_NO_PROC ? 1 : messages_made++;

	say("Mprobe source=%d tag=%d comm=%ld result=%d message=%ld status=%s", rank_number(source),
	    tag, c->n, r, n, status_of(&s, bytes_of(&s)));
	return n;
}

static void o_Mrecv(void *buf, int count, const struct type *t, MPI_Message *m, long n)
{
	MPI_Status s;
	int r = MPI_Mrecv(buf, count, t->h, m, &s);

	say("Mrecv count=%d datatype=%s message=%ld result=%d message>=0 status=%s", count, t->n, n,
	    r, status_of(&s, bytes_of(&s)));
}
