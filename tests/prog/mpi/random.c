/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs without deadlocks: `random FIRST COUNT` runs those of COUNT seeds, one after the
 * other. All ranks draw the same numbers, so each knows what the others do. With RANDOM_FIXED in
 * the environment two runs have the same calls: nothing is polled, and the order of completions
 * does not show. Results are checked, to detect a recorder that breaks messages. */
#define _GNU_SOURCE
#include <sched.h>

#include "oracle.h"

static unsigned long long state;
static int fixed;

static int draw(int below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return below > 0 ? (int)((state >> 33) % (unsigned)below) : 0;
}

#define SLOTS 6
#define CAPACITY 4096
static struct comm comms[SLOTS];	/* 0: the world; size 0: not there */
static struct type derived;		/* size 0: not there */
static char in[16][CAPACITY], out[16][CAPACITY];
static int op;				/* which operation of the program: gives tags */

static struct type any_type(void)
{
	switch (draw(derived.size ? 5 : 4)) {
	case 0:
		return INT;
	case 1:
		return DOUBLE;
	case 2:
		return BYTE;
	case 3:
		return LONG;
	default:
		return derived;
	}
}

static void require(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "random: operation %d: %s\n", op, what);
		MPI_Abort(MPI_COMM_WORLD, 9);
	}
}

static void one_message(const struct comm *c)
{
	struct type t = any_type();
	int a = draw(c->size), b = draw(c->size), n = draw(30), how = draw(3), way = draw(6),
	    tag = op * 8;
	MPI_Message m;
	MPI_Status s;

	if (a == b)
		b = MPI_PROC_NULL;
	if (c->me == a) {
		if (how == 0)
			o_Send(out[0], n, &t, b, tag, c);
		else if (how == 1 && b != MPI_PROC_NULL)
			o_Ssend(out[0], n, &t, b, tag, c);
		else
			o_Send(out[0], n, &t, b, tag, c);
	}
	if (c->me != b)
		return;
	if (way == 0) {
		o_Recv(in[0], n, &t, a, tag, c, 0);
	} else if (way == 1) {
		o_Recv(in[0], n + 3, &t, MPI_ANY_SOURCE, tag, c, 0);
	} else if (way == 2) {
		o_Recv(in[0], n + 1, &t, a, MPI_ANY_TAG, c, 0);
	} else if (way == 3) {
		o_Probe(MPI_ANY_SOURCE, tag, c, &s);
		o_Recv(in[0], n, &t, s.MPI_SOURCE, s.MPI_TAG, c, 0);
	} else if (way == 4 && !fixed) {
		while (!o_Iprobe(a, tag, c, &s))
			sched_yield();
		o_Recv(in[0], n, &t, a, tag, c, n * t.size);
	} else {
		long number = o_Mprobe(a, MPI_ANY_TAG, c, &m);

		o_Mrecv(in[0], n, &t, &m, number);
	}
}

static void ring(const struct comm *c)
{
	struct type t = any_type();
	int d = draw(c->size), n = draw(20), tag = op * 8 + 1;

	o_Sendrecv(out[0], n, &t, (c->me + d) % c->size, tag, in[0], n, &t,
		   (c->me - d + c->size) % c->size, tag, c);
}

