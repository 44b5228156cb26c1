/* SPDX-License-Identifier: BSD-3-Clause */
/* Special cases of MPI's parameters, call by call, each logged as a recorder must record it
 * (oracle.h). Four ranks.
 *     oracle PART     p2p, requests, comms, types, windows, files, topologies, objects, life,
 * threads */
#define _GNU_SOURCE
#include <unistd.h>

#include "oracle.h"

static struct comm world;
static int me, size;

/* --- point-to-point and completion --- */

static void p2p(void)
{
	int a[16] = { 0 }, b[16], r, right = (me + 1) % size, left = (me + size - 1) % size, flag,
	    n;
	MPI_Status s;
	MPI_Message m;
	long number;

	o_Send(a, 3, &INT, MPI_PROC_NULL, 4, &world);
	o_Recv(b, 3, &INT, MPI_PROC_NULL, 4, &world, 0);
	o_Sendrecv(a, 2, &INT, right, 11, b, 4, &INT, MPI_ANY_SOURCE, 11, &world);
	o_Sendrecv(a, 2, &INT, me ? me - 1 : MPI_PROC_NULL, 12, b, 4, &INT,
		   me < size - 1 ? me + 1 : MPI_PROC_NULL, MPI_ANY_TAG, &world);
	r = MPI_Sendrecv_replace(b, 2, MPI_INT, right, 13, left, 13, MPI_COMM_WORLD, &s);
	say("Sendrecv_replace count=2 datatype=INT dest=%d sendtag=13 source=%d recvtag=13 "
	    "comm=1 result=%d status=(%d,13,8)",
	    right, left, r, left);
	r = MPI_Sendrecv(a, 1, MPI_INT, right, 1, b, 1, MPI_INT, left, 1, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	say("Sendrecv sendcount=1 sendtype=INT dest=%d sendtag=1 recvcount=1 recvtype=INT "
	    "source=%d recvtag=1 comm=1 result=%d "
	    "status=(%d,1,4)",
	    right, left, r, left);
	o_Barrier(&world);
	/* any source, any tag: what came is in the status */
	if (me == 0) {
		for (int i = 1; i < size; i++) {
			r = MPI_Recv(b, 16, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
				     &s);
			say("Recv count=16 datatype=INT source=-1 tag=-1 comm=1 result=%d "
			    "status=(%d,%d,%d)",
			    r, s.MPI_SOURCE, s.MPI_TAG, bytes_of(&s));
			if (s.MPI_TAG != 20 + s.MPI_SOURCE || bytes_of(&s) != 4 * s.MPI_SOURCE)
				_exit(3);
			r = MPI_Get_count(&s, MPI_INT, &n);
			say("Get_count datatype=INT result=%d count=%d", r, n);
		}
	} else {
		o_Send(a, me, &INT, 0, 20 + me, &world);
	}
	o_Barrier(&world);
	if (me == 0)
		o_Send(a, 5, &INT, 1, 30, &world);
	if (me == 1) {
		o_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, &world, &s);
		number = o_Mprobe(0, 30, &world, &m);
		o_Mrecv(b, 16, &INT, &m, number);
		o_Iprobe(2, 31, &world, &s); /* nothing */
		r = MPI_Improbe(2, 31, MPI_COMM_WORLD, &flag, &m, &s);
		say("Improbe source=2 tag=31 comm=1 result=%d flag=0 message=0 status=(0,0,0)", r);
	}
	number = o_Mprobe(MPI_PROC_NULL, 5, &world, &m);
	o_Mrecv(b, 16, &INT, &m, number);
	/* a message that is cut off: the error is the program's, and it goes on */
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	say("Comm_set_errhandler comm=1 errhandler=ERRORS_RETURN result=0");
	r = MPI_Sendrecv(a, 4, MPI_INT, me, 40, b, 2, MPI_INT, me, 40, MPI_COMM_WORLD, &s);
	/* Open MPI says that all is well */
	say("Sendrecv sendcount=4 sendtype=INT dest=%d sendtag=40 recvcount=2 recvtype=INT "
	    "source=%d recvtag=40 comm=1 result=%d "
	    "status=%s",
	    me, me, r, r ? nothing : status_of(&s, bytes_of(&s)));
	r = MPI_Send(a, 1, MPI_INT, size + 5, 1, MPI_COMM_WORLD);
	say("Send count=1 datatype=INT dest=%d tag=1 comm=1 result=%d", size + 5, r);
	r = MPI_Send(a, 1, MPI_DATATYPE_NULL, right, 1, MPI_COMM_WORLD);
	say("Send count=1 datatype=0 dest=%d tag=1 comm=1 result=%d", right, r);
	r = MPI_Send(a, 1, MPI_INT, right, 1, MPI_COMM_NULL);
	say("Send count=1 datatype=INT dest=%d tag=1 comm=0 result=%d", right, r);
	r = MPI_Recv(b, -1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	say("Recv count=-1 datatype=INT source=%d tag=1 comm=1 result=%d status=(0,0,0)", left, r);
}

static void requests(void)
{
	int a[16] = { 0 }, b[8][16], r, right = (me + 1) % size, left = (me + size - 1) % size,
	    flag, outcome[4];
	struct req q[6], *v[6] = { &q[0], &q[1], &q[2], &q[3], &q[4], &q[5] };
	MPI_Status s, several[4];
	MPI_Request none[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };

	/* null handles among others */
	o_Irecv(b[0], 16, &INT, left, 1, &world, &q[0]);
	q[1].h = MPI_REQUEST_NULL;
	o_Issend(a, 3, &INT, right, 1, &world, &q[2]);
	o_Waitall(v, 3, 0);
	r = MPI_Waitall(3, none, MPI_STATUSES_IGNORE);
	say("Waitall count=3 array_of_requests=[0,0,0] result=%d "
	    "array_of_statuses=[(0,0,0),(0,0,0),(0,0,0)]",
	    r);
	r = MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
	say("Waitall count=0 array_of_requests=[] result=%d array_of_statuses=[]", r);
	r = MPI_Waitany(3, none, &flag, &s);
	say("Waitany count=3 array_of_requests=[0,0,0] result=%d index=%d status=(0,0,0)", r, flag);
	r = MPI_Waitsome(3, none, &flag, outcome, several);
	say("Waitsome incount=3 array_of_requests=[0,0,0] result=%d outcount=%d "
	    "array_of_indices=[] array_of_statuses=[]",
	    r, flag);
	r = MPI_Testall(3, none, &flag, MPI_STATUSES_IGNORE);
	say("Testall count=3 array_of_requests=[0,0,0] result=%d flag=1 "
	    "array_of_statuses=[(0,0,0),(0,0,0),(0,0,0)]",
	    r);
	/* the program ignores statuses; they are recorded */
	o_Irecv(b[0], 16, &INT, MPI_ANY_SOURCE, MPI_ANY_TAG, &world, &q[0]);
	o_Issend(a, 4, &INT, right, 2, &world, &q[1]);
	{
		MPI_Request h[2] = { q[0].h, q[1].h };

		r = MPI_Waitall(2, h, MPI_STATUSES_IGNORE);
		say("Waitall count=2 array_of_requests=[%ld,%ld] result=%d "
		    "array_of_statuses=[(%d,2,16),(0,0,0)]",
		    req_word(&q[0]), req_word(&q[1]), r, left);
		req_gone(&q[0]);
		req_gone(&q[1]);
	}
	/* persistent ones live on; inactive ones complete at once */
	o_Recv_init(b[0], 16, &INT, left, 3, &world, &q[0]);
	o_Send_init(a, 2, &INT, right, 3, &world, &q[1]);
	for (int i = 0; i < 5; i++) {
		o_Start(&q[0]);
		o_Start(&q[1]);
		if (i % 2)
			o_Waitall(v, 2, 0);
		else {
			while (o_Waitany(v, 2) != MPI_UNDEFINED)
				;
		}
	}
	o_Request_free(&q[0]);
	o_Request_free(&q[1]);
	o_Barrier(&world);
	/* cancelled; freed while it is on its way */
	o_Irecv(b[0], 16, &INT, left, 99, &world, &q[0]);
	o_Cancel(&q[0]);
	{
		long w = req_word(&q[0]);

		r = MPI_Wait(&q[0].h, &s);
		say("Wait request=%ld result=%d status=%s", w, r, req_status(&s, 1));
		req_gone(&q[0]);
		r = MPI_Test_cancelled(&s, &flag);
		say("Test_cancelled result=%d flag=%d", r, flag);
	}
	o_Issend(a, 1, &INT, right, 5, &world, &q[0]);
	o_Request_free(&q[0]);
	o_Recv(b[0], 1, &INT, left, 5, &world, 0);
	/* which is complete is asked, and it stays */
	o_Irecv(b[0], 16, &INT, left, 6, &world, &q[0]);
	o_Send(a, 1, &INT, right, 6, &world);
	do {
		long w = req_word(&q[0]);

		r = MPI_Request_get_status(q[0].h, &flag, &s);
		say("Request_get_status request=%ld result=%d flag=%d status=%s", w, r, flag,
		    flag ? status_of(&s, bytes_of(&s)) : nothing);
	} while (!flag);
	o_Wait(&q[0]);
	/* one of several fails: which did, the statuses say (MPI_ERR_IN_STATUS) */
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	say("Comm_set_errhandler comm=1 errhandler=ERRORS_RETURN result=0");
	o_Irecv(b[0], 1, &INT, left, 7, &world, &q[0]);
	o_Irecv(b[1], 16, &INT, left, 8, &world, &q[1]);
	o_Barrier(&world);
	o_Send(a, 4, &INT, right, 7, &world);
	o_Send(a, 4, &INT, right, 8, &world);
	{
		MPI_Request h[2] = { q[0].h, q[1].h };
		long w[2] = { req_word(&q[0]), req_word(&q[1]) };

		r = MPI_Waitall(2, h, several);
		say("Waitall count=2 array_of_requests=[%ld,%ld] result=%d array_of_statuses=[]",
		    w[0], w[1], r);
		printf("rank %d: %s, first %s\n", me, r ? "an error" : "no error",
		       h[0] == MPI_REQUEST_NULL ? "is gone" : "is there");
		for (int i = 0; i < 2; i++)
			if (h[i] == MPI_REQUEST_NULL) {
				req_gone(&q[i]);
			} else {
				q[i].h = h[i];
				o_Request_free(&q[i]);
			}
	}
	/* numbers go on */
	o_Irecv(b[0], 16, &INT, left, 9, &world, &q[0]);
	o_Send(a, 1, &INT, right, 9, &world);
	o_Wait(&q[0]);
}

/* --- communicators, groups --- */

static void comms(void)
{
	struct comm c, d, odd, inter;
	int color[MAX_RANKS], key[MAX_RANKS], r, flag, n,
		ranks[4] = { 3, 1, 0, 2 }, to[4], range[2][3] = { { 0, 2, 2 }, { 3, 3, 1 } };
	MPI_Group g, h, all;
	MPI_Comm made;

	for (int i = 0; i < 200; i++) {
		o_Comm_dup(&world, &c);
		o_Barrier(&c);
		o_Comm_free(&c);
	}
	for (int i = 0; i < size; i++) {
		color[i] = i == 2 ? MPI_UNDEFINED : i % 2;
		key[i] = -i;
	}
	o_Comm_split(&world, color, key, &c);
	if (me != 2) {
		o_Barrier(&c);
		o_Comm_dup(&c, &d);
		o_Comm_free(&c);
		o_Barrier(&d);
		o_Comm_free(&d);
	}
	/* groups: MPI gives the same handle out again, and counts */
	r = MPI_Comm_group(MPI_COMM_WORLD, &all);
	say("Comm_group comm=1 result=%d group=256", r);
	r = MPI_Group_incl(all, 4, ranks, &g);
	say("Group_incl group=256 n=4 ranks=[3,1,0,2] result=%d newgroup=257", r);
	r = MPI_Group_excl(all, 1, ranks, &h);
	say("Group_excl group=256 n=1 ranks=[3] result=%d newgroup=258", r);
	r = MPI_Group_translate_ranks(g, 4, ranks, h, to);
	say("Group_translate_ranks group1=257 n=4 ranks1=[3,1,0,2] group2=258 result=%d ranks2=%s",
	    r, list_of((int[]){ to[0], to[1], to[2] == MPI_UNDEFINED ? -4 : 99, to[3] }, 4));
	r = MPI_Group_free(&h);
	say("Group_free group=258 result=%d group>=0", r);
	r = MPI_Group_range_incl(all, 2, range, &h);
	say("Group_range_incl group=256 n=2 ranges=[0,2,2,3,3,1] result=%d newgroup=259", r);
	r = MPI_Group_size(h, &n);
	say("Group_size group=259 result=%d size=%d", r, n);
	r = MPI_Group_rank(h, &n);
	say("Group_rank group=259 result=%d rank=%d", r, n == MPI_UNDEFINED ? -4 : n);
	r = MPI_Comm_create(MPI_COMM_WORLD, g, &made);
	say("Comm_create comm=1 group=257 result=%d newcomm=%ld newcomm.members=[3,1,0,2]", r,
	    comms_made++);
	r = MPI_Comm_free(&made);
	say("Comm_free comm=%ld result=%d comm>=0", comms_made - 1, r);
	r = MPI_Comm_create(MPI_COMM_WORLD, h, &made);
	if (me == 1)
		say("Comm_create comm=1 group=259 result=%d newcomm=0 newcomm.members=[]", r);
	else
		say("Comm_create comm=1 group=259 result=%d newcomm=%ld newcomm.members=[0,2,3]", r,
		    comms_made++);
	if (me != 1) {
		r = MPI_Comm_free(&made);
		say("Comm_free comm=%ld result=%d comm>=0", comms_made - 1, r);
	}
	r = MPI_Group_free(&g);
	say("Group_free group=257 result=%d group>=0", r);
	r = MPI_Group_free(&h);
	say("Group_free group=259 result=%d group>=0", r);
	r = MPI_Group_incl(all, 0, ranks, &h);
	say("Group_incl group=256 n=0 ranks=[] result=%d newgroup=GROUP_EMPTY", r);
	r = MPI_Group_free(&all);
	say("Group_free group=256 result=%d group>=0", r);
	/* between groups */
	for (int i = 0; i < size; i++) {
		color[i] = i % 2;
		key[i] = i;
	}
	o_Comm_split(&world, color, key, &odd);
	/* the peer communicator and the remote leader are garbage where they mean nothing */
	r = MPI_Intercomm_create(odd.h, 0, odd.me ? MPI_COMM_NULL : MPI_COMM_WORLD,
				 odd.me ? -77 : 1 - me, 50, &inter.h);
	inter.n = comms_made++;
	say("Intercomm_create local_comm=%ld local_leader=0 peer_comm=%d remote_leader=%d tag=50 "
	    "result=%d newintercomm=%ld "
	    "newintercomm.members=%s",
	    odd.n, odd.me ? 0 : 1, odd.me ? 0 : 1 - me, r, inter.n, me % 2 ? "[0,2]" : "[1,3]");
	r = MPI_Comm_test_inter(inter.h, &flag);
	say("Comm_test_inter comm=%ld result=%d flag=1", inter.n, r);
	r = MPI_Comm_remote_size(inter.h, &n);
	say("Comm_remote_size comm=%ld result=%d size=2", inter.n, r);
	{
		int v[4] = { 0 },
		    root = me == 0 ? MPI_ROOT :
			   me == 2 ? MPI_PROC_NULL :
				     0,
		    counts[2] = { 1, 2 }, displs[2] = { 0, 1 };

		r = MPI_Bcast(v, 1, MPI_INT, root, inter.h);
		say("Bcast count=1 datatype=INT root=%d comm=%ld result=%d", rank_number(root),
		    inter.n, r);
		r = MPI_Gatherv(v, odd.me + 1, MPI_INT, v, counts, displs, MPI_INT, root, inter.h);
		say("Gatherv sendcount=%d sendtype=INT recvcounts=%s displs=%s recvtype=%s "
		    "root=%d comm=%ld result=%d",
		    odd.me + 1, me == 0 ? "[1,2]" : "[]", me == 0 ? "[0,1]" : "[]",
		    me == 0 ? "INT" : "0", rank_number(root), inter.n, r);
		r = MPI_Allgatherv(v, odd.me + 1, MPI_INT, v, counts, displs, MPI_INT, inter.h);
		say("Allgatherv sendcount=%d sendtype=INT recvcounts=[1,2] displs=[0,1] "
		    "recvtype=INT comm=%ld result=%d",
		    odd.me + 1, inter.n, r);
	}
	r = MPI_Intercomm_merge(inter.h, me % 2, &made);
	say("Intercomm_merge intercomm=%ld high=%d result=%d newintracomm=%ld "
	    "newintracomm.members=[0,2,1,3]",
	    inter.n, me % 2, r, comms_made++);
	r = MPI_Comm_compare(made, MPI_COMM_WORLD, &flag);
	say("Comm_compare comm1=%ld comm2=1 result=%d compared=%s", comms_made - 1, r,
	    flag == MPI_SIMILAR ? "SIMILAR" : "?");
	r = MPI_Comm_free(&made);
	say("Comm_free comm=%ld result=%d comm>=0", comms_made - 1, r);
	o_Comm_free(&inter);
	o_Comm_free(&odd);
	/* made while other work goes on */
	{
		struct req q;

		r = MPI_Comm_idup(MPI_COMM_WORLD, &made, &q.h);
		say("Comm_idup comm=1 result=%d newcomm=%ld newcomm.members=[] request=%ld", r,
		    comms_made++, req_new(&q, 0));
		o_Wait(&q);
		r = MPI_Barrier(made);
		say("Barrier comm=%ld result=%d", comms_made - 1, r);
		r = MPI_Comm_free(&made);
		say("Comm_free comm=%ld result=%d comm>=0", comms_made - 1, r);
	}
	/* COMM_SELF, and freed handles that are used again */
	r = MPI_Comm_dup(MPI_COMM_SELF, &made);
	say("Comm_dup comm=2 result=%d newcomm=%ld newcomm.members=[%d]", r, comms_made++, me);
	r = MPI_Comm_free(&made);
	say("Comm_free comm=%ld result=%d comm>=0", comms_made - 1, r);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	say("Comm_set_errhandler comm=1 errhandler=ERRORS_RETURN result=0");
	r = MPI_Comm_free(&made);
	say("Comm_free comm=0 result=%d comm>=0", r);
	r = MPI_Barrier(MPI_COMM_NULL);
	say("Barrier comm=0 result=%d", r);
}

#include "oracle_objects.h"

/* --- before MPI_Init, after MPI_Finalize, MPI_Pcontrol --- */

static void pcontrol(void)
{
	int r;

	r = MPI_Pcontrol(2, "a mark", 7);
	say("Pcontrol level=2 result=%d", r);
	for (int i = 0; i < 3; i++) {
		r = MPI_Pcontrol(0);
		say("Pcontrol level=0 result=%d", r);
		MPI_Barrier(MPI_COMM_WORLD); /* not recorded */
		MPI_Barrier(MPI_COMM_WORLD);
		r = MPI_Pcontrol(1);
		say("Pcontrol level=1 result=%d", r);
		o_Barrier(&world);
	}
	{ /* made while it is off */
		MPI_Comm made;

		MPI_Pcontrol(0);
		say("Pcontrol level=0 result=0");
		MPI_Comm_dup(MPI_COMM_WORLD, &made);
		MPI_Pcontrol(1);
		say("Pcontrol level=1 result=0");
		r = MPI_Barrier(made);
		say("Barrier comm=-1 result=%d", r);
		r = MPI_Comm_free(&made);
		say("Comm_free comm=-1 result=%d comm>=0", r);
	}
}

/* --- threads, each in its own communicator --- */

#define THREADS 4
#define ROUNDS 100

static struct comm own[THREADS];

static void *work(void *arg)
{
	int k = (int)(long)arg, right = (me + 1) % size, left = (me + size - 1) % size,
	    a[8] = { 0 }, b[8];
	struct req q[2], *v[2] = { &q[0], &q[1] };

	say_open(me, k + 1);
	for (int i = 0; i < ROUNDS; i++) {
		o_Irecv(b, 8, &INT, left, k, &own[k], &q[0]);
		o_Issend(a, i % 8, &INT, right, k, &own[k], &q[1]);
		if (i % 3)
			o_Waitall(v, 2, 0);
		else
			for (int j = 1; j >= 0; j--)
				o_Wait(v[j]);
		o_Barrier(&own[k]);
	}
	if (say_to)
		fclose(say_to);
	return NULL;
}

static void threads(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		o_Comm_dup(&world, &own[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)(long)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < THREADS; i++)
		o_Comm_free(&own[i]);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = { { "p2p", p2p },
		      { "requests", requests },
		      { "comms", comms },
		      { "types", types },
		      { "windows", windows },
		      { "files", files },
		      { "topologies", topologies },
		      { "objects", objects },
		      { "life", pcontrol },
		      { "threads", threads } };
	const char *part = argc > 1 ? argv[1] : "";
	int flag, major, minor, r, n;
	char text[MPI_MAX_LIBRARY_VERSION_STRING];
	static char shown[4 * MPI_MAX_LIBRARY_VERSION_STRING + 100];
	int at;

	comm_world(&world);
	me = world.me;
	size = world.size;
	say_open(me, 0);
	r = MPI_Initialized(&flag);
	say("Initialized result=%d flag=0", r);
	r = MPI_Get_version(&major, &minor);
	say("Get_version result=%d version=%d subversion=%d", r, major, minor);
	if (!strcmp(part, "threads")) {
		r = MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &n);
		say("Init_thread required=THREAD_MULTIPLE result=%d provided=%s", r,
		    n == MPI_THREAD_MULTIPLE ? "THREAD_MULTIPLE" : "?");
	} else {
		r = MPI_Init(NULL, NULL);
		say("Init result=%d", r);
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strcmp(parts[i].name, part))
			parts[i].run();
	r = MPI_Finalize();
	say("Finalize result=%d", r);
	r = MPI_Finalized(&flag);
	say("Finalized result=%d flag=1", r);
	r = MPI_Get_library_version(text, &n);
	at = sprintf(shown, "Get_library_version result=%d resultlen=%d version=\"", r, n);
	for (char *c = text; *c; c++)
		at += sprintf(shown + at, *c < ' ' || *c == '"' || *c == '\\' ? "\\x%02x" : "%c",
			      *c);
	say("%s\"", shown);
	printf("rank %d is done\n", me);
	return 0;
}
