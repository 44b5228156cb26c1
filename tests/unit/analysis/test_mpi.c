/* SPDX-License-Identifier: BSD-3-Clause */
/* The analyses of MPI calls: bytes of each kind of call, handles, requests, the matrix, the table,
 * and who does the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/mpi/matrix.h"
#include "analysis/mpi/programs.h"
#include "analysis/mpi/tables.h"
#include "analysis/mpi/vectors.h"
#include "fake_calls.h"

#define WORLD 1u
#define INT 9u
#define DOUBLE 16u
#define COMM 256u		/* the first that is made */
#define TYPE 256u
#define PROC_NULL ((uint64_t)-2)
#define SUM 3u			/* operations */
#define NO_OP 14u
#define IN_PLACE 1u

static struct bob_trace *make_trace(uint32_t processes)
{
	struct bob_trace *t = calloc(1, sizeof(*t));

	t->count = processes;
	for (uint32_t i = 0; i < processes; i++) {
		t->process[i].rank = (int32_t)i;
		t->process[i].world_size = (int32_t)processes;
		t->process[i].first_thread = i;
		t->process[i].thread_count = 1;
		t->process[i].image_count = PROCESSES;
		t->thread[i].process = i;
	}
	return t;
}

/* A call of the function of that name with these words; at a place of its own unless said
 * otherwise. */
static struct made *put(struct bob_trace *t, uint32_t process, const char *name,
			const uint64_t *word, size_t words)
{
	struct made *m = &t->call[process][t->calls[process]++];
	uint32_t i = 0;

	while (i < bob_mpi_function_count && strcmp(bob_mpi_functions[i].name, name) != 0)
		i++;
	assert_true(i < bob_mpi_function_count);
	assert_int_equal(bob_mpi_functions[i].words, words);
	m->function = bob_mpi_functions[i].number;
	m->key[0] = (uint8_t)(m->function & 127) | 128;
	m->key[1] = (uint8_t)(m->function >> 7);
	m->place = 4096 + 16 * (uint64_t)m->function;
	memcpy(m->word, word, words * sizeof(*word));
	return m;
}

#define PUT(t, process, name, ...)                                                                 \
	put(t, process, name, (const uint64_t[]){ __VA_ARGS__ },                                   \
	    sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void set_vector(struct made *m, uint32_t i, size_t count, const uint64_t *value)
{
	m->length[i] = count;
	memcpy(m->vector[i], value, count * sizeof(*value));
}

#define VECTOR(m, i, ...)                                                                          \
	set_vector(m, i, sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t),             \
		   (const uint64_t[]){ __VA_ARGS__ })

/* Ranks 0 and 2, 1 and 3 of four: comm#1 of everybody. */
static void split(struct bob_trace *t)
{
	for (uint32_t i = 0; i < 4; i++)
		VECTOR(PUT(t, i, "Comm_split", WORLD, i % 2, 0, 0, COMM, 2), 0, i % 2, i % 2 + 2);
}

/* --- bytes --- */

static uint64_t sent_by(struct bob_trace *t, uint32_t process)
{
	struct bob_mpi_objects *o;
	struct bob_mpi_reader *r;
	struct bob_mpi_call c;
	uint64_t sent = 0;

	assert_int_equal(bob_mpi_objects_create(t, process, &o), BOB_OK);
	assert_int_equal(bob_mpi_reader_open(t, process, &r, NULL), BOB_OK);
	while (bob_mpi_reader_next(r, &c, NULL) == BOB_OK)
		sent = bob_mpi_sent(o, &c); /* of the last one */
	bob_mpi_reader_close(r);
	bob_mpi_objects_destroy(o);
	return sent;
}

#define SENT(expected, process, name, ...)                                                         \
	do {                                                                                       \
		struct bob_trace *t_ = make_trace(4);                                              \
		split(t_);                                                                         \
		PUT(t_, process, name, __VA_ARGS__);                                               \
		assert_int_equal(sent_by(t_, process), expected);                                  \
		free(t_);                                                                          \
	} while (0)

