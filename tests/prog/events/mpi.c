/* Events among calls of MPI. Each rank logs what it does, in its own folder; functions of MPI are
 * lines "M name". argv: folder, rounds, threads, "hang": rank 0 then waits to be killed. Ranks
 * register events in different order. */
#include <mpi.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "say.h"

static bob_event_id step, leaf, note, residual, early;
static int rank, size, rounds;

#define SAY_MPI(name, ...)                                                                         \
	do {                                                                                       \
		fprintf(say_file, "M %s\n", name);                                                 \
		MPI_##__VA_ARGS__;                                                                 \
	} while (0)

/* Called back by MPI: nothing is recorded here, but it is counted. */
static void sum(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	bob_event_begin(leaf);
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
	bob_event_end(leaf);
}

static void register_all(int backwards)
{
	for (int i = 0; i < 4; i++) {
		switch (backwards ? 3 - i : i) {
		case 0:
			step = bob_event_register("step", 0,
						  "int n, string file -> int cells, double x");
			break;
		case 1:
			leaf = bob_event_register("leaf", 0, "int a, double x");
			break;
		case 2:
			note = bob_event_register("note", 0, "string before -> string after");
			break;
		default:
			residual = bob_counter_register("residual", 0);
			break;
		}
	}
}

static void *work(void *arg)
{
	say_begin_thread();
	for (int i = 0; i < rounds; i++) {
		SAY_BEGIN(note, "note", "s", bob_text("thread"));
		SAY_BEGIN(leaf, "leaf", "id", bob_int(i + rank), bob_real(0.5));
		SAY_END(leaf, "leaf", "", bob_int(0));
		SAY_END(note, "note", "s", bob_text(arg));
	}
	fclose(say_file);
	return NULL;
}

static void steps(MPI_Op op)
{
	int one = 1, all = 0, got = -1;

	for (int i = 0; i < rounds; i++) {
		SAY_BEGIN(step, "step", "is", bob_int(i), bob_text("mesh.dat"));
		SAY_MPI("Sendrecv",
			Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, 3, &got, 1, MPI_INT,
				 (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		for (int j = 0; j < 2; j++) {
			SAY_BEGIN(leaf, "leaf", "id", bob_int(rank), bob_real(j + 0.5));
			SAY_END(leaf, "leaf", "", bob_int(0));
		}
		SAY_MPI("Allreduce", Allreduce(&one, &all, 1, MPI_INT, op, MPI_COMM_WORLD));
		SAY_INSTANT(residual, "residual", "d", bob_real(1.0 / (i + 1)));
		SAY_END(step, "step", "id", bob_int(all), bob_real(got + 0.5));
		if (all != size)
			MPI_Abort(MPI_COMM_WORLD, 9);
	}
}

int main(int argc, char **argv)
{
	static char folder[512];
	pthread_t thread[16];
	int threads = atoi(argv[3]), provided;
	const char *who = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") :
							   getenv("PMI_RANK");
	MPI_Op op;

	(void)argc;
	rounds = atoi(argv[2]);
	snprintf(folder, sizeof(folder), "%s/%s", argv[1], who ? who : "0");
	mkdir(folder, 0777);
	say_folder = folder;
	register_all(who && atoi(who) % 2);
	early = bob_event_register("bare", 0, NULL);
	say_begin_thread();
	SAY_INSTANT(early, "bare", "", bob_int(0));
	SAY_MPI("Init_thread", Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided));
	SAY_MPI("Comm_rank", Comm_rank(MPI_COMM_WORLD, &rank));
	SAY_MPI("Comm_size", Comm_size(MPI_COMM_WORLD, &size));
	SAY_MPI("Op_create", Op_create(sum, 1, &op));
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, i % 2 ? "odd" : "even");
	steps(op);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	if (argv[4] && !rank) /* the others wait for it */
		for (;;)
			pause();
	SAY_MPI("Op_free", Op_free(&op));
	SAY_MPI("Finalize", Finalize());
	SAY_INSTANT(early, "bare", "", bob_int(0));
	return 0;
}
