/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions that events refer to: processes, threads, functions, communicators. Ranks that are
 * not in the trace or not selected get a location without events, so that communicators are
 * complete. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/otf2/archive.h"

struct defining {
	struct bob_otf2 *o;
	OTF2_GlobalDefWriter *w;
	uint32_t strings, location_groups;
	uint32_t *node;		/* by process index */
};

static void check(struct defining *d, OTF2_ErrorCode code)
{
	if (d->o->failed == OTF2_SUCCESS)
		d->o->failed = code;
}

static uint32_t text(struct defining *d, const char *s)
{
	check(d, OTF2_GlobalDefWriter_WriteString(d->w, d->strings, s));
	return d->strings++;
}

/* --- functions --- */

static OTF2_RegionRole role_of(const struct bob_mpi_function *f)
{
	const struct bob_mpi_function *form = bob_mpi_collective_form(f);

	switch (bob_mpi_class_of(f)) {
	case BOB_MPI_CLASS_COLLECTIVE:
	case BOB_MPI_CLASS_COLLECTIVE_INIT:
		if (!form)
			return OTF2_REGION_ROLE_COLL_OTHER;
		if (!strcmp(form->name, "Barrier"))
			return OTF2_REGION_ROLE_BARRIER;
		if (!strcmp(form->name, "Bcast") || !strncmp(form->name, "Scatter", 7))
			return OTF2_REGION_ROLE_COLL_ONE2ALL;
		if (!strncmp(form->name, "Gather", 6) || !strcmp(form->name, "Reduce"))
			return OTF2_REGION_ROLE_COLL_ALL2ONE;
		return strstr(form->name, "can") ? OTF2_REGION_ROLE_COLL_OTHER :
						   OTF2_REGION_ROLE_COLL_ALL2ALL;
	case BOB_MPI_CLASS_ONE_SIDED:
		return OTF2_REGION_ROLE_RMA;
	case BOB_MPI_CLASS_FILE:
		return OTF2_REGION_ROLE_FILE_IO;
	case BOB_MPI_CLASS_SEND:
	case BOB_MPI_CLASS_SEND_INIT:
	case BOB_MPI_CLASS_START:
		return OTF2_REGION_ROLE_POINT2POINT;
	default:
		for (uint32_t i = 0; i < f->count; i++)
			if (f->params[i].role == BOB_MPI_ROLE_STATUS ||
			    f->params[i].role == BOB_MPI_ROLE_REQUEST)
				return OTF2_REGION_ROLE_POINT2POINT;
		return OTF2_REGION_ROLE_FUNCTION;
	}
}

/* Regions are defined in the order of their numbers. */
static bob_status define_regions(struct defining *d)
{
	uint32_t none = text(d, ""), *function = calloc(d->o->regions + 1u, sizeof(*function));
	struct bob_user_functions *user = bob_archive_user_functions(d->o->x->trace);

	if (!function)
		return BOB_ERR_NOMEM;
	for (uint32_t i = 0; i <= BOB_USER_FUNCTION_LAST; i++)
		if (d->o->region[i])
			function[d->o->region[i] - 1] = i;
	for (uint32_t i = 0; i < d->o->regions; i++) {
		const struct bob_mpi_function *f = bob_event_function_of(user, function[i]);
		char name[128];
		uint32_t called;

		snprintf(name, sizeof(name), "%s%s", f->flags & BOB_MPI_USER ? "" : "MPI_",
			 f->name);
		called = text(d, name);
		check(d, OTF2_GlobalDefWriter_WriteRegion(
				 d->w, i, called, called, none, role_of(f),
				 f->flags & BOB_MPI_USER ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI,
				 OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0));
	}
	free(function);
	return BOB_OK;
}

/* --- processes and threads --- */

/* The first process on the host of `process`. */
static uint32_t first_on_host(const struct bob_trace *t, uint32_t process)
{
	const char *host = bob_trace_process(t, process)->host;
	uint32_t first = 0;

	while (first < process && strcmp(bob_trace_process(t, first)->host, host) != 0)
		first++;
	return first;
}

