// SPDX-License-Identifier: BSD-3-Clause
// Calls of a C++ program at -O0: std::sort, std::map, std::vector of strings.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>
int main()
{
	std::vector<int> v;
	std::map<int, std::string> m;
	unsigned s = 7;
	for (int i = 0; i < 8000; i++) {
		s = s * 1664525u + 1013904223u;
		v.push_back(static_cast<int>(s >> 8));
		m[static_cast<int>(s >> 20)] += static_cast<char>('a' + s % 26);
	}
	std::sort(v.begin(), v.end());
	unsigned long n = 0;
	for (const auto &p : m)
		n += p.second.size();
	std::printf("%d %lu\n", v[0], n);
}
