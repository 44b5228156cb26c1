/* SPDX-License-Identifier: BSD-3-Clause */
/* std::sort, std::stable_sort and std::map with a traced comparator, a virtual call, a functor and
 * std::function. The comparator's callers are templates: in the main image, but not t_. */
#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "truth.h"

extern "C" TFN bool t_less(int a, int b)
{
	ENTER(t_less);
	LEAVE;
	return a < b;
}

extern "C" TFN bool t_compare(int a, int b)
{
	ENTER(t_compare);
	bool r = t_less(a % 100, b % 100) || (a % 100 == b % 100 && t_less(a, b));
	LEAVE;
	return r;
}

struct by_value {
	bool operator()(int a, int b) const { return t_compare(a, b); }
};

struct shape {
	virtual ~shape() {}
	virtual int area(int n) = 0;
};

extern "C" TFN int t_area(int n)
{
	ENTER(t_area);
	LEAVE;
	return n * n;
}

struct square : shape {
	int area(int n) override { return t_area(n); }
};

extern "C" TFN bool t_sorts(void)
{
	std::vector<int> v(300);
	std::map<int, int, by_value> m;
	unsigned seed = 4711;

	ENTER(t_sorts);
	for (int &x : v) {
		seed = seed * 1664525u + 1013904223u;
		x = static_cast<int>(seed >> 18) % 1000;
	}
	std::sort(v.begin(), v.end(), t_compare);
	bool ok = std::is_sorted(v.begin(), v.end(), t_compare);
	std::stable_sort(v.begin(), v.end(), t_less);
	ok = ok && std::is_sorted(v.begin(), v.end());
	for (int x : v)
		m[x]++;
	int total = 0;
	for (const auto &kv : m)
		total += kv.second;
	std::function<int(int)> f = [](int n) { return t_area(n) + 1; };
	square s;
	shape *p = &s;
	for (int i = 0; i < 10; i++)
		ok = ok && f(i) == p->area(i) + 1;
	LEAVE;
	return ok && total == 300;
}

int main()
{
	truth_begin(0, 1 << 17);
	bool ok = t_sorts();
	return truth_end(0, ok);
}
