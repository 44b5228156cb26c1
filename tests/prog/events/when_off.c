/* SPDX-License-Identifier: BSD-3-Clause */
/* Ten events, and the same ten again while recording is switched off. */
#include <mpi.h>

#include <bobbin/events.h>

int main(int argc, char **argv)
{
	bob_event_id step;

	MPI_Init(&argc, &argv);
	step = bob_event_register("step", 0, "int n");
	for (int i = 0; i < 20; i++) {
		MPI_Pcontrol(i < 10);
		BOB_EVENT_BEGIN(step, bob_int(i % 10));
		bob_event_end(step);
	}
	MPI_Pcontrol(1);
	MPI_Finalize();
	return 0;
}
