/* SPDX-License-Identifier: BSD-3-Clause */
/* Virtual calls, containers, and exceptions of several types through frames with destructors, for
 * tests of memory tracing. Prints the results. */
#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct base {
	virtual ~base() {}
	virtual long f(long x) = 0;
};

struct sevens : base {
	long f(long x)
	{
		if (x % 7 == 3)
			throw std::runtime_error("seven");
		return x * 2;
	}
};

struct elevens : base {
	long f(long x)
	{
		if (x % 11 == 3)
			throw x;
		return x + 1;
	}
};

static long call(base &b, long x)
{
	std::string s = std::to_string(x);
	std::vector<long> v(x % 5 + 1, x);

	try {
		return b.f(v[0]) + (long)s.size();
	} catch (long y) {
		return -y;
	}
}

int main()
{
	std::map<std::string, long> m;
	std::vector<std::string> keys;
	sevens a;
	elevens b;
	base *bases[] = { &a, &b };
	long sum = 0;

	for (long i = 0; i < 400; i++) {
		try {
			long r = call(*bases[i & 1], i);

			m["k" + std::to_string(i % 50)] += r;
			sum += r;
		} catch (const std::exception &e) {
			sum += e.what()[0];
		}
	}
	for (auto &kv : m)
		keys.push_back(kv.first + std::to_string(kv.second));
	std::sort(keys.begin(), keys.end(), [](auto &x, auto &y) {
		return x.size() != y.size() ? x.size() < y.size() : x > y;
	});
	printf("%ld %s %s\n", sum, keys[3].c_str(), keys.back().c_str());
}