/* All neighbours at distances 1..k, then one of the ways to complete. */
static void exchange(const struct comm *c)
{
	struct type t = any_type();
	int k = 1 + draw(3), n = draw(20), way = draw(8), tag = op * 8 + 2, any = draw(2),
	    count = 0, flag, left;
	struct req q[8], *v[8];

	for (int i = 0; i < k; i++) {
		v[count] = &q[count];
		o_Irecv(in[i], n, &t,
			any ? MPI_ANY_SOURCE : (c->me - i - 1 + 4 * c->size) % c->size, tag + i, c,
			&q[count]);
		count++;
	}
	for (int i = 0; i < k; i++) {
		v[count] = &q[count];
		(draw(2) ? o_Isend : o_Issend)(out[i], n, &t, (c->me + i + 1) % c->size, tag + i, c,
					       &q[count]);
		count++;
	}
	if (draw(3) == 0) { /* requests in another order */
		struct req *first = v[0];

		v[0] = v[count - 1];
		v[count - 1] = first;
	}
	left = count;
	switch (fixed && way ? 7 : way) {
	case 0:
		o_Waitall(v, count, 0);
		break;
	case 1:
		while (o_Waitany(v, count) != MPI_UNDEFINED)
			;
		break;
	case 2:
		while ((flag = o_Waitsome(v, count)) != MPI_UNDEFINED)
			;
		break;
	case 3:
		while (!o_Testall(v, count))
			sched_yield();
		break;
	case 4:
		for (int i = 0; i < count; i++)
			while (!o_Test(v[i]))
				sched_yield();
		break;
	case 5:
		while (left) {
			int index = o_Testany(v, count, &flag);

			left -= flag && index != MPI_UNDEFINED;
			sched_yield();
		}
		break;
	case 6:
		while (left) {
			left -= o_Testsome(v, count);
			sched_yield();
		}
		break;
	default:
		for (int i = count; i-- > 0;)
			o_Wait(v[i]);
	}
}

static void persistent(const struct comm *c)
{
	struct type t = any_type();
	int n = draw(10), cycles = 1 + draw(4), all = draw(2), tag = op * 8 + 5;
	struct req s, r, *v[2] = { &s, &r };

	o_Send_init(out[0], n, &t, (c->me + 1) % c->size, tag, c, &s);
	o_Recv_init(in[0], n, &t, (c->me + c->size - 1) % c->size, tag, c, &r);
	for (int i = 0; i < cycles; i++) {
		if (all) {
			o_Startall(v, 2);
			o_Waitall(v, 2, 0);
		} else {
			o_Start(&r);
			o_Start(&s);
			o_Wait(&s);
			o_Wait(&r);
		}
	}
	o_Request_free(&s);
	o_Request_free(&r);
}

