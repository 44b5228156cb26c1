/* SPDX-License-Identifier: BSD-3-Clause */
/* The headers from C++17: types, linkage and enums are usable. */
#include <cstdio>

#include "bobbin/status.h"
#include "bobbin/trace.h"

int main(int argc, char **argv)
{
	bob_error err{};
	bob_trace *trace = nullptr;

	if (argc != 2 || bob_trace_open(argv[1], &trace, &err) != BOB_OK) {
		std::puts(bob_status_text(err.code));
		return 1;
	}
	bob_trace_close(trace);
	return 0;
}
