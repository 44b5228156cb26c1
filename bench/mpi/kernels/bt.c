/* SPDX-License-Identifier: BSD-3-Clause */
/* BT-like: five coupled fields in a box, in time by approximate factorisation, block tridiagonal
 * systems along every line of each axis. The box is divided into q x q x q cells, and each of q x q
 * ranks has q of them (a multipartition: one in each layer of cells, along each axis). So all ranks
 * work in every stage of a sweep, and each has the same six neighbours for all of its cells.
 *
 *     mpirun -n 9 bt [POINTS [STEPS]]     a square number of ranks; 24 points an axis, 20 steps
 *
 * The printed sum is the same on any number of ranks; for the default problem it is checked. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F 5		/* fields */
#define SIDE_MAX 8	/* 64 ranks */
#define DIFFUSION 0.3
#define EXPECTED 27621.944566
#define LINE (F * F + F) /* doubles that a line passes to the next cell */

struct cell {
	int at[3], from[3], size[3]; /* where in the box of cells; its first point; its points */
	double *u, *r, *g; /* with ghosts on all sides; without: right side, eliminated blocks */
};

static int rank, side, points = 24;
static struct cell cell[SIDE_MAX];
static int after[3], before[3]; /* ranks that have the next cells along an axis */
static double *outgoing[2], *incoming[2];

static int owner(int x, int y, int z)
{
	return (x - z + side) % side + (y + z) % side * side;
}

static size_t ghosted(const struct cell *c, int x, int y, int z)
{
	return ((size_t)((z + 1) * (c->size[1] + 2) + y + 1) * (size_t)(c->size[0] + 2) +
		(size_t)(x + 1)) *
	       F;
}

static size_t inner(const struct cell *c, const int *p)
{
	return (size_t)((p[2] * c->size[1] + p[1]) * c->size[0] + p[0]);
}

static double *take(size_t n)
{
	double *p = calloc(n, sizeof(*p));

	if (!p)
		MPI_Abort(MPI_COMM_WORLD, 2);
	return p;
}

static void make_cell(struct cell *c, int z)
{
	size_t n;

	c->at[0] = (rank % side + z) % side;
	c->at[1] = (rank / side - z + side) % side;
	c->at[2] = z;
	for (int d = 0; d < 3; d++) {
		c->from[d] = c->at[d] * points / side;
		c->size[d] = (c->at[d] + 1) * points / side - c->from[d];
	}
	n = (size_t)c->size[0] * (size_t)c->size[1] * (size_t)c->size[2];
	c->u = take((size_t)(c->size[0] + 2) * (size_t)(c->size[1] + 2) * (size_t)(c->size[2] + 2) *
		    F);
	c->r = take(n * F);
	c->g = take(n * F * F);
	for (int k = 0; k < c->size[2]; k++)
		for (int j = 0; j < c->size[1]; j++)
			for (int i = 0; i < c->size[0]; i++)
				for (int f = 0; f < F; f++)
					c->u[ghosted(c, i, j, k) + (size_t)f] =
						sin(0.1 * (i + c->from[0]) + f) +
						cos(0.2 * (j + c->from[1])) * (k + c->from[2] + 1) *
							0.1;
}

/* --- faces --- */

/* Copies a face of u to or from `buffer`: the plane `at` (0 is the first own one, -1 a ghost) along
 * axis d. */
static double *move_face(struct cell *c, int d, int at, double *buffer, int out)
{
	int a = (d + 1) % 3, b = (d + 2) % 3, p[3];

	p[d] = at;
	for (p[b] = 0; p[b] < c->size[b]; p[b]++)
		for (p[a] = 0; p[a] < c->size[a]; p[a]++, buffer += F) {
			double *u = c->u + ghosted(c, p[0], p[1], p[2]);

			memcpy(out ? buffer : u, out ? u : buffer, F * sizeof(double));
		}
	return buffer;
}