static void collective(const struct comm *c)
{
	int n = 1 + draw(8), root = draw(c->size), in_place = draw(2), at = c->me == root, r,
	    how = draw(12);
	int *a = (int *)out[1], *b = (int *)in[1];
	int counts[MAX_RANKS], displs[MAX_RANKS], turned[MAX_RANKS], turned_displs[MAX_RANKS];

	for (int i = 0, sum = 0; i < c->size; i++) {
		counts[i] = draw(5);
		displs[i] = sum;
		sum += counts[i];
	}
	for (int i = 0; i < c->size; i++) { /* the recorded order begins with the process itself */
		turned[i] = counts[c->me];	/* what I send to each */
		turned_displs[i] = 0;
	}
	a[0] = c->me + 1;
	switch (how) {
	case 0:
		o_Barrier(c);
		break;
	case 1:
		b[0] = at ? 77 : 0;
		r = MPI_Bcast(b, n, MPI_INT, root, c->h);
		say("Bcast count=%d datatype=INT root=%d comm=%ld result=%d buffer=2", n, root,
		    c->n, r);
		require(b[0] == 77, "Bcast");
		break;
	case 2:
		if (in_place)
			b[0] = c->me + 1;
		r = MPI_Allreduce(in_place ? MPI_IN_PLACE : a, b, n, MPI_INT, MPI_SUM, c->h);
		say("Allreduce sendbuf=%d recvbuf=2 count=%d datatype=INT op=SUM comm=%ld "
		    "result=%d",
		    in_place ? 1 : 2, n, c->n, r);
		require(b[0] == c->size * (c->size + 1) / 2, "Allreduce");
		break;
	case 3:
		if (in_place && at)
			b[0] = c->me + 1;
		r = MPI_Reduce(in_place && at ? MPI_IN_PLACE : a, at ? b : (void *)8, n, MPI_INT,
			       MPI_MAX, root, c->h);
		say("Reduce sendbuf=%d recvbuf=%d count=%d datatype=INT op=MAX root=%d comm=%ld "
		    "result=%d",
		    in_place && at ? 1 : 2, at ? 2 : 0, n, root, c->n, r);
		require(!at || b[0] == c->size, "Reduce");
		break;
	case 4:
		/* what is not the root's may be anything */
		if (in_place && at)
			r = MPI_Gather(MPI_IN_PLACE, 12345, MPI_DATATYPE_NULL, b, n, MPI_INT, root,
				       c->h);
		else if (at)
			r = MPI_Gather(a, n, MPI_INT, b, n, MPI_INT, root, c->h);
		else
			r = MPI_Gather(a, n, MPI_INT, (void *)16, -5, MPI_DATATYPE_NULL, root,
				       c->h);
		say("Gather sendbuf=%d sendcount=%d sendtype=%s recvbuf=%d recvcount=%d "
		    "recvtype=%s root=%d comm=%ld result=%d",
		    in_place && at ? 1 : 2, in_place && at ? 0 : n, in_place && at ? "0" : "INT",
		    at ? 2 : 0, at ? n : 0, at ? "INT" : "0", root, c->n, r);
		break;
	case 5:
		if (at)
			r = MPI_Scatterv(b, counts, displs, MPI_INT, in_place ? MPI_IN_PLACE : a,
					 in_place ? 99 : counts[c->me],
					 in_place ? MPI_DATATYPE_NULL : MPI_INT, root, c->h);
		else
			r = MPI_Scatterv((void *)24, (int *)8, (int *)16, MPI_DATATYPE_NULL, a,
					 counts[c->me], MPI_INT, root, c->h);
		say("Scatterv sendcounts=%s displs=%s sendtype=%s recvcount=%d recvtype=%s "
		    "root=%d comm=%ld result=%d",
		    at ? list_of(counts, c->size) : "[]", at ? list_of(displs, c->size) : "[]",
		    at ? "INT" : "0", in_place && at ? 0 : counts[c->me],
		    in_place && at ? "0" : "INT", root, c->n, r);
		break;
	case 6:
		r = MPI_Allgatherv(a, counts[c->me], MPI_INT, b, counts, displs, MPI_INT, c->h);
		say("Allgatherv sendcount=%d sendtype=INT recvcounts=%s displs=%s recvtype=INT "
		    "comm=%ld result=%d",
		    counts[c->me], list_of(counts, c->size), list_of(displs, c->size), c->n, r);
		break;
	case 7: {
		int order[MAX_RANKS], order_displs[MAX_RANKS];

		r = MPI_Alltoallv(a, turned, turned_displs, MPI_INT, b, counts, displs, MPI_INT,
				  c->h);
		for (int i = 0; i < c->size; i++) {
			order[i] = counts[(c->me + i) % c->size];
			order_displs[i] = displs[(c->me + i) % c->size];
		}
		say("Alltoallv sendcounts=%s sdispls=%s sendtype=INT recvcounts=%s rdispls=%s "
		    "recvtype=INT comm=%ld result=%d",
		    list_of(turned, c->size), list_of(turned_displs, c->size),
		    list_of(order, c->size), list_of(order_displs, c->size), c->n, r);
		break;
	}
	case 8: {
		struct req q;

		r = MPI_Iallreduce(a, b, n, MPI_INT, MPI_MIN, c->h, &q.h);
		say("Iallreduce count=%d datatype=INT op=MIN comm=%ld result=%d request=%ld", n,
		    c->n, r, req_new(&q, 0));
		o_Wait(&q);
		require(b[0] == 1, "Iallreduce");
		break;
	}
	case 9: {
		struct req q;

		r = MPI_Ibarrier(c->h, &q.h);
		say("Ibarrier comm=%ld result=%d request=%ld", c->n, r, req_new(&q, 0));
		if (fixed)
			o_Wait(&q);
		else
			while (!o_Test(&q))
				sched_yield();
		break;
	}
	case 10:
		r = MPI_Scan(a, b, n, MPI_INT, MPI_SUM, c->h);
		say("Scan count=%d datatype=INT op=SUM comm=%ld result=%d", n, c->n, r);
		require(b[0] == (c->me + 1) * (c->me + 2) / 2, "Scan");
		break;
	default:
		r = MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, c->h);
		say("Reduce_scatter recvcounts=%s datatype=INT op=SUM comm=%ld result=%d",
		    list_of(counts, c->size), c->n, r);
	}
}

