/* Hooks at calls of MPI: their parameters, calls of MPI in hooks, sets of all ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/hooks.h>

#include "counting.h"

static int made;

static int give_count(void *ctx, const struct bob_hook_event *e, uint32_t phase,
		      union bob_datum *data)
{
	(void)ctx;
	for (uint32_t i = 0; i < e->count; i++)
		if (!strcmp(e->parameter[i].name, "count"))
			data->d = (double)e->value[i].i;
	return phase == BOB_PHASE_EVENT;
}

static const struct bob_hook counts = { .size = sizeof(counts), .name = "counts",
					.kinds = BOB_HOOK_MPI, .events = "MPI_Isend:MPI_Irecv",
					.when = "count >= 1 && tag == 3", .end = give_count };

static void reduce(void *ctx, const struct bob_hook_event *e)
{
	int one = 1, all;

	(void)ctx;
	if (!e->at_end)
		return;
	MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	made += all;
}

static const struct bob_hook at_barrier = { .size = sizeof(at_barrier),
					    .flags = BOB_HOOK_CALLBACK_ONLY,
					    .events = "MPI_Barrier", .callback = reduce };

static int merge(void *ctx, void *into, const void *from)
{
	(void)ctx;
	*(long *)into += *(const long *)from;
	return 1;
}

static void *unpack(void *ctx, const void *bytes, size_t len)
{
#ifdef ADD_PACKED
	(void)ctx, (void)bytes, (void)len;
	return NULL; /* not needed: every rank has such a set */
#endif
	void *set = len == sizeof(long) ? create(ctx) : NULL;

	return set ? memcpy(set, bytes, len) : NULL;
}

static void result(void *ctx, const char *event, uint32_t phase, const void *set)
{
	(void)ctx;
	printf("%s %u %ld\n", event, phase, *(const long *)set);
}

static int add_packed(void *ctx, void *into, const void *bytes, size_t len)
{
	long n;

	(void)ctx;
	if (len != sizeof(n))
		return 0;
	memcpy(&n, bytes, sizeof(n));
	*(long *)into += n;
	return 1;
}

static const struct bob_value_set own = { .size = sizeof(own), .create = create, .add = add,
					  .merge = merge, .pack = pack, .unpack = unpack,
					  .destroy = destroy, .result = result,
#ifdef ADD_PACKED
					  .add_packed = add_packed
#endif
};
static const struct bob_hook often = { .size = sizeof(often),
				       .name = "often",
				       .events = "MPI_Waitall",
				       .end = give_one,
				       .set = &own };
static const struct bob_hook late = {
	.size = sizeof(late), .name = "late", .events = "late", .end = give_one
};

int main(int argc, char **argv)
{
	bob_event_id e;
	int me, n, a[8] = { 0 }, b[8];
	MPI_Request q[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	bob_hook_add(&counts);
	bob_hook_add(&at_barrier);
	bob_hook_add(&late);
	bob_hook_add(&often);
	e = bob_event_register("late", 0, NULL);
	bob_event_instant(e);
	for (int i = 0; i < 20; i++) {
		MPI_Irecv(b, 8, MPI_INT, (me + n - 1) % n, 3, MPI_COMM_WORLD, &q[0]);
		MPI_Isend(a, i % 4, MPI_INT, (me + 1) % n, 3, MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (!me)
		printf("%d\n", made);
	MPI_Finalize();
	bob_event_instant(e); /* every rank has this one for itself */
	return 0;
}