static void bytes(void **state)
{
	(void)state;
	SENT(40, 0, "Send", 2, 10, INT, 1, 7, WORLD, 0);
	SENT(40, 0, "Send_c", 2, 10, INT, 1, 7, WORLD, 0);
	SENT(0, 0, "Send", 2, 10, INT, PROC_NULL, 7, WORLD, 0);
	SENT(BOB_MPI_UNKNOWN, 0, "Send", 2, 10, 300, 1, 7, WORLD, 0);
	SENT(0, 0, "Send", 2, 0, 300, 1, 7, WORLD, 0);
	SENT(0, 0, "Recv", 2, 10, INT, 1, 7, WORLD, 0, 1, 7, 40);
	SENT(24, 0, "Sendrecv", 2, 3, DOUBLE, 1, 7, 2, 9, INT, 1, 7, WORLD, 0, 1, 7, 36);
	SENT(0, 0, "Barrier", WORLD, 0);
	SENT(8, 1, "Bcast", 2, 1, DOUBLE, 1, WORLD, 0);
	SENT(0, 2, "Bcast", 2, 1, DOUBLE, 1, WORLD, 0);
	SENT(8, 3, "Bcast", 2, 1, DOUBLE, 1, COMM, 0);	/* rank 1 of the odd ones */
	SENT(0, 1, "Bcast", 2, 1, DOUBLE, 1, COMM, 0);
	SENT(8, 0, "Ibcast", 2, 1, DOUBLE, 0, WORLD, 0, 2);
	SENT(12, 0, "Gather", 2, 3, INT, 2, 3, INT, 0, WORLD, 0);
	SENT(0, 0, "Gather", IN_PLACE, 0, 0, 2, 3, INT, 0, WORLD, 0);
	SENT(48, 0, "Scatter", 2, 3, INT, 2, 3, INT, 0, WORLD, 0);
	SENT(12, 0, "Allgather", 2, 3, INT, 2, 3, INT, WORLD, 0);
	SENT(20, 0, "Allgather", IN_PLACE, 0, 0, 2, 5, INT, WORLD, 0);
	SENT(48, 0, "Alltoall", 2, 3, INT, 2, 3, INT, WORLD, 0);
	SENT(24, 0, "Alltoall", 2, 3, INT, 2, 3, INT, COMM, 0);
	SENT(24, 0, "Ialltoall", 2, 3, INT, 2, 3, INT, COMM, 0, 2);
	SENT(24, 0, "Alltoall_init", 2, 3, INT, 2, 3, INT, COMM, 0, 0, 2);
	SENT(24, 0, "Allreduce", 2, 2, 3, DOUBLE, 3, WORLD, 0);
	SENT(96, 0, "Reduce_scatter_block", 2, 2, 3, DOUBLE, 3, WORLD, 0);
	SENT(BOB_MPI_UNKNOWN, 0, "Neighbor_alltoall", 2, 3, INT, 2, 3, INT, COMM, 0);
	SENT(0, 0, "Reduce_local", 2, 2, 3, INT, 3, 0);
	SENT(24, 0, "Get_accumulate", 2, 3, DOUBLE, 2, 3, DOUBLE, 1, 0, 3, DOUBLE, SUM, 256, 0);
	SENT(0, 0, "Get_accumulate", 2, 3, DOUBLE, 2, 3, DOUBLE, 1, 0, 3, DOUBLE, NO_OP, 256, 0);
	SENT(8, 0, "Fetch_and_op", 2, 2, DOUBLE, 1, 0, SUM, 256, 0);
	SENT(0, 0, "Fetch_and_op", 2, 2, DOUBLE, 1, 0, NO_OP, 256, 0);
	SENT(8, 0, "Compare_and_swap", 2, 2, 2, DOUBLE, 1, 0, 256, 0);
}

/* Vectors, and those that begin with the process itself. */
static void spreads(void **state)
{
	struct bob_trace *t = make_trace(4);
	struct bob_mpi_objects *o;
	struct bob_mpi_reader *r;
	struct bob_mpi_call c;
	struct made *m = PUT(t, 1, "Alltoallv", 2, 4, 4, INT, 2, 4, 4, INT, WORLD, 0);
	uint64_t to[4];

	(void)state;
	VECTOR(m, 0, 5, 6, 7, 8);
	assert_int_equal(sent_by(t, 1), 26 * 4);
	assert_int_equal(bob_mpi_objects_create(t, 1, &o), BOB_OK);
	assert_int_equal(bob_mpi_reader_open(t, 1, &r, NULL), BOB_OK);
	assert_int_equal(bob_mpi_reader_next(r, &c, NULL), BOB_OK);
	assert_true(bob_mpi_spread(o, &c, to, 4));
	assert_int_equal(to[1], 20);
	assert_int_equal(to[2], 24);
	assert_int_equal(to[3], 28);
	assert_int_equal(to[0], 32);
	assert_false(bob_mpi_spread(o, &c, to, 3));
	bob_mpi_reader_close(r);
	bob_mpi_objects_destroy(o);
	free(t);
}