/* All faces for one neighbour are in one message. */
static void exchange_faces(void)
{
	static double *face[2][6];
	MPI_Request request[12];
	int count[6];
	size_t most = (size_t)side * (size_t)(points / side + 1) * (size_t)(points / side + 1) * F;

	for (int k = 0; k < 12 && !face[1][5]; k++)
		face[k / 6][k % 6] = take(most);
	for (int k = 0; k < 6; k++) { /* k / 2 is the axis; up, down */
		double *at = face[0][k];

		for (int c = 0; c < side; c++)
			if (cell[c].at[k / 2] != (k % 2 ? 0 : side - 1))
				at = move_face(&cell[c], k / 2, k % 2 ? 0 : cell[c].size[k / 2] - 1,
					       at, 1);
		count[k] = (int)(at - face[0][k]);
	}
	for (int k = 0; k < 6; k++)
		MPI_Irecv(face[1][k], (int)most, MPI_DOUBLE, k % 2 ? after[k / 2] : before[k / 2],
			  k, MPI_COMM_WORLD, &request[k]);
	for (int k = 0; k < 6; k++)
		MPI_Isend(face[0][k], count[k], MPI_DOUBLE, k % 2 ? before[k / 2] : after[k / 2], k,
			  MPI_COMM_WORLD, &request[6 + k]);
	MPI_Waitall(12, request, MPI_STATUSES_IGNORE);
	for (int k = 0; k < 6; k++) {
		double *at = face[1][k];

		/* the neighbour packed in the order of its z, which may differ from ours */
		for (int z = 0; z < side; z++)
			for (int c = 0; c < side; c++)
				if (cell[c].at[k / 2] != (k % 2 ? side - 1 : 0) &&
				    cell[c].at[2] + (k / 2 == 2 ? (k % 2 ? 1 : -1) : 0) == z)
					at = move_face(&cell[c], k / 2,
						       k % 2 ? cell[c].size[k / 2] : -1, at, 0);
	}
}

