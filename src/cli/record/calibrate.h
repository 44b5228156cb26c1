/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of recording on this machine: measured once, stored next to the patch plans. */
#ifndef BOB_CLI_CALIBRATE_H
#define BOB_CLI_CALIBRATE_H

#include <inttypes.h>
#include <stddef.h>

/* File in the cache directory, and variables of the program (picoseconds, decimal), from which the
 * trace gets the costs. */
#define CLI_COSTS_FILE "calibration"
#define CLI_COSTS_CALL "BOBBIN_NS_EVENT"
#define CLI_COSTS_BIT "BOBBIN_NS_BIT"

/* Picoseconds that recording adds to every call, and to every coded bit. */
struct cli_costs {
	uint64_t call_ps, bit_ps;
};
#define CLI_COSTS_MAX 100000000u /* 0.1 ms; larger results are invalid */

/* Output of the verb calibrate: picoseconds per call in regular and in random order; number of
 * calls in random order, and of all calls. */
struct cli_calibration {
	uint64_t regular_ps, random_ps, random_calls, calls;
};
#define CLI_CALIBRATION_LINE "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n"
#define CLI_CALIBRATION_SCAN "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64

/* Computes the costs from a native and a traced measurement and the coded bytes of the traced
 * calls. Returns 0, or -1 if a cost would not be positive, because something disturbed a
 * measurement. */
int cli_costs_compute(const struct cli_calibration *native, const struct cli_calibration *traced,
		      uint64_t stream_bytes, struct cli_costs *out);

/* Writes the text of the file: what the costs depend on (`key`, whole lines), the costs, a
 * checksum. Returns its length, or 0 if it does not fit. */
size_t cli_costs_write(const char *key, const struct cli_costs *c, char *buf, size_t size);
/* Returns 0 only for exactly what cli_costs_write produces for that key; else -1, and *out is
 * untouched. */
int cli_costs_read(const char *key, const char *text, size_t len, struct cli_costs *out);
/* Parses a number of the environment or the file: 1 .. CLI_COSTS_MAX, else 0. */
uint64_t cli_costs_parse(const char *text);

/* The costs of recording with `agent` on this machine, from the cache directory. If they are
 * missing, stale, damaged or another user's, and `may_measure` is set, measures (some 0.1 s) and
 * stores them. Returns 0, or -1 if they are unknown; never complains. Threads: one. Starts and
 * reaps children. */
int cli_costs_get(const char *cache, const char *agent, int may_measure, struct cli_costs *out);

#endif