/* --- objects --- */

static void handles(void **state)
{
	struct bob_trace *t = make_trace(4);
	struct bob_mpi_objects *o;
	const struct bob_mpi_comm *c;

	(void)state;
	split(t);
	PUT(t, 3, "Comm_idup", COMM, 0, COMM + 1, 0, 2);
	PUT(t, 3, "Type_contiguous", 3, DOUBLE, 0, TYPE, 24);
	PUT(t, 3, "Type_contiguous", 3, DOUBLE, 1, 0, 0); /* failed */
	VECTOR(PUT(t, 3, "Cart_create", COMM, 1, 1, 1, 0, 0, COMM + 2, 2), 2, 1, 3);
	PUT(t, 3, "Win_create", 2, 64, 8, 0, COMM, 0, 256);
	assert_int_equal(bob_mpi_objects_create(t, 3, &o), BOB_OK);
	c = bob_mpi_objects_comm(o, COMM);
	assert_non_null(c);
	assert_int_equal(c->members, 2);
	assert_int_equal(c->me, 1);
	assert_string_equal(c->made_by->name, "Comm_split");
	assert_int_equal(bob_mpi_objects_member(o, COMM, 0), 1);
	assert_int_equal(bob_mpi_objects_member(o, COMM + 1, 1), 3);
	assert_int_equal(bob_mpi_objects_member(o, COMM, 2), ~0u);
	assert_int_equal(bob_mpi_objects_member(o, COMM + 9, 0), ~0u);
	assert_int_equal(bob_mpi_objects_member(o, WORLD, 2), 2);
	assert_int_equal(bob_mpi_objects_member(o, 2, 0), 3);
	assert_int_equal(bob_mpi_objects_comm(o, COMM + 2)->neighbours, 2);
	assert_int_equal(bob_mpi_objects_size(o, TYPE), 24);
	assert_int_equal(bob_mpi_objects_size(o, INT), 4);
	assert_int_equal(bob_mpi_objects_size(o, 255), BOB_MPI_UNKNOWN);
	assert_int_equal(bob_mpi_objects_window_comm(o, 256), COMM);
	bob_mpi_objects_destroy(o);
	free(t);
}

/* --- the matrix --- */

static void check_cells(const struct bob_trace *t, enum bob_mpi_matrix_of of,
			const struct bob_mpi_cell *want, size_t count, uint64_t lost)
{
	struct bob_mpi_matrix *m;
	size_t n;
	const struct bob_mpi_cell *cell;

	assert_int_equal(bob_mpi_matrix_create(t, of, &m), BOB_OK);
	for (uint32_t i = 0; i < t->count; i++)
		assert_int_equal(bob_mpi_matrix_add(m, i, NULL), BOB_OK);
	cell = bob_mpi_matrix_cells(m, &n);
	assert_int_equal(n, count);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(cell[i].from, want[i].from);
		assert_int_equal(cell[i].to, want[i].to);
		assert_int_equal(cell[i].messages, want[i].messages);
		assert_int_equal(cell[i].bytes, want[i].bytes);
		assert_int_equal(cell[i].unknown, want[i].unknown);
	}
	assert_int_equal(bob_mpi_matrix_lost(m), lost);
	assert_int_equal(bob_mpi_matrix_ranks(m), t->count);
	bob_mpi_matrix_destroy(m);
}

