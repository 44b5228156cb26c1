/* SPDX-License-Identifier: BSD-3-Clause */
/* A user of libbobbin in C++17: types, linkage, enums and inline functions are usable. Prints what
 * reader.c prints; tests/tools/test_install.py builds and runs both. */
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>

#include "bobbin/bobbin.h"

int main(int argc, char **argv)
{
	bob_error err{};
	bob_trace *opened = nullptr;

	if (argc != 2 || bob_trace_open(argv[1], &opened, &err) != BOB_OK) {
		std::fprintf(stderr, "%s\n", bob_status_text(err.code));
		return 1;
	}
	std::unique_ptr<bob_trace, decltype(&bob_trace_close)> trace(opened, &bob_trace_close);
	if (std::strcmp(bob_version(), BOB_VERSION) || bob_version_number() != BOB_VERSION_NUMBER)
		return 3;
	struct bob_trace_sizes sizes;
	bob_trace_sizes(trace.get(), &sizes);
	std::printf("%" PRIu64 " events, %" PRIu64 " bytes\n", sizes.events, sizes.stream_bytes);
	return 0;
}
