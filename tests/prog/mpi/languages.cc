// SPDX-License-Identifier: BSD-3-Clause
// Calls of MPI from C++: templates, lambdas, destructors, and an exception thrown by the caller of
// an error handler.
#include <mpi.h>

#include <cstdio>
#include <stdexcept>
#include <vector>

template <class T> struct kind;
template <> struct kind<int> {
	static MPI_Datatype of() { return MPI_INT; }
};
template <> struct kind<double> {
	static MPI_Datatype of() { return MPI_DOUBLE; }
};

struct communicator {
	MPI_Comm c;
	explicit communicator(MPI_Comm from) { MPI_Comm_dup(from, &c); }
	~communicator() { MPI_Comm_free(&c); }
	template <class T> T sum(T x) const
	{
		T all;

		if (MPI_Allreduce(&x, &all, 1, kind<T>::of(), MPI_SUM, c) != MPI_SUCCESS)
			throw std::runtime_error("Allreduce");
		return all;
	}
};

static void fails(MPI_Comm c)
{
	communicator own(c);

	MPI_Comm_set_errhandler(own.c, MPI_ERRORS_RETURN);
	if (MPI_Send(nullptr, 1, MPI_INT, 4711, 0, own.c) != MPI_SUCCESS)
		throw std::runtime_error("no such rank");
}

int main(int argc, char **argv)
{
	int rank, n, caught = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	double d = 0;
	{
		std::vector<communicator> all;

		all.reserve(5);
		for (int i = 0; i < 5; i++)
			all.emplace_back(MPI_COMM_WORLD);
		auto add = [&](auto x) {
			for (const auto &c : all)
				d += c.sum(x);
		};
		for (int i = 0; i < 50; i++) {
			add(rank);
			add(0.5);
			try {
				fails(all[i % 5].c);
			} catch (const std::runtime_error &) {
				caught++;
			}
		}
	}
	if (rank == 0)
		std::printf("%g %d\n", d, caught);
	MPI_Finalize();
	return 0;
}
