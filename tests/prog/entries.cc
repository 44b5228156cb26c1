// SPDX-License-Identifier: BSD-3-Clause
// Exceptions that land in cold parts of functions: clean-up, catch, rethrow, and finally one that
// is not caught. A tracer of entries overwrites cold parts that begin with a landing pad.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#define NOINLINE __attribute__((noinline))

static int released;

struct held {
	int n;
	explicit held(int k) : n(k) { }
	NOINLINE ~held() { released += n; }
};

NOINLINE static void thrower(int k)
{
	if (k % 3 == 0)
		throw std::runtime_error("three");
	if (k % 3 == 1)
		throw k;
	throw std::string("two");
}

// Nothing before the call needs a frame: GCC has the cold part begin with CFA = rsp + 8.
NOINLINE static void only_cleans(int k)
{
	held h(k);
	thrower(k);
}

NOINLINE static int catches(int k)
{
	try {
		only_cleans(k);
	} catch (const std::runtime_error &e) {
		return e.what()[0];
	} catch (int n) {
		return n;
	} catch (...) {
		return -1;
	}
	return 0;
}

NOINLINE static int again(int k)
{
	try {
		held h(1);
		try {
			only_cleans(k);
		} catch (...) {
			throw;
		}
	} catch (...) {
		return released;
	}
	return 0;
}

// As libstdc++'s own: its cold part has nothing but landing pads, the first after a nop.
NOINLINE static void on_terminate()
{
	static bool terminating;

	if (terminating)
		std::abort();
	terminating = true;
	try {
		throw;
	} catch (const std::exception &e) {
		std::puts(e.what());
	} catch (...) {
	}
	std::fflush(stdout);
	std::abort();
}

NOINLINE static void must_not_throw(int k) noexcept
{
	only_cleans(k);
}

int main(int argc, char **)
{
	for (int i = 0; i < 9; i++)
		std::printf("%d %d\n", catches(i), again(i));
	std::fflush(stdout);
	if (argc > 1)
		std::set_terminate(on_terminate);
	if (argc > 2)
		must_not_throw(0);
	throw std::runtime_error("disk full");
}
