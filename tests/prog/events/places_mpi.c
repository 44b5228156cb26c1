/* The same calls in two libraries, of which ranks use now one, now the other first. */
#include <mpi.h>

#include <bobbin/hooks.h>

int one(void);			/* places_one.c as one and two */
int two(void);

static int give_one(void *ctx, const struct bob_hook_event *e, uint32_t phase,
		    union bob_datum *data)
{
	(void)ctx;
	(void)e;
	data->d = 1;
	return phase == BOB_PHASE_EVENT;
}

static const struct bob_hook there = { .size = sizeof(there), .flags = BOB_HOOK_BY_PLACE,
				       .name = "there", .events = "MPI_Comm_size",
				       .end = give_one };

int main(int argc, char **argv)
{
	int me;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	bob_hook_add(&there);
	for (int i = 0; i < 10; i++)
		if (me % 2)
			one() + two() + two();
		else
			two() + two() + one();
	MPI_Finalize();
	return 0;
}