static void right_side(struct cell *c)
{
	static const int step[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	int p[3];

	for (p[2] = 0; p[2] < c->size[2]; p[2]++)
		for (p[1] = 0; p[1] < c->size[1]; p[1]++)
			for (p[0] = 0; p[0] < c->size[0]; p[0]++)
				for (size_t f = 0; f < F; f++) {
					const double *u = c->u + f;
					double sum = 0;

					for (int d = 0; d < 3; d++)
						sum += u[ghosted(c, p[0] - step[d][0],
								 p[1] - step[d][1],
								 p[2] - step[d][2])] +
						       u[ghosted(c, p[0] + step[d][0],
								 p[1] + step[d][1],
								 p[2] + step[d][2])] -
						       2 * u[ghosted(c, p[0], p[1], p[2])];
					c->r[inner(c, p) * F + f] = DIFFUSION * sum;
				}
}

/* --- lines --- */

/* [g r] = b^-1 [c r], b and c being F x F; b is used up. Its diagonal dominates, so no pivoting. */
static void solve_block(double b[F][F], double *g, double *r)
{
	for (int k = 0; k < F; k++) {
		double pivot = 1 / b[k][k];

		for (int i = 0; i < F; i++) {
			double factor = i == k ? 0 : b[i][k] * pivot;

			for (int j = 0; j < F && i != k; j++) {
				b[i][j] -= factor * b[k][j];
				g[i * F + j] -= factor * g[k * F + j];
			}
			r[i] -= factor * r[k];
		}
		for (int j = 0; j < F; j++) {
			b[k][j] *= pivot;
			g[k * F + j] *= pivot;
		}
		r[k] *= pivot;
	}
}

/* Eliminates one point of a line; `above` has the result of the previous point, G and r (0 at the
 * wall). */
static void eliminate(const double *u, const double *above, double *g, double *r)
{
	double b[F][F];

	for (int i = 0; i < F; i++)
		for (int j = 0; j < F; j++) {
			b[i][j] = 0.02 * u[(i + j) % F] / (1 + fabs(u[(i + j) % F])) +
				  (i == j ? 1 + 2 * DIFFUSION : 0) + DIFFUSION * above[i * F + j];
			g[i * F + j] = i == j ? -DIFFUSION : 0;
		}
	for (int i = 0; i < F; i++)
		r[i] += DIFFUSION * above[F * F + i];
	solve_block(b, g, r);
}

/* Processes all lines of a cell along axis d, from the first point to the last, or back. `line` has
 * the values of the previous cell, and gets those for the next one. */
static void run_lines(struct cell *c, int d, int back, double *line)
{
	int a = (d + 1) % 3, b = (d + 2) % 3, p[3];

	for (p[b] = 0; p[b] < c->size[b]; p[b]++)
		for (p[a] = 0; p[a] < c->size[a]; p[a]++, line += back ? F : LINE)
			for (int i = 0; i < c->size[d]; i++) {
				p[d] = back ? c->size[d] - 1 - i : i;
				double *g = c->g + inner(c, p) * F * F, *r = c->r + inner(c, p) * F;

				if (!back) {
					eliminate(c->u + ghosted(c, p[0], p[1], p[2]), line, g, r);
					memcpy(line, g, F * F * sizeof(*g));
					memcpy(line + F * F, r, F * sizeof(*r));
					continue;
				}
				for (int m = 0; m < F * F; m++)
					r[m / F] -= g[m] * line[m % F];
				memcpy(line, r, F * sizeof(*r));
			}
}

/* In each stage each rank has one cell of the layer. Messages to the next cell are under way during
 * the next stage. */
static void sweep(int d, int back)
{
	MPI_Request request[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	int a = (d + 1) % 3, b = (d + 2) % 3;

	for (int stage = 0; stage < side; stage++) {
		struct cell *c = cell;
		int n;
		double *line = outgoing[stage % 2];

		while (c->at[d] != (back ? side - 1 - stage : stage))
			c++;
		n = c->size[a] * c->size[b] * (back ? F : LINE);
		if (stage) {
			MPI_Irecv(incoming[0], n, MPI_DOUBLE, back ? after[d] : before[d], 10 + d,
				  MPI_COMM_WORLD, &request[0]);
			MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
			memcpy(line, incoming[0], (size_t)n * sizeof(*line));
		} else {
			memset(line, 0, (size_t)n * sizeof(*line));
		}
		run_lines(c, d, back, line);
		if (stage < side - 1)
			MPI_Isend(line, n, MPI_DOUBLE, back ? before[d] : after[d], 10 + d,
				  MPI_COMM_WORLD, &request[1]);
	}
}

/* --- all --- */

static double add(void)
{
	double sum = 0, all;

	for (struct cell *c = cell; c < cell + side; c++) {
		int p[3];

		for (p[2] = 0; p[2] < c->size[2]; p[2]++)
			for (p[1] = 0; p[1] < c->size[1]; p[1]++)
				for (p[0] = 0; p[0] < c->size[0]; p[0]++)
					for (size_t f = 0; f < F; f++) {
						double *u = c->u + ghosted(c, p[0], p[1], p[2]) + f;

						*u += c->r[inner(c, p) * F + f];
						sum += *u * *u;
					}
	}
	MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

int main(int argc, char **argv)
{
	int ranks, steps = 20;
	double sum = 0;
	size_t most;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	points = argc > 1 ? atoi(argv[1]) : points;
	steps = argc > 2 ? atoi(argv[2]) : steps;
	while (side * side < ranks)
		side++;
	if (side * side != ranks || side > SIDE_MAX || points < side || steps < 1) {
		if (!rank)
			fprintf(stderr,
				"bt: want a square of at most %d ranks, "
				"and a point for each cell\n",
				SIDE_MAX * SIDE_MAX);
		MPI_Finalize();
		return 2;
	}
	for (int z = 0; z < side; z++)
		make_cell(&cell[z], z);
	for (int d = 0; d < 3; d++) {
		const int *at = cell[0].at;
		int to[2][3] = { { at[0], at[1], at[2] }, { at[0], at[1], at[2] } };

		to[0][d] = (at[d] + 1) % side;
		to[1][d] = (at[d] + side - 1) % side;
		after[d] = owner(to[0][0], to[0][1], to[0][2]);
		before[d] = owner(to[1][0], to[1][1], to[1][2]);
	}
	most = (size_t)(points / side + 1) * (size_t)(points / side + 1) * LINE;
	for (int i = 0; i < 2; i++) {
		outgoing[i] = take(most);
		incoming[i] = take(most);
	}
	for (int i = 0; i < steps; i++) {
		exchange_faces();
		for (int c = 0; c < side; c++)
			right_side(&cell[c]);
		for (int d = 0; d < 3; d++) {
			sweep(d, 0);
			sweep(d, 1);
		}
		sum = add();
	}
	if (!rank)
		printf("%d points, %d steps: %.6f\n", points, steps, sum);
	MPI_Finalize();
	return points == 24 && steps == 20 && !(fabs(sum - EXPECTED) < 1e-6 * EXPECTED);
}
