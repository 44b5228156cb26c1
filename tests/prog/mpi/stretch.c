/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses to an array, calls of its own functions and calls of MPI in a known order: `stretch SEED
 * STEPS [threads] [killed MS]`. Each thread logs what it does, as lines of a file in STRETCH_DIR:
 *
 *     A 0xADDRESS BYTES      its array, once
 *     L 0xADDRESS, S 0x...   an access to it
 *     F DEPTH                a function of the program begins; DEPTH functions are open
 *     M NAME DEPTH           MPI is called; E: it has returned. A callback did what is between them
 *
 * All ranks draw the same numbers. "ring ROUNDS": the same in a loop, without logs. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORDS 512
#define NOTES (1u << 20)
#define MAIN_THREADS 3

struct note {
	char what;
	int depth;
	unsigned long long address;
	const char *name;
};

struct self {
	volatile unsigned long long array[WORDS];
	struct note *note;
	unsigned notes;
	int depth;
	unsigned long long random;
	int number;
	MPI_Comm comm;
};

static struct self selves[MAIN_THREADS];
static __thread struct self *me;
static int rank, size;

static void note(char what, const volatile void *at, const char *name)
{
	if (me->notes < NOTES)
		me->note[me->notes++] =
			(struct note){ what, me->depth, (unsigned long long)at, name };
}

static unsigned draw(unsigned below)
{
	me->random = me->random * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(me->random >> 33) % below;
}

#define CALL(name, args)                                                                           \
	do {                                                                                       \
		note('M', 0, #name);                                                               \
		MPI_##name args;                                                                   \
		note('E', 0, "");                                                                  \
	} while (0)

static void load(unsigned i)
{
	(void)me->array[i % WORDS];
	note('L', &me->array[i % WORDS], "");
}

static void store(unsigned i)
{
	me->array[i % WORDS] = i;
	note('S', &me->array[i % WORDS], "");
}

/* A row of accesses, which differ from rank to rank. */
__attribute__((noinline)) static void touch(unsigned first, unsigned count, unsigned step)
{
	me->depth++;
	note('F', 0, "");
	for (unsigned i = 0; i < count; i++) {
		load(first + i * step + 8u * (unsigned)rank);
		if (i % 3 == 2)
			store(first + i * step);
	}
	me->depth--;
}

/* What MPI_Allreduce calls: how often is its own business. */
static void add(void *in, void *inout, int *n, MPI_Datatype *t)
{
	(void)t;
	store(7);
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
	load(9);
}

static void message(unsigned long tag)
{
	static __thread char in[64], out[64];
	MPI_Request r[2];

	CALL(Irecv, (in, 64, MPI_BYTE, (rank + size - 1) % size, (int)tag, me->comm, &r[0]));
	touch(draw(WORDS), draw(4), 1);
	CALL(Isend, (out, 64, MPI_BYTE, (rank + 1) % size, (int)tag, me->comm, &r[1]));
	CALL(Waitall, (2, r, MPI_STATUSES_IGNORE));
}

__attribute__((noinline)) static void deep(unsigned levels, MPI_Op op);

static void one(MPI_Op op)
{
	unsigned what = draw(9);
	int x = 1, y[4] = { 1, 2, 3, 4 }, z[4], flag;

	switch (what) {
	case 0:
		CALL(Barrier, (me->comm));
		break;
	case 1:
		if (op != MPI_OP_NULL)
			CALL(Allreduce, (y, z, 4, MPI_INT, op, me->comm));
		break;
	case 2:
		message(5);
		break;
	case 3:
		for (unsigned i = 0, n = draw(5); i < n; i++) {
			touch(i, 3, 2);
			CALL(Comm_rank, (me->comm, &x));
		}
		break;
	case 4:
		CALL(Iprobe, (MPI_ANY_SOURCE, 77, me->comm, &flag, MPI_STATUS_IGNORE));
		CALL(Comm_size, (me->comm, &x));
		break;
	case 5:
		deep(1 + draw(4), op);
		break;
	default:
		touch(draw(WORDS), draw(20), 1 + draw(3));
		break;
	}
}

static void deep(unsigned levels, MPI_Op op)
{
	int x;

	me->depth++;
	note('F', 0, "");
	if (levels > 1)
		deep(levels - 1, op);
	CALL(Comm_rank, (me->comm, &x));
	touch(levels, 2, 1);
	if (levels & 1)
		CALL(Comm_size, (me->comm, &x));
	me->depth--;
}

/* What is switched off is not noted, either. */
static void unrecorded(void)
{
	int x;

	CALL(Pcontrol, (0));
	for (int i = 0; i < 3; i++)
		MPI_Comm_rank(MPI_COMM_WORLD, &x);
	touch(3, 2, 1);
	CALL(Pcontrol, (1));
}

static void steps(unsigned count, MPI_Op op)
{
	for (unsigned i = 0; i < count; i++)
		one(op);
}

static void write_notes(const struct self *s)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d.%d", getenv("STRETCH_DIR"), rank, s->number);
	f = fopen(path, "w");
	if (!f)
		exit(9);
	fprintf(f, "A 0x%llx %zu\n", (unsigned long long)s->array, sizeof(s->array));
	for (unsigned i = 0; i < s->notes; i++) {
		const struct note *n = &s->note[i];

		if (n->what == 'M')
			fprintf(f, "M %s %d\n", n->name, n->depth);
		else if (n->what == 'F')
			fprintf(f, "F %d\n", n->depth);
		else if (n->what == 'E')
			fprintf(f, "E\n");
		else
			fprintf(f, "%c 0x%llx\n", n->what, n->address);
	}
	fclose(f);
}