static void communicators(int slot)
{
	int to = 1 + draw(SLOTS - 1), dup = draw(2), colours = 1 + draw(3),
	    undefined = draw(4) == 0;
	int color[MAX_RANKS], key[MAX_RANKS];
	struct comm made, *c = &comms[slot];

	for (int i = 0; i < MAX_RANKS; i++) {
		color[i] = draw(undefined ? colours + 1 : colours);
		key[i] = draw(5);
		if (color[i] == colours)
			color[i] = MPI_UNDEFINED;
	}
	if (slot != to && comms[to].size)
		o_Comm_free(&comms[to]); /* by all that have it */
	if (!c->size)
		return;
	if (dup)
		o_Comm_dup(c, &made);
	else
		o_Comm_split(c, color, key, &made);
	if (slot == to)
		o_Comm_free(c);
	comms[to] = made;
}

static void types(void)
{
	int n, r, vector;

	n = 1 + draw(4);
	vector = draw(2);
	if (derived.size) {
		r = MPI_Type_free(&derived.h);
		say("Type_free datatype=%s result=%d datatype>=0", derived.n, r);
		derived.size = 0;
		return;
	}
	derived.size = n * (vector ? 2 : 1) * 4;
	sprintf(derived.n, "%ld", types_made++);
	if (vector) {
		r = MPI_Type_vector(n, 2, 3, MPI_INT, &derived.h);
		say("Type_vector count=%d blocklength=2 stride=3 oldtype=INT result=%d "
		    "newtype=%s newtype.size=%d",
		    n, r, derived.n, derived.size);
	} else {
		r = MPI_Type_contiguous(n, MPI_INT, &derived.h);
		say("Type_contiguous count=%d oldtype=INT result=%d newtype=%s newtype.size=%d", n,
		    r, derived.n, derived.size);
	}
	r = MPI_Type_commit(&derived.h);
	say("Type_commit datatype=%s result=%d datatype>=%s", derived.n, r, derived.n);
}

static void one(int seed, int number, int repeated)
{
	int slot, what;

	op = number;
	/* each operation draws from its own numbers: who is not in it need not draw */
	state = ((unsigned long long)seed << 20 | (unsigned)number) * 0x9e3779b97f4a7c15ull;
	for (int i = 0; i < 4; i++)
		draw(1);
	slot = draw(SLOTS);
	what = draw(12);
	if (what == 0) {
		if (!repeated)
			communicators(slot);
	} else if (what == 1) {
		if (!repeated)
			types();
	} else if (!comms[slot].size) {
		slot = 0; /* some ranks may have one there; these are idle */
	} else if (what < 4) {
		one_message(&comms[slot]);
	} else if (what == 4) {
		ring(&comms[slot]);
	} else if (what < 8) {
		exchange(&comms[slot]);
	} else if (what == 8) {
		persistent(&comms[slot]);
	} else {
		collective(&comms[slot]);
	}
}

/* Stretches of it are repeated: what was folded must come out again. */
static void run(int seed)
{
	unsigned long long plan = (unsigned)seed;
	int left = 5 + seed % 40, number = 0;

	while (left > 0) {
		int length, times;

		state = ++plan * 0xd1342543de82ef95ull + (unsigned)seed;
		draw(1);
		length = 1 + draw(6);
		times = draw(3) ? 1 : 2 + draw(12);
		for (int i = 0; i < times; i++)
			for (int j = 0; j < length; j++)
				one(seed, number + j, times > 1);
		number += length;
		left -= length;
	}
	for (int i = 1; i < SLOTS; i++)
		if (comms[i].size)
			o_Comm_free(&comms[i]);
	if (derived.size)
		types();
}

int main(int argc, char **argv)
{
	int rank, first = argc > 1 ? atoi(argv[1]) : 1, count = argc > 2 ? atoi(argv[2]) : 1;

	fixed = getenv("RANDOM_FIXED") != NULL;
	MPI_Init(&argc, &argv);
	comm_world(&comms[0]);
	rank = comms[0].me;
	say_open(rank, 0);
	say("Init result=0");
	for (int seed = first; seed < first + count; seed++)
		run(seed);
	say("Finalize result=0");
	MPI_Finalize();
	if (!rank)
		printf("%d programs, state %llx\n", count, state);
	return 0;
}
