// SPDX-License-Identifier: BSD-3-Clause
// Inlined functions in C++: templates, containers, operators, constructors, lambdas, functions in
// anonymous namespaces and in local classes, a part that an exception needs. Prints sums.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "mem_inlined.h"

namespace mesh {

template <typename T> class field {
	std::vector<T> v;

public:
	explicit field(std::size_t n) : v(n) {}
	T &operator[](std::size_t i) { return v[i]; }
	const T &operator()(std::size_t i, std::size_t j) const { return v[i * 8 + j]; }
	std::size_t size() const { return v.size(); }
	typename std::vector<T>::iterator begin() { return v.begin(); }
	typename std::vector<T>::iterator end() { return v.end(); }
};

namespace {

struct domain {
	field<double> x, fx;
	field<int> next;

	explicit domain(std::size_t n) : x(n), fx(n), next(n)
	{
		for (std::size_t i = 0; i < n; i++) {
			x[i] = 0.5 * static_cast<double>(i);
			next[i] = static_cast<int>((i * 5 + 3) % n);
		}
	}
	double &force(int i) { return fx[static_cast<std::size_t>(next[static_cast<std::size_t>(i)])]; }
};

inline void gather(domain &d, int i)
{
	d.force(i) += d.x[static_cast<std::size_t>(i)] * 2;
}

template <int Width> double dot(const field<double> &a, std::size_t row)
{
	double sum = 0;

	for (std::size_t j = 0; j < Width; j++)
		sum += a(row, j) * a(row, Width - 1 - j);
	return sum;
}

} // namespace

__attribute__((noinline)) double step(domain &d)
{
	for (int i = 0; i < static_cast<int>(d.x.size()); i++)
		gather(d, i);
	double sum = dot<4>(d.fx, 1) + dot<8>(d.x, 2);

	std::for_each(d.fx.begin(), d.fx.end(), [&sum](double &f) {
		sum += f;
		f *= 0.5;
	});
	return sum;
}

} // namespace mesh

template <typename T> static T total(const std::vector<T> &v)
{
	struct adder {
		T sum = T();
		void add(const T &x) { sum += x; }
	} a;

	for (const T &x : v)
		a.add(x);
	return a.sum;
}

static long checked(const std::vector<long> &v, std::size_t i)
{
	try {
		return v.at(i);
	} catch (const std::out_of_range &) {
		return -1;
	}
}

int main()
{
	mesh::domain d(64);
	double sum = 0, plain[20];
	std::vector<long> numbers(50);
	std::vector<std::string> names{ "b", "a", "c" };
	auto shared = std::make_shared<std::vector<long>>(numbers);

	std::iota(numbers.begin(), numbers.end(), 3);
	std::sort(numbers.begin(), numbers.end(), [](long a, long b) { return a % 7 < b % 7; });
	std::sort(names.begin(), names.end());
	for (int i = 0; i < 20; i++)
		plain[i] = i;
	for (int i = 0; i < 18; i++)
		put(plain, i, pair(plain, i));
	for (int i = 0; i < 5; i++)
		sum += mesh::step(d);
	(*shared)[2] = checked(numbers, 4) + checked(numbers, 400);
	std::printf("%.3f %.3f %ld %ld %s\n", sum, plain[3], total(numbers), (*shared)[2],
		    names[0].c_str());
	return 0;
}
