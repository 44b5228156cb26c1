/* SPDX-License-Identifier: BSD-3-Clause */
/* The headers that instrumented files include, as they are in the tree. The build says where that
 * is. */
#include "source/instrument.h"

BOB_EMBED(bob_source_events_h, BOB_SOURCE "/include/bobbin/events.h");
BOB_EMBED(bob_source_probe_h, BOB_SOURCE "/include/bobbin/probe.h");

const struct bob_embedded bob_source_headers[] = {
	{ "bobbin/events.h", bob_source_events_h, bob_source_events_h_end },
	{ "bobbin/probe.h", bob_source_probe_h, bob_source_probe_h_end },
	{ NULL, NULL, NULL },
};
