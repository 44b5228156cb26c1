/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the OTF2 export. OTF2's writers fail at once, or at a flush; the first
 * failure is kept.
 *
 * Definitions are identified by numbers. A location's number is the thread's index in the trace;
 * ranks that are not in the trace follow. Processes are location groups, functions regions and
 * hosts nodes in the order in which they come; so are communicators, of which those are defined
 * that are used. */
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
	uint64_t number;	/* as the first process names it */
};

struct bob_otf2 {
	struct bob_export *x;
	OTF2_Archive *archive;
	OTF2_ErrorCode failed;	/* the first; OTF2_SUCCESS */
	int exact;
	/* of the trace, by the index of threads; calls: OTF2's events */
	uint64_t *events;
	uint8_t *has_calls;
	uint32_t *region;	/* + 1, by place among the functions; 0: not called */
	uint32_t regions;
	uint64_t last_ns;	/* of all */
	uint32_t world;		/* ranks */
	struct bob_otf2_comm *comm;
	uint32_t comms, comm_capacity;
	uint32_t *comm_slot;	/* by id, number + 1; twice as many as comm_capacity */
	struct bob_mpi_comms *ids; /* of the process */
};

/* BOB_OK, or BOB_ERR_IO: something has failed. */
bob_status bob_otf2_status(const struct bob_otf2 *o);
/* comms.c: the communicators of a process. BOB_ERR_NOMEM. */
bob_status bob_otf2_comms_begin(struct bob_otf2 *o, const struct bob_mpi_objects *objects);
/* *comm: BOB_OTF2_NO_COMM if OTF2 cannot represent it. BOB_ERR_NOMEM. */
bob_status bob_otf2_comm(struct bob_otf2 *o, const struct bob_mpi_objects *objects, uint64_t number,
			 OTF2_CommRef *comm);
void bob_otf2_comms_free(struct bob_otf2 *o);
/* events.c: all calls. As bob_mpi_tour. */
bob_status bob_otf2_events(struct bob_otf2 *o);
/* definitions.c */
bob_status bob_otf2_definitions(struct bob_otf2 *o);
#endif
