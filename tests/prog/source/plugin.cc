// SPDX-License-Identifier: BSD-3-Clause
#include "library.h"
#include "oracle.h"

static const char *const units[] = { "plugin_work(int)", "field<double>::sum()" };
static const struct bob_probe_site sites[] = {
	{ 3, 1, BOB_PROBE_WRITE, 0, 0, 8 },
	{ 14, 2, BOB_PROBE_READ, 0, 1, 8 },
};
static const int64_t bounds[][2] = { { 1, 6 } };
static const struct bob_probe_variable variables[] = { { "field<double>::at", 8, 1, bounds, nullptr,
							 1, 0 } };
static struct bob_probe_file bob_probe_here = { sizeof(bob_probe_here), 0, "plugin.cc", 9, units,
						variables, sites, nullptr, 2, 1, 2, 0, nullptr,
						nullptr, nullptr };
static int file; // its number

namespace
{
template <class T> struct field {
	T at[6];

	field()
	{
		if (!bob_probe_here.own)
			bob_probe_begin(&bob_probe_here);
		bob_probe_declare(&bob_probe_here, 0, at, nullptr);
	}

	~field()
	{
		bob_probe_forget(&bob_probe_here, 0, at);
	}

	T sum()
	{
		T s = 0;

		for (unsigned k = 0; k < 6; k++) {
			oracle_want(file, sites, 0, 8 * k, 1);
			s += BOB_PROBE_X(1, at[k]);
		}
		return s;
	}
};
}

// n: which file this one is
extern "C" void plugin_work(int n)
{
	file = n;
	for (unsigned k = 0; k < 3; k++) {
		field<double> f;

		for (unsigned i = 0; i < 6; i++) {
			oracle_want(file, sites, 0, 8 * i, 0);
			BOB_PROBE_X(0, f.at[i]) = k;
		}
		if (f.sum() < 0)
			abort();
	}
}
