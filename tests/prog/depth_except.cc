/* SPDX-License-Identifier: BSD-3-Clause */
/* C++ exceptions: over many frames, with destructors that call, caught, rethrown, translated, from
 * inside a destructor's callee, and through libc's qsort. Landing pads lie in cold parts. */
#include <stdexcept>
#include <string>

#include "truth.h"

static int destroyed, caught;

extern "C" TFN int t_leaf(int n)
{
	ENTER(t_leaf);
	LEAVE;
	return n;
}

extern "C" TFN void t_cleanup(int n)
{
	ENTER(t_cleanup);
	destroyed++;
	t_leaf(n);
	LEAVE;
}

/* Knows how deep its owner is, since an unwound callee could not log its end. */
struct guard {
	long depth;
	int n;
	explicit guard(int k) : depth(DEPTH_NOW()), n(k) {}
	~guard()
	{
		RESTORE(depth);
		t_cleanup(n);
	}
};

extern "C" TFN int t_thrower(int n, int kind)
{
	int r;

	ENTER(t_thrower);
	if (n % 3 == 0) {
		guard g(n);
		if (n == 0 && kind == 0)
			throw std::runtime_error("zero");
		if (n == 0 && kind == 1)
			throw 42;
		r = n ? t_thrower(n - 1, kind) : t_leaf(n);
	} else {
		r = t_thrower(n - 1, kind);
	}
	r += t_leaf(1);
	LEAVE;
	return r;
}

extern "C" TFN int t_catch(int n, int kind)
{
	int r = 0;

	ENTER(t_catch);
	long d = DEPTH_NOW();
	try {
		r = t_thrower(n, kind);
	} catch (const std::runtime_error &e) {
		RESTORE(d);
		caught++;
		t_leaf(static_cast<int>(std::string(e.what()).size()));
	} catch (int k) {
		RESTORE(d);
		caught++;
		t_leaf(k);
	}
	t_leaf(2);
	LEAVE;
	return r;
}

extern "C" TFN void t_rethrow(int n)
{
	ENTER(t_rethrow);
	long d = DEPTH_NOW();
	guard g(100);
	try {
		t_thrower(n, 0);
	} catch (...) {
		RESTORE(d);
		t_leaf(3);
		throw;
	}
	LEAVE;
}

extern "C" TFN void t_translate(int n)
{
	ENTER(t_translate);
	long d = DEPTH_NOW();
	try {
		t_rethrow(n);
	} catch (const std::exception &) {
		RESTORE(d);
		guard g(200);
		t_leaf(4);
		throw 7;
	}
	LEAVE;
}

/* A destructor that throws and catches while another exception is in flight. */
struct busy {
	long depth;
	busy() : depth(DEPTH_NOW()) {}
	~busy()
	{
		RESTORE(depth);
		t_catch(4, 1);
	}
};

extern "C" TFN void t_nested(int n)
{
	ENTER(t_nested);
	busy b;
	t_translate(n);
	LEAVE;
}

static int compares;

extern "C" TFN int t_compare(const void *a, const void *b)
{
	ENTER(t_compare);
	if (++compares % 10 == 0) {
		guard g(1);
		throw compares;
	}
	LEAVE;
	return *static_cast<const char *>(a) - *static_cast<const char *>(b);
}

extern "C" TFN void t_round(int n)
{
	char v[32];

	ENTER(t_round);
	long d = DEPTH_NOW();
	t_catch(n, 0);
	t_catch(n, 1);
	t_catch(n, 2);
	try {
		t_nested(n);
	} catch (int) {
		RESTORE(d);
		caught++;
	}
	t_leaf(5);
	for (int i = 0; i < 32; i++)
		v[i] = static_cast<char>(i * 11 % 32);
	try {
		qsort(v, 32, 1, t_compare);
	} catch (int) {
		RESTORE(d);
		caught++;
	}
	t_leaf(6);
	LEAVE;
}

int main()
{
	truth_begin(0, 1 << 17);
	for (int n = 0; n < 20; n++)
		t_round(n);
	/* per round: two caught by t_catch, one by the destructor's, two by t_round */
	return truth_end(0, caught == 20 * 5 && destroyed > 0);
}
