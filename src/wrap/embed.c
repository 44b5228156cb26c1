/* SPDX-License-Identifier: BSD-3-Clause */
/* The headers that generated code needs, and the built-in specs, embedded from the source tree. */
#include "wrap/wrap.h"

BOB_EMBED(bob_wrap_events_h, BOB_SOURCE "/include/bobbin/events.h");
BOB_EMBED(bob_wrap_wrapper_h, BOB_SOURCE "/src/wrap/wrapper.h");
BOB_EMBED(bob_wrap_dlsym_h, BOB_SOURCE "/src/events/dlsym.h");
BOB_EMBED(bob_wrap_lookup_h, BOB_SOURCE "/src/wrap/lookup.h");
BOB_EMBED(bob_wrap_stubs_h, BOB_SOURCE "/src/wrap/stubs.h");
BOB_EMBED(bob_wrap_status_h, BOB_SOURCE "/include/bobbin/status.h");
BOB_EMBED(bob_wrap_fold_h, BOB_SOURCE "/include/bobbin/fold.h");
BOB_EMBED(bob_wrap_hooks_h, BOB_SOURCE "/include/bobbin/hooks.h");
BOB_EMBED(bob_wrap_opencl_h, BOB_SOURCE "/src/wrap/opencl.h");
BOB_EMBED(bob_wrap_opencl_values_h, BOB_SOURCE "/src/wrap/opencl_values.h");
BOB_EMBED(bob_wrap_opencl_tags_h, BOB_SOURCE "/src/wrap/opencl_tags.h");
BOB_EMBED(bob_wrap_opencl_spec, BOB_SOURCE "/src/wrap/opencl.spec");

const struct bob_embedded bob_wrap_headers[] = {
	{ "bobbin/events.h", bob_wrap_events_h, bob_wrap_events_h_end },
	{ "bobbin-wrapper.h", bob_wrap_wrapper_h, bob_wrap_wrapper_h_end },
	{ "bobbin-dlsym.h", bob_wrap_dlsym_h, bob_wrap_dlsym_h_end },
	{ "bobbin-lookup.h", bob_wrap_lookup_h, bob_wrap_lookup_h_end },
	{ "bobbin-stubs.h", bob_wrap_stubs_h, bob_wrap_stubs_h_end },
	{ "bobbin/status.h", bob_wrap_status_h, bob_wrap_status_h_end },
	{ "bobbin/fold.h", bob_wrap_fold_h, bob_wrap_fold_h_end },
	{ "bobbin/hooks.h", bob_wrap_hooks_h, bob_wrap_hooks_h_end },
	{ "wrap/opencl.h", bob_wrap_opencl_h, bob_wrap_opencl_h_end },
	{ "wrap/opencl_values.h", bob_wrap_opencl_values_h, bob_wrap_opencl_values_h_end },
	{ "wrap/opencl_tags.h", bob_wrap_opencl_tags_h, bob_wrap_opencl_tags_h_end },
	{ NULL, NULL, NULL },
};

const struct bob_embedded bob_wrap_specs[] = {
	{ "opencl", bob_wrap_opencl_spec, bob_wrap_opencl_spec_end },
	{ NULL, NULL, NULL },
};
