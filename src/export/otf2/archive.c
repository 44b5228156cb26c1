/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI calls as an OTF2 archive: first the events, location by location, then the definitions that
 * they refer to. Memory: OTF2's buffers of one location, and that of bob_mpi_tour. */
#include "export/otf2/archive.h"

#include <stdio.h>
#include <stdlib.h>

#define EVENT_CHUNK (256u << 10)
#define DEFINITION_CHUNK (4u << 20)

bob_status bob_otf2_status(const struct bob_otf2 *o)
{
	return o->failed == OTF2_SUCCESS ? BOB_OK : BOB_ERR_IO;
}

/* Error callback; without it OTF2 prints errors. The first error is the cause, later ones follow
 * from it. It is stored immediately, because OTF2 may end the process if it cannot write. */
static OTF2_ErrorCode keep_error(void *user, const char *file, uint64_t line, const char *function,
				 OTF2_ErrorCode code, const char *format, va_list list)
{
	struct bob_otf2 *o = user;

	(void)file, (void)line, (void)function, (void)format, (void)list;
	if (code > OTF2_SUCCESS && !*o->x->said)
		snprintf(o->x->said, BOB_EXPORT_SAID, "%s", OTF2_Error_GetDescription(code));
	if (code > OTF2_SUCCESS && o->failed == OTF2_SUCCESS)
		o->failed = code;
	return code;
}

static OTF2_FlushType before_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
				   void *caller, bool final)
{
	(void)user, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flushing = { .otf2_pre_flush = before_flush };

/* OTF2's default is to buffer 128 MB per location before it writes. */
#define CHUNKS 4u		/* of events per location */

struct chunk {
	struct chunk *before;
	uint32_t number;
	_Alignas(16) unsigned char bytes[];
};

static void *allocate(void *user, OTF2_FileType type, OTF2_LocationRef location, void **mine,
		      uint64_t size)
{
	struct chunk *before = *mine, *c;

	(void)user, (void)location;
	if (type == OTF2_FILETYPE_EVENTS && before && before->number == CHUNKS)
		return NULL; /* makes OTF2 flush */
	c = malloc(sizeof(*c) + size);
	if (!c)
		return NULL;
	c->before = before;
	c->number = before ? before->number + 1 : 1;
	*mine = c;
	return c->bytes;
}

static void free_all(void *user, OTF2_FileType type, OTF2_LocationRef location, void **mine,
		     bool final)
{
	(void)user, (void)type, (void)location, (void) final;
	for (struct chunk *c = *mine, *before; c; c = before) {
		before = c->before;
		free(c);
	}
	*mine = NULL;
}

static const OTF2_MemoryCallbacks memory = { .otf2_allocate = allocate, .otf2_free_all = free_all };

static void describe(struct bob_otf2 *o)
{
	(void)OTF2_Archive_SetCreator(o->archive, "bobbin");
	(void)OTF2_Archive_SetDescription(
		o->archive, o->exact ? "events; times are exact, by the clock of rank 0" :
				       "events; times were not recorded: each takes 1 us, in the "
				       "order of its thread");
	(void)OTF2_Archive_SetProperty(o->archive, "BOBBIN::TIMES",
				       o->exact ? "exact" : "order of calls only", true);
}

static bob_status make_tables(struct bob_otf2 *o)
{
	uint32_t n = bob_trace_thread_count(o->x->trace);

	o->events = calloc(n + 1u, sizeof(*o->events));
	o->has_calls = calloc(n + 1u, 1);
	o->region = calloc(BOB_USER_FUNCTION_LAST + 1u, sizeof(*o->region));
	return o->events && o->has_calls && o->region ? BOB_OK : BOB_ERR_NOMEM;
}

static bob_status write_archive(struct bob_otf2 *o)
{
	bob_status st, damage;

	o->archive = OTF2_Archive_Open(o->x->directory, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK,
				       DEFINITION_CHUNK, OTF2_SUBSTRATE_POSIX,
				       OTF2_COMPRESSION_NONE);
	if (!o->archive)
		return BOB_ERR_IO;
	o->failed = OTF2_Archive_SetFlushCallbacks(o->archive, &flushing, NULL);
	if (o->failed == OTF2_SUCCESS)
		o->failed = OTF2_Archive_SetMemoryCallbacks(o->archive, &memory, NULL);
	if (o->failed == OTF2_SUCCESS)
		o->failed = OTF2_Archive_SetSerialCollectiveCallbacks(o->archive);
	describe(o);
	damage = bob_otf2_events(o);
	st = damage;
	if (st == BOB_OK || st == BOB_ERR_CORRUPT)
		st = bob_otf2_definitions(o);
	if (o->failed == OTF2_SUCCESS && OTF2_Archive_Close(o->archive) != OTF2_SUCCESS)
		st = BOB_ERR_IO; /* not called after a failure, which it could make worse */
	return st == BOB_OK ? damage : st;
}

bob_status bob_export_mpi_otf2(struct bob_export *x)
{
	struct bob_otf2 o = { .x = x };
	bob_status st = make_tables(&o);

	o.exact = bob_mpi_clock_is_exact(x->trace, x->threads, x->thread_count);
	(void)OTF2_Error_RegisterCallback(keep_error, &o);
	if (st == BOB_OK)
		st = write_archive(&o);
	(void)OTF2_Error_RegisterCallback(NULL, NULL);
	if (st == BOB_ERR_IO && !*x->said)
		snprintf(x->said, BOB_EXPORT_SAID, "%s", OTF2_Error_GetDescription(o.failed));
	bob_otf2_comms_free(&o);
	free(o.events);
	free(o.has_calls);
	free(o.region);
	return st;
}
