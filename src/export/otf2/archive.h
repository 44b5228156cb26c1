/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface between the files of the OTF2 export. An OTF2 writer reports errors immediately or when
 * it flushes; the first error is kept.
 *
 * OTF2 identifies definitions by numbers. A location's number is the thread's index in the trace;
 * ranks that are not in the trace follow. Location groups (processes), regions (functions), system
 * tree nodes (hosts) and communicators are numbered in order of appearance. Only used communicators
 * are defined. */
#ifndef BOB_EXPORT_OTF2_ARCHIVE_H
#define BOB_EXPORT_OTF2_ARCHIVE_H

#include <otf2/otf2.h>

#include "archive/events/user_functions.h"
#include "export/mpi_calls.h"
#include "export/mpi_comms.h"

#define BOB_OTF2_NO_COMM UINT32_MAX
#define BOB_OTF2_RANKS_MAX (1u << 24)

struct bob_otf2_comm {
	uint64_t id;		/* bob_mpi_comms_id */
	uint64_t *member;	/* ranks in MPI_COMM_WORLD */
	uint32_t members;
	uint64_t number;	/* of the communicator in the first process that used it */
};

struct bob_otf2 {
	struct bob_export *x;
	OTF2_Archive *archive;
	OTF2_ErrorCode failed;	/* the first error, or OTF2_SUCCESS */
	int exact;
	/* By thread index: number of OTF2 events; whether the thread has calls. */
	uint64_t *events;
	uint8_t *has_calls;
	uint32_t *region;	/* by index of the function: region number + 1; 0: not called */
	uint32_t regions;
	uint64_t last_ns;	/* latest time of any event */
	uint32_t world;		/* size of MPI_COMM_WORLD */
	struct bob_otf2_comm *comm;
	uint32_t comms, comm_capacity;
	uint32_t *comm_slot;	/* hash table by id: index in `comm` + 1; twice as large as
				 * comm_capacity */
	struct bob_mpi_comms *ids; /* of the current process */
};

/* BOB_OK, or BOB_ERR_IO after a failure. */
bob_status bob_otf2_status(const struct bob_otf2 *o);
/* comms.c: adds the communicators of a process. Errors: BOB_ERR_NOMEM. */
bob_status bob_otf2_comms_begin(struct bob_otf2 *o, const struct bob_mpi_objects *objects);
/* *comm: BOB_OTF2_NO_COMM if OTF2 cannot represent the communicator. Errors: BOB_ERR_NOMEM. */
bob_status bob_otf2_comm(struct bob_otf2 *o, const struct bob_mpi_objects *objects, uint64_t number,
			 OTF2_CommRef *comm);
void bob_otf2_comms_free(struct bob_otf2 *o);
/* events.c: writes all calls. Errors: those of bob_mpi_tour. */
bob_status bob_otf2_events(struct bob_otf2 *o);
/* definitions.c: writes the global definitions. */
bob_status bob_otf2_definitions(struct bob_otf2 *o);
#endif
