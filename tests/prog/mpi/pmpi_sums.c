/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts messages and bytes by pair of processes, and calls by function, while the program runs.
 * When a process that called MPI_Init ends, it writes the file SUMS_DIR/PID with the lines:
 *
 *   rank R of N                          its rank in MPI_COMM_WORLD
 *   call NAME CALLS
 *   send|put|get rank R MESSAGES BYTES   to (get: from) a rank of its own MPI_COMM_WORLD
 *   send|put|get pid P MESSAGES BYTES    to (get: from) a process of another MPI_COMM_WORLD
 *
 * Ranks are translated for every message. A cache by communicator could use a stale handle. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pmpi_sums.h"

#define ROWS 4096
#define REQUESTS 65536
#define GROUPS 64
#define NO_RANK (-2147483647 - 1)

enum way { SEND, PUT, GET };

/* A peer is a rank of MPI_COMM_WORLD, or the negative number of a process outside of it. */
struct row {
	enum way way;
	int peer;
	unsigned long messages, bytes;
};

struct persistent {
	MPI_Request request;
	int peer;
	unsigned long bytes;
};

/* Processes of another MPI_COMM_WORLD. */
struct met {
	MPI_Group group;
	int *pid;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct row row[ROWS];
static struct persistent persistent[REQUESTS];
static struct met met[GROUPS];
static int rows, requests, groups;
static MPI_Group world;
static int rank, ranks, pid; /* pid 0: MPI_Init has not been called */

__thread int sums_inside;

static void stop(const char *why)
{
	fprintf(stderr, "pmpi_sums: %s\n", why);
	abort();
}

/* --- peers --- */

static int translate(MPI_Group from, int r, MPI_Group to)
{
	int out;

	SUMS_NEXT(PMPI_Group_translate_ranks)(from, 1, &r, to, &out);
	return out;
}

static int peer_of(MPI_Group g, int r)
{
	int peer = translate(g, r, world);

	for (int i = 0; peer == MPI_UNDEFINED && i < groups; i++) {
		int there = translate(g, r, met[i].group);

		if (there != MPI_UNDEFINED)
			peer = -met[i].pid[there];
	}
	SUMS_NEXT(PMPI_Group_free)(&g);
	if (peer == MPI_UNDEFINED)
		stop("a message goes to a process of unknown origin");
	return peer;
}

static int peer_by_comm(MPI_Comm c, int r)
{
	MPI_Group g;
	int inter;

	if (r == MPI_PROC_NULL)
		return NO_RANK;
	SUMS_NEXT(PMPI_Comm_test_inter)(c, &inter);
	if (inter)
		SUMS_NEXT(PMPI_Comm_remote_group)(c, &g);
	else
		SUMS_NEXT(PMPI_Comm_group)(c, &g);
	return peer_of(g, r);
}

static int peer_by_window(MPI_Win w, int r)
{
	MPI_Group g;

	if (r == MPI_PROC_NULL)
		return NO_RANK;
	SUMS_NEXT(PMPI_Win_get_group)(w, &g);
	return peer_of(g, r);
}

static unsigned long bytes_of(MPI_Count count, MPI_Datatype type)
{
	MPI_Count size;

	SUMS_NEXT(PMPI_Type_size_x)(type, &size);
	return (unsigned long)(count * size);
}

/* --- sums --- */

static void add(enum way way, int peer, unsigned long bytes)
{
	int i = 0;

	if (peer == NO_RANK)
		return;
	pthread_mutex_lock(&lock);
	while (i < rows && (row[i].way != way || row[i].peer != peer))
		i++;
	if (i == ROWS)
		stop("too many pairs");
	if (i == rows) {
		row[i].way = way;
		row[i].peer = peer;
		rows++;
	}
	row[i].messages++;
	row[i].bytes += bytes;
	pthread_mutex_unlock(&lock);
}

void sums_send(MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm)
{
	add(SEND, peer_by_comm(comm, dest), bytes_of(count, type));
}

void sums_put(MPI_Count count, MPI_Datatype type, int target, MPI_Win win)
{
	if (count && bytes_of(count, type))
		add(PUT, peer_by_window(win, target), bytes_of(count, type));
}

void sums_get(MPI_Count count, MPI_Datatype type, int target, MPI_Win win)
{
	if (count && bytes_of(count, type))
		add(GET, peer_by_window(win, target), bytes_of(count, type));
}

/* --- persistent requests, by handle; MPI reuses a handle only after MPI_Request_free --- */

void sums_forget(const MPI_Request *request)
{
	pthread_mutex_lock(&lock);
	for (int i = requests - 1; i >= 0; i--)
		if (persistent[i].request == *request)
			persistent[i] = persistent[--requests];
	pthread_mutex_unlock(&lock);
}

void sums_persistent(MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm,
		     const MPI_Request *request)
{
	struct persistent p = { *request, NO_RANK, 0 };

	if (type != MPI_DATATYPE_NULL) {
		p.peer = peer_by_comm(comm, dest);
		p.bytes = bytes_of(count, type);
	}
	sums_forget(request);
	pthread_mutex_lock(&lock);
	if (requests == REQUESTS)
		stop("too many persistent requests");
	persistent[requests++] = p;
	pthread_mutex_unlock(&lock);
}

static struct persistent persistent_of(MPI_Request request)
{
	struct persistent p = { request, NO_RANK, 0 };
	int i = 0;

