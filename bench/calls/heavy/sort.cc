/* SPDX-License-Identifier: BSD-3-Clause */
/* std::sort with a comparator that is a real call, as a library callback is. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

__attribute__((noinline)) static bool is_less(uint64_t a, uint64_t b)
{
	return (a >> 3) < (b >> 3);
}

int main(int argc, char **argv)
{
	std::vector<uint64_t> v(argc > 1 ? strtoul(argv[1], nullptr, 10) : 1000000);
	uint64_t state = 42, sum = 0;

	for (auto &x : v)
		x = state = state * 6364136223846793005ull + 1442695040888963407ull;
	std::sort(v.begin(), v.end(), is_less);
	for (size_t i = 0; i < v.size(); i += 1000)
		sum = sum * 31 + (v[i] >> 3);
	printf("%llu\n", static_cast<unsigned long long>(sum));
	return 0;
}