static void matrix(void **state)
{
	static const struct bob_mpi_cell want[] = {
		{ 0, 2, 3, 16, 0 }, { 1, 0, 1, 0, 1 }, { 3, 1, 2, 24, 0 }
	};
	struct bob_trace *t = make_trace(4);

	(void)state;
	split(t);
	PUT(t, 0, "Send", 2, 1, INT, 1, 0, COMM, 0);
	PUT(t, 0, "Isend", 2, 1, INT, 1, 0, COMM, 0, 2);
	PUT(t, 0, "Sendrecv", 2, 1, DOUBLE, 1, 7, 2, 9, INT, 1, 7, COMM, 0, 1, 7, 36);
	PUT(t, 0, "Send", 2, 1, INT, PROC_NULL, 0, COMM, 0);
	PUT(t, 0, "Send", 2, 1, INT, 1, 0, COMM, 5);	/* failed */
	PUT(t, 0, "Recv", 2, 1, INT, 1, 0, COMM, 0, 1, 0, 4);
	PUT(t, 1, "Send", 2, 1, 299, 0, 0, WORLD, 0);
	PUT(t, 2, "Start", 6, 0);	/* of a request that no call created */
	/* a persistent send is the older one of two requests when it is started, then, after
	 * another one, the third */
	PUT(t, 3, "Send_init", 2, 3, INT, 0, 0, COMM, 0, 2);
	PUT(t, 3, "Recv_init", 2, 3, INT, 0, 0, COMM, 0, 2);
	VECTOR(PUT(t, 3, "Startall", 2, 2, 0), 0, 4, 2);
	PUT(t, 3, "Irecv", 2, 3, INT, 0, 0, COMM, 0, 2);
	PUT(t, 3, "Start", 6, 0);
	check_cells(t, BOB_MPI_MATRIX_MESSAGES, want, 3, 1);
	check_cells(t, BOB_MPI_MATRIX_COLLECTIVES, NULL, 0, 0);
	free(t);
}

/* --- the table --- */

static void opened(void *ctx, uint32_t thread, const struct bob_mpi_objects *o,
		   const struct bob_mpi_call *call)
{
	uint32_t *of = ctx;

	(void)o;
	assert_string_equal(call->function->name, "Barrier");
	of[thread]++;
}

static struct bob_mpi_table *table_of(const struct bob_trace *t, enum bob_mpi_by by, uint32_t *of)
{
	struct bob_mpi_table *m;

	assert_int_equal(bob_mpi_table_create(t, by, &m), BOB_OK);
	for (uint32_t i = 0; i < t->count; i++)
		assert_int_equal(bob_mpi_table_add(m, i, &i, 1, opened, of, NULL), BOB_OK);
	return m;
}

static void table(void **state)
{
	struct bob_trace *t = make_trace(2);
	uint32_t open[PROCESSES] = { 0 }, count;
	struct bob_mpi_table *m;
	const struct bob_mpi_row *row;
	const uint32_t *unfinished;
	size_t rows;

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		PUT(t, 0, "Send", 2, 10, INT, 1, 0, WORLD, 0)->place = 100 + i / 2;
	PUT(t, 1, "Send", 2, 1, 299, 0, 0, WORLD, 0)->place = 100;
	PUT(t, 1, "Recv", 2, 10, INT, 0, 0, WORLD, 0, 0, 0, 36);
	PUT(t, 1, "Barrier", WORLD, 0)->open = 1;
	PUT(t, 0, "Finalize", 0);
	m = table_of(t, BOB_MPI_BY_FUNCTION, open);
	row = bob_mpi_table_rows(m, &rows);
	assert_int_equal(rows, 4);
	assert_string_equal(row[0].function->name, "Send");
	assert_int_equal(row[0].calls.sum, 4);
	assert_int_equal(row[0].calls.most, 3);
	assert_int_equal(row[0].calls.most_process, 0);
	assert_int_equal(row[0].sent.sum, 120);
	assert_int_equal(row[0].unknown, 1);
	assert_int_equal(row[0].processes, 2);
	assert_int_equal(bob_mpi_table_sum(m)->received.sum, 36);
	assert_int_equal(bob_mpi_table_sum(m)->received.most_process, 1);
	assert_int_equal(bob_mpi_table_sum(m)->open, 1);
	assert_int_equal(open[0] * 10 + open[1], 1);
	assert_int_equal(bob_mpi_table_processes(m), 2);
	unfinished = bob_mpi_table_unfinished(m, &count);
	assert_int_equal(count, 1);
	assert_int_equal(unfinished[0], 1);
	bob_mpi_table_destroy(m);
	/* the two processes have other numbers for the same image */
	m = table_of(t, BOB_MPI_BY_SITE, open);
	row = bob_mpi_table_rows(m, &rows);
	assert_int_equal(rows, 5);
	assert_int_equal(row[0].calls.sum, 3);
	assert_int_equal(row[0].processes, 2);
	assert_int_equal(bob_mpi_table_add_times(m), BOB_OK);
	row = bob_mpi_table_rows(m, &rows);
	assert_int_equal(rows, 5);
	assert_int_equal(row[0].time_ns, 50);
	assert_int_equal(bob_mpi_table_sum(m)->time_ns, 50);
	bob_mpi_table_destroy(m);
	m = table_of(t, BOB_MPI_BY_RANK, open);
	row = bob_mpi_table_rows(m, &rows);
	assert_int_equal(rows, 2);
	assert_int_equal(row[1].process, 1);
	assert_int_equal(row[1].calls.sum, 3);
	bob_mpi_table_destroy(m);
	free(t);
}