static void prepare(struct self *s, int number, unsigned long long seed)
{
	s->note = mmap(NULL, NOTES * sizeof(struct note), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	s->random = seed * 77 + (unsigned)number;
	s->number = number;
	s->comm = MPI_COMM_WORLD;
	if (s->note == MAP_FAILED)
		exit(8);
}

static void *work(void *arg)
{
	me = arg;
	steps(40, MPI_OP_NULL);
	return NULL;
}

/* Threads that call MPI at the same time, each with a communicator of its own. */
static void threads(void)
{
	pthread_t t[MAIN_THREADS];
	MPI_Comm comm;

	for (int i = 1; i < MAIN_THREADS; i++) {
		prepare(&selves[i], i, selves[0].random);
		CALL(Comm_dup, (MPI_COMM_WORLD, &comm));
		selves[i].comm = comm;
	}
	for (int i = 1; i < MAIN_THREADS; i++)
		pthread_create(&t[i], NULL, work, &selves[i]);
	for (int i = 1; i < MAIN_THREADS; i++)
		pthread_join(t[i], NULL);
}

static volatile double a[1000], b[1000];

static void ring(int rounds)
{
	MPI_Request r[2];

	for (int i = 0; i < rounds; i++) {
		for (int k = 0; k < 1000; k++)
			a[k] += 3 * b[k];
		MPI_Irecv((void *)b, 10, MPI_DOUBLE, (rank + size - 1) % size, 7, MPI_COMM_WORLD,
			  &r[0]);
		MPI_Isend((void *)a, 10, MPI_DOUBLE, (rank + 1) % size, 7, MPI_COMM_WORLD, &r[1]);
		for (int k = 0; k < 500; k++)
			a[k + 200] -= 1;
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
}

int main(int argc, char **argv)
{
	int is_ring = argc > 2 && !strcmp(argv[1], "ring"), provided;
	MPI_Op op;

	if (argc < 3)
		return 2;
	me = &selves[0];
	prepare(me, 0, is_ring ? 0 : strtoull(argv[1], NULL, 10));
	CALL(Init_thread, (&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
	CALL(Comm_rank, (MPI_COMM_WORLD, &rank));
	CALL(Comm_size, (MPI_COMM_WORLD, &size));
	if (is_ring) {
		ring(atoi(argv[2]));
		MPI_Finalize();
		return 0;
	}
	CALL(Op_create, (add, 1, &op));
	if (argc > 4 && rank == 1) {
		signal(SIGALRM, SIG_DFL);
		ualarm((useconds_t)atoi(argv[4]), 0);
	}
	steps((unsigned)atoi(argv[2]), op);
	unrecorded();
	if (argc == 4 && provided == MPI_THREAD_MULTIPLE)
		threads();
	steps(20, op);
	CALL(Finalize, ());
	for (int i = 0; i < MAIN_THREADS; i++)
		if (selves[i].note)
			write_notes(&selves[i]);
	return 0;
}
