// SPDX-License-Identifier: BSD-3-Clause
// Exceptions through hooked functions (h_...): caught, rethrown, thrown near destructors, through
// noexcept. usage: throws
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#define HOOKED __attribute__((noinline))

namespace
{
struct said {
	const char *name;
	~said()
	{
		std::printf("~%s ", name);
	}
};
} // namespace

namespace h_space
{
template <typename T> HOOKED T h_throws(T n)
{
	said s{ "throws" };

	if (n == 0)
		throw std::runtime_error("from below");
	return h_throws<T>(n - 1) + 1;
}
} // namespace h_space

HOOKED int h_cannot_catch(int n)
{
	said s{ "cannot" };

	try {
		return h_space::h_throws<int>(n);
	} catch (const std::logic_error &) {
		return -1;
	}
}

HOOKED int h_throws_on(int n)
{
	try {
		return h_cannot_catch(n);
	} catch (const std::exception &e) {
		std::printf("%s ", e.what());
		if (n & 1)
			throw;
	}
	return n;
}

HOOKED int h_catches(int n)
{
	try {
		return h_throws_on(n);
	} catch (...) {
		return 1000 + n;
	}
}

HOOKED std::string h_value(const std::string &s)
{
	return s + s;
}

HOOKED void h_terminates() noexcept
{
	h_space::h_throws<long>(2);
}

int main(int argc, char **)
{
	int sum = 0;

	for (int i = 0; i < 40; i++)
		sum += h_catches(i % 9);
	std::printf("\n%d %s\n", sum, h_value("ab").c_str());
	std::fflush(stdout);
	std::set_terminate([] {
		std::puts("terminate");
		std::exit(3);
	});
	if (argc > 1)
		h_terminates();
	return 4;
}