static const char *fake_symbol(void *ctx, const char *name)
{
	(void)ctx;
	return name;
}

static const char *fake_place(void *ctx, const struct bob_trace *t, uint32_t process,
			      uint32_t image, uint64_t pc)
{
	(void)ctx;
	(void)t;
	(void)process;
	(void)image;
	return pc == 100 ? "work  a.c:100" : "elsewhere";
}

static const struct bob_cell *cell_of(const struct bob_table *t, size_t row, const char *name)
{
	const size_t column = bob_table_find(t, name, strlen(name));

	assert_true(column < bob_table_columns(t) && row < bob_table_rows(t));
	return &bob_table_at(t, row)[column];
}

/* The rows are those of the analysis; what is known in part is a bound. */
static void typed_tables(void **state)
{
	static const struct bob_naming names = { .symbol = fake_symbol, .place = fake_place };
	struct bob_trace *t = make_trace(2);
	uint32_t open[PROCESSES] = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		PUT(t, 0, "Send", 2, 10, INT, 1, 0, WORLD, 0)->place = 100;
	PUT(t, 1, "Send", 2, 1, 299, 0, 0, WORLD, 0)->place = 100;
	PUT(t, 1, "Recv", 2, 10, INT, 0, 0, WORLD, 0, 0, 0, 36);
	for (int by = BOB_MPI_BY_FUNCTION; by <= BOB_MPI_BY_RANK; by++) {
		struct bob_mpi_table *m = table_of(t, (enum bob_mpi_by)by, open);
		struct bob_table *typed = bob_mpi_calls_table(m, t, &names);
		uint64_t calls = 0, sent = 0, unknown = 0;

		assert_false(bob_table_is_incomplete(typed));
		for (size_t i = 0; i < bob_table_rows(typed); i++) {
			const struct bob_cell *bytes = cell_of(typed, i, "sent_bytes");

			calls += cell_of(typed, i, "calls")->count;
			sent += bytes->count;
			unknown += cell_of(typed, i, "unknown_calls")->count;
			assert_int_equal(bytes->kind, cell_of(typed, i, "unknown_calls")->count ?
							      BOB_CELL_AT_LEAST :
							      BOB_CELL_EXACT);
		}
		assert_int_equal(calls, 5);
		assert_int_equal(sent, 120);
		assert_int_equal(unknown, 1);
		if (by == BOB_MPI_BY_SITE) {
			assert_string_equal(cell_of(typed, 0, "name")->text,
					    "MPI_Send  work  a.c:100");
			assert_string_equal(cell_of(typed, 0, "call")->text, "MPI_Send");
			assert_string_equal(cell_of(typed, 0, "place")->text, "work  a.c:100");
		}
		if (by == BOB_MPI_BY_RANK) {
			assert_string_equal(cell_of(typed, 1, "process")->text, "rank 1");
			assert_int_equal(cell_of(typed, 1, "rank")->number, 1);
		}
		bob_table_destroy(typed);
		bob_mpi_table_destroy(m);
	}
	free(t);
}

/* --- loops --- */

/* Calls of rank 0 in loops: persistent requests that are started in turn, the same one while others
 * are made, and another one each time by the same name; peers that change, also into none. */