	pthread_mutex_lock(&lock);
	while (i < requests && persistent[i].request != request)
		i++;
	if (i == requests)
		stop("a request is started that was not made");
	p = persistent[i];
	pthread_mutex_unlock(&lock);
	return p;
}

void sums_start(int count, const MPI_Request *request)
{
	for (int i = 0; i < count; i++) {
		struct persistent p = persistent_of(request[i]);

		add(SEND, p.peer, p.bytes);
	}
}

/* --- begin and end --- */

void sums_spawned(MPI_Comm inter)
{
	struct met *m = &met[groups];
	int own = (int)getpid(), size;

	if (groups == GROUPS)
		stop("too many spawns");
	SUMS_NEXT(PMPI_Comm_remote_size)(inter, &size);
	SUMS_NEXT(PMPI_Comm_remote_group)(inter, &m->group);
	m->pid = malloc((size_t)size * sizeof(int));
	if (!m->pid)
		stop("no memory");
	SUMS_NEXT(PMPI_Allgather)(&own, 1, MPI_INT, m->pid, 1, MPI_INT, inter);
	groups++;
}

void sums_begin(void)
{
	MPI_Comm parent;

	SUMS_NEXT(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank);
	SUMS_NEXT(PMPI_Comm_size)(MPI_COMM_WORLD, &ranks);
	SUMS_NEXT(PMPI_Comm_group)(MPI_COMM_WORLD, &world);
	SUMS_NEXT(PMPI_Comm_get_parent)(&parent);
	pid = (int)getpid();
	if (parent != MPI_COMM_NULL)
		sums_spawned(parent);
}

static void write_rows(FILE *f)
{
	static const char *const name[] = { "send", "put", "get" };

	for (int i = 0; i < rows; i++)
		fprintf(f, "%s %s %d %lu %lu\n", name[row[i].way], row[i].peer < 0 ? "pid" : "rank",
			abs(row[i].peer), row[i].messages, row[i].bytes);
}

__attribute__((destructor)) static void write_sums(void)
{
	const char *directory = getenv("SUMS_DIR");
	char path[4096];
	FILE *f;

	if (!directory || pid != (int)getpid()) /* no MPI_Init, or a forked child */
		return;
	snprintf(path, sizeof(path), "%s/%d", directory, pid);
	f = fopen(path, "w");
	if (!f)
		stop("the sums cannot be written");
	fprintf(f, "rank %d of %d\n", rank, ranks);
	for (int i = 0; i < sums_functions; i++)
		if (sums_calls[i])
			fprintf(f, "call %s %lu\n", sums_name[i], sums_calls[i]);
	write_rows(f);
	fclose(f);
}
