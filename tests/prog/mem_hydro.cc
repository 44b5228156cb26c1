/* SPDX-License-Identifier: BSD-3-Clause */
/* A hydrodynamics code in the style of LULESH: elements with eight nodes each, found by indirect
 * addressing, in vectors with inlined accessors; forces on nodes, motion, strains, an equation of
 * state by material. N elements in each direction, STEPS. */
#include <cstdio>
#include <cstdlib>
#include <vector>

template <typename T> class Field {
      public:
	explicit Field(size_t n) : values(n, T(0))
	{
	}
	T &operator[](size_t i)
	{
		return values[i];
	}

      private:
	std::vector<T> values;
};

class Domain {
      public:
	explicit Domain(int n)
		: side(n), elements(n * n * n), nodes((n + 1) * (n + 1) * (n + 1)), nodelist(8 * elements),
		  material(elements), px(nodes), py(nodes), pz(nodes), vx(nodes), vy(nodes), vz(nodes),
		  fx(nodes), fy(nodes), fz(nodes), mass(nodes), energy(elements), pressure(elements),
		  volume(elements)
	{
		mesh();
	}
	double &x(int i) { return px[i]; }
	double &y(int i) { return py[i]; }
	double &z(int i) { return pz[i]; }
	int *corners(int e) { return &nodelist[8 * e]; }

	int side, elements, nodes;
	Field<int> nodelist, material;
	Field<double> px, py, pz, vx, vy, vz, fx, fy, fz, mass, energy, pressure, volume;

      private:
	void mesh();
};

void Domain::mesh()
{
	const int edge = side + 1;
	int e = 0;

	for (int k = 0; k < edge; k++)
		for (int j = 0; j < edge; j++)
			for (int i = 0; i < edge; i++) {
				const int node = (k * edge + j) * edge + i;

				x(node) = i;
				y(node) = j;
				z(node) = k;
				mass[node] = 1;
			}
	for (int k = 0; k < side; k++)
		for (int j = 0; j < side; j++)
			for (int i = 0; i < side; i++, e++) {
				const int base = (k * edge + j) * edge + i;
				int *c = corners(e);

				for (int s = 0; s < 8; s++)
					c[s] = base + (s & 1) + (s >> 1 & 1) * edge + (s >> 2) * edge * edge;
				material[e] = (e * 7 + e / 5) % 3;
				energy[e] = 1 + e % 11;
			}
}

static inline void collect(Domain &d, const int *c, double *x, double *y, double *z)
{
	for (int s = 0; s < 8; s++) {
		x[s] = d.x(c[s]);
		y[s] = d.y(c[s]);
		z[s] = d.z(c[s]);
	}
}

static double __attribute__((noinline)) volume_of(const double *x, const double *y, const double *z)
{
	double v = 0;

	for (int s = 0; s < 8; s++)
		v += x[s] * y[(s + 1) & 7] - z[s] * y[(s + 3) & 7];
	return v;
}

static void integrate_stress(Domain &d)
{
	for (int e = 0; e < d.elements; e++) {
		double x[8], y[8], z[8];
		const int *c = d.corners(e);

		collect(d, c, x, y, z);
		d.volume[e] = volume_of(x, y, z);
		for (int s = 0; s < 8; s++) {
			d.fx[c[s]] += d.pressure[e] * x[s];
			d.fy[c[s]] += d.pressure[e] * y[s];
			d.fz[c[s]] += d.pressure[e] * z[s];
		}
	}
}

static void hourglass(Domain &d)
{
	for (int e = 0; e < d.elements; e++) {
		const int *c = d.corners(e);
		double gamma[4];

		for (int g = 0; g < 4; g++)
			gamma[g] = d.vx[c[g]] - d.vx[c[7 - g]];
		for (int s = 0; s < 8; s++)
			d.fx[c[s]] -= gamma[s & 3] / 8;
	}
}

static void __attribute__((noinline)) forces(Domain &d)
{
	for (int i = 0; i < d.nodes; i++)
		d.fx[i] = d.fy[i] = d.fz[i] = 0;
	integrate_stress(d);
	hourglass(d);
}

template <typename F> static inline void for_each(int n, F f)
{
	for (int i = 0; i < n; i++)
		f(i);
}

static void __attribute__((noinline)) move_nodes(Domain &d, double dt)
{
	for_each(d.nodes, [&](int i) {
		d.vx[i] += dt * d.fx[i] / d.mass[i];
		d.vy[i] += dt * d.fy[i] / d.mass[i];
		d.vz[i] += dt * d.fz[i] / d.mass[i];
	});
	for_each(d.nodes, [&](int i) {
		d.x(i) += dt * d.vx[i];
		d.y(i) += dt * d.vy[i];
		d.z(i) += dt * d.vz[i];
	});
}

static void __attribute__((noinline)) state_of(Domain &d, int material, int times)
{
	for (int e = 0; e < d.elements; e++) {
		if (d.material[e] != material)
			continue;
		for (int k = 0; k < times; k++)
			d.pressure[e] = 0.4 * (d.pressure[e] + d.energy[e]);
		d.energy[e] -= 0.001 * d.pressure[e] * d.volume[e];
	}
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	Domain d(atoi(argv[1]));

	for (int step = 0; step < atoi(argv[2]); step++) {
		forces(d);
		move_nodes(d, 0.001);
		for (int m = 0; m < 3; m++)
			state_of(d, m, 1 + m);
	}
	double sum = 0;
	for (int e = 0; e < d.elements; e++)
		sum += d.energy[e];
	printf("%g\n", sum);
	return 0;
}