static void loops(void **state)
{
	static const struct bob_mpi_cell want[] = {
		{ 0, 0, 1, 4, 0 }, { 0, 1, 10, 60, 0 }, { 0, 2, 5, 20, 0 }, { 0, 3, 1, 4, 0 }
	};
	struct bob_trace *t = make_trace(4);
	uint32_t open[PROCESSES] = { 0 };
	struct bob_mpi_table *m;

	(void)state;
	for (uint64_t i = 0; i < 3; i++)
		PUT(t, 0, "Send_init", 2, 1 + i, INT, 1, 0, WORLD, 0, 2);
	for (uint64_t i = 0; i < 3; i++)
		PUT(t, 0, "Start", 6 - 2 * i, 0);
	for (uint64_t i = 0; i < 4; i++) {
		PUT(t, 0, "Isend", 2, 1, INT, 2, 0, WORLD, 0, 2);
		PUT(t, 0, "Start", 8 + 2 * i, 0)->place = 100;
	}
	for (uint64_t i = 0; i < 4;
	     i++) { /* the third, then those of Isend, which are not persistent */
		PUT(t, 0, "Irecv", 2, 1, INT, 2, 0, WORLD, 0, 2);
		PUT(t, 0, "Start", 12, 0)->place = 200;
	}
	for (uint64_t i = 0; i < 3; i++)
		PUT(t, 0, "Send", 2, 1, INT, 3 - i, 0, WORLD, 0);
	for (uint64_t i = 0; i < 4; i++)
		PUT(t, 0, "Send", 2, 1, INT, 1 - i, 0, WORLD, 0);
	loops_seen = 0;
	check_cells(t, BOB_MPI_MATRIX_MESSAGES, want, 4, 3);
	assert_int_equal(loops_seen, 12);	/* six, for handles and for messages */
	m = table_of(t, BOB_MPI_BY_FUNCTION, open);
	assert_int_equal(bob_mpi_table_sum(m)->sent.sum, 88);
	assert_int_equal(bob_mpi_table_sum(m)->unknown, 3);
	assert_int_equal(bob_mpi_table_sum(m)->calls.sum, 29);
	bob_mpi_table_destroy(m);
	free(t);
}

/* --- programs --- */

static void programs(void **state)
{
	static const uint32_t threads[] = { 0, 1, 2, 3 };
	struct bob_trace *t = make_trace(4);
	struct bob_mpi_programs *p;
	struct bob_mpi_leaf leaf;
	const struct bob_mpi_program *const *member;
	uint32_t count;
	uint64_t n;

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		if (i == 3)
			break;	/* no calls: left out */
		for (uint32_t k = 0; k < 20 + i; k++) {
			PUT(t, i, "Send", 2, k, INT, (i + 1) % 4, i, WORLD, 0);
			VECTOR(PUT(t, i, "Startall", 2, 2, 0), 0, 4, 2);
		}
		PUT(t, i, "Barrier", WORLD, 0)->open = i == 2;
	}
	assert_int_equal(bob_mpi_programs_create(t, threads, 4, &p, NULL), BOB_OK);
	assert_int_equal(bob_mpi_programs_groups(p), 2); /* one is still in the barrier */
	member = bob_mpi_programs_group(p, 0, &count);
	assert_int_equal(count, 2);
	assert_int_equal(member[0]->calls, 41);
	assert_int_equal(member[1]->calls, 43);
	assert_int_equal(member[1]->rank, 1);
	assert_int_equal(member[1]->open, 0);
	assert_int_equal(bob_folded_loops(member[0]->folded), 1);
	assert_true(bob_mpi_programs_leaf(member[0], 1, &leaf));
	assert_string_equal(leaf.function->name, "Startall");
	assert_false(bob_mpi_programs_leaf(member[0], 3, &leaf));
	assert_int_equal(bob_mpi_programs_vector(p, 0, &n)[0], 4);
	assert_int_equal(n, 2);
	assert_null(bob_mpi_programs_vector(p, 1, &n)); /* all are the same */
	member = bob_mpi_programs_group(p, 1, &count);
	assert_int_equal(count, 1);
	assert_int_equal(member[0]->open, 1);
	bob_mpi_programs_destroy(p);
	free(t);
}

static void vectors(void **state)
{
	struct bob_mpi_vectors *v = bob_mpi_vectors_create();
	uint64_t number[2000], x[3], n;

	(void)state;
	assert_int_equal(bob_mpi_vectors_number(v, NULL, 0), 0);
	for (uint64_t i = 0; i < 2000; i++) {
		x[0] = i, x[1] = i * i, x[2] = 7;
		number[i] = bob_mpi_vectors_number(v, x, 1 + i % 3);
	}
	for (uint64_t i = 0; i < 2000; i++) {
		x[0] = i, x[1] = i * i, x[2] = 7;
		assert_int_equal(bob_mpi_vectors_number(v, x, 1 + i % 3), number[i]);
		assert_memory_equal(bob_mpi_vectors_get(v, number[i], &n), x, 8 * (1 + i % 3));
		assert_int_equal(n, 1 + i % 3);
	}
	assert_null(bob_mpi_vectors_get(v, 2001, &n));
	bob_mpi_vectors_destroy(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes),   cmocka_unit_test(spreads),  cmocka_unit_test(handles),
		cmocka_unit_test(matrix),  cmocka_unit_test(table),    cmocka_unit_test(programs),
		cmocka_unit_test(vectors), cmocka_unit_test(loops),
		cmocka_unit_test(typed_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