/* Hosts are the children of system tree node 0. */
static void define_hosts(struct defining *d)
{
	const struct bob_trace *t = d->o->x->trace;
	uint32_t machine = text(d, "machine"), node = text(d, "node"), nodes = 1;

	check(d,
	      OTF2_GlobalDefWriter_WriteSystemTreeNode(d->w, 0, text(d, "recorded by bobbin"),
						       machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	for (uint32_t i = 0; i < bob_trace_process_count(t); i++) {
		uint32_t first = first_on_host(t, i);

		d->node[i] = first < i ? d->node[first] : nodes++;
		if (first == i)
			check(d, OTF2_GlobalDefWriter_WriteSystemTreeNode(
					 d->w, d->node[i], text(d, bob_trace_process(t, i)->host),
					 node, 0));
	}
}

static void define_location(struct defining *d, uint64_t location, const char *name,
			    uint64_t events, uint32_t group)
{
	check(d, OTF2_GlobalDefWriter_WriteLocation(d->w, location, text(d, name),
						    OTF2_LOCATION_TYPE_CPU_THREAD, events, group));
}

static void define_process(struct defining *d, uint32_t process, uint64_t *of_rank)
{
	const struct bob_trace *t = d->o->x->trace;
	const struct bob_process_info *p = bob_trace_process(t, process);
	uint32_t defined = 0;
	char name[320];

	for (uint32_t i = 0; i < p->thread_count; i++) {
		uint32_t thread = p->first_thread + i;
		uint32_t rank = p->rank < 0 ? 0 : (uint32_t)p->rank;

		if (!d->o->has_calls[thread])
			continue;
		if (!defined++) {
			if (p->rank >= 0)
				snprintf(name, sizeof(name), "rank %" PRId32, p->rank);
			else
				snprintf(name, sizeof(name), "pid %" PRIu32, p->pid);
			check(d, OTF2_GlobalDefWriter_WriteLocationGroup(
					 d->w, d->location_groups++, text(d, name),
					 OTF2_LOCATION_GROUP_TYPE_PROCESS, d->node[process],
					 OTF2_UNDEFINED_LOCATION_GROUP));
			if (rank < d->o->world && of_rank[rank] == OTF2_UNDEFINED_LOCATION)
				of_rank[rank] = thread;
		}
		snprintf(name, sizeof(name), "thread %" PRIu32 " %s",
			 bob_trace_thread(t, thread)->number, bob_trace_thread(t, thread)->name);
		define_location(d, thread, name, d->o->events[thread], d->location_groups - 1);
	}
}

static void define_missing(struct defining *d, uint64_t *of_rank)
{
	const struct bob_trace *t = d->o->x->trace;
	uint64_t location = bob_trace_thread_count(t);
	char name[64];

	for (uint32_t i = 0; i < d->o->world; i++) {
		OTF2_EvtWriter *w;

		if (of_rank[i] != OTF2_UNDEFINED_LOCATION)
			continue;
		snprintf(name, sizeof(name), "rank %" PRIu32 ", not in the trace", i);
		check(d, OTF2_GlobalDefWriter_WriteLocationGroup(d->w, d->location_groups++,
								 text(d, name),
								 OTF2_LOCATION_GROUP_TYPE_PROCESS,
								 0, OTF2_UNDEFINED_LOCATION_GROUP));
		define_location(d, location, "thread 0", 0, d->location_groups - 1);
		w = OTF2_Archive_GetEvtWriter(d->o->archive, location);
		check(d, w ? OTF2_Archive_CloseEvtWriter(d->o->archive, w) :
			     OTF2_ERROR_INTEGRITY_FAULT);
		of_rank[i] = location++;
	}
}

/* --- communicators --- */

static void define_comms(struct defining *d, const uint64_t *of_rank)
{
	uint32_t none = text(d, "");

	check(d, OTF2_GlobalDefWriter_WriteGroup(d->w, 0, none, OTF2_GROUP_TYPE_COMM_LOCATIONS,
						 OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
						 d->o->world, of_rank));
	for (uint32_t i = 0; i < d->o->comms; i++) {
		const struct bob_otf2_comm *c = &d->o->comm[i];
		const struct bob_mpi_name *known = bob_mpi_name_of(BOB_MPI_ROLE_COMM, c->number);
		char name[96];

		if (known)
			snprintf(name, sizeof(name), "MPI_%s", known->name);
		else
			snprintf(name, sizeof(name), "comm#%" PRIu64 " of rank %" PRIu64,
				 c->number - BOB_MPI_FIRST_NEW + 1, c->members ? c->member[0] : 0);
		check(d, OTF2_GlobalDefWriter_WriteGroup(
				 d->w, 1 + i, none, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
				 OTF2_GROUP_FLAG_NONE, c->members, c->member));
		check(d, OTF2_GlobalDefWriter_WriteComm(d->w, i, text(d, name), 1 + i,
							OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
	}
}

/* --- all definitions --- */

/* Readers require a local definition file for each location; these are empty. */
static void close_locations(struct defining *d, uint64_t locations)
{
	check(d, OTF2_Archive_OpenDefFiles(d->o->archive));
	for (uint64_t i = 0; i < locations; i++) {
		OTF2_DefWriter *w;

		if (i < bob_trace_thread_count(d->o->x->trace) && !d->o->has_calls[i])
			continue;
		w = OTF2_Archive_GetDefWriter(d->o->archive, i);
		check(d, w ? OTF2_Archive_CloseDefWriter(d->o->archive, w) :
			     OTF2_ERROR_INTEGRITY_FAULT);
	}
	check(d, OTF2_Archive_CloseDefFiles(d->o->archive));
}

bob_status bob_otf2_definitions(struct bob_otf2 *o)
{
	struct defining d = { .o = o };
	const struct bob_trace *t = o->x->trace;
	uint64_t *of_rank = malloc((o->world + 1ull) * sizeof(*of_rank));
	uint64_t missing = 0;
	bob_status st = BOB_ERR_NOMEM;

	d.node = calloc(bob_trace_process_count(t) + 1u, sizeof(*d.node));
	if (!of_rank || !d.node)
		goto out;
	for (uint32_t i = 0; i < o->world; i++)
		of_rank[i] = OTF2_UNDEFINED_LOCATION;
	d.w = OTF2_Archive_GetGlobalDefWriter(o->archive);
	if (!d.w)
		check(&d, OTF2_ERROR_INTEGRITY_FAULT);
	st = bob_otf2_status(o);
	if (d.w) {
		check(&d, OTF2_GlobalDefWriter_WriteClockProperties(
				  d.w, 1000000000, 0, o->last_ns + 1,
				  bob_trace_process(t, 0)->start_real_ns));
		define_hosts(&d);
		for (uint32_t i = 0; i < bob_trace_process_count(t); i++)
			define_process(&d, i, of_rank);
		for (uint32_t i = 0; i < o->world; i++)
			missing += of_rank[i] == OTF2_UNDEFINED_LOCATION;
		define_missing(&d, of_rank);
		st = define_regions(&d);
		define_comms(&d, of_rank);
		check(&d, OTF2_Archive_CloseEvtFiles(o->archive));
		check(&d, OTF2_Archive_CloseGlobalDefWriter(o->archive, d.w));
		close_locations(&d, bob_trace_thread_count(t) + missing);
	}
out:
	free(d.node);
	free(of_rank);
	return st == BOB_OK ? bob_otf2_status(o) : st;
}
