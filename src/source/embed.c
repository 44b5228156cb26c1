/* SPDX-License-Identifier: BSD-3-Clause */
/* Embeds the headers that instrumented files include, and the code that becomes part of them, byte
 * by byte from the source tree. The build defines BOB_SOURCE, the root of the tree. */
#include <string.h>

#include "source/instrument.h"
#include "source/runtime.h"

BOB_EMBED(bob_source_events_h, BOB_SOURCE "/include/bobbin/events.h");
BOB_EMBED(bob_source_probe_h, BOB_SOURCE "/include/bobbin/probe.h");

const struct bob_embedded bob_source_headers[] = {
	{ "bobbin/events.h", bob_source_events_h, bob_source_events_h_end },
	{ "bobbin/probe.h", bob_source_probe_h, bob_source_probe_h_end },
	{ NULL, NULL, NULL },
};

#define FORTRAN(name)                                                                              \
	BOB_EMBED(bob_source_##name, BOB_SOURCE "/src/source/fortran/runtime/" #name ".c")
FORTRAN(shared);
FORTRAN(objects);
FORTRAN(components);
FORTRAN(box);
FORTRAN(accesses);
FORTRAN(moves);
FORTRAN(holds);
FORTRAN(nest);
FORTRAN(uneven);
FORTRAN(events);
BOB_EMBED(bob_source_c_probes, BOB_SOURCE "/src/source/c/runtime/probes.h");
BOB_EMBED(bob_source_c_events, BOB_SOURCE "/src/source/c/runtime/events.h");

const char *bob_source_runtime(const char *piece)
{
	return strchr(piece, '\n') + 1;
}
