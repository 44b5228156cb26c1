/* SPDX-License-Identifier: BSD-3-Clause */
/* What recording costs on this machine: measured once, kept beside the patch plans. */
#ifndef BOB_CLI_CALIBRATE_H
#define BOB_CLI_CALIBRATE_H

#include <inttypes.h>
#include <stddef.h>

/* In the cache directory, and in the environment of the program (picoseconds, decimal), from where
 * they come into the trace. */
#define CLI_COSTS_FILE "calibration"
#define CLI_COSTS_CALL "BOBBIN_NS_EVENT"
#define CLI_COSTS_BIT "BOBBIN_NS_BIT"

/* Picoseconds that recording adds to every call, and to every coded bit beside. */
struct cli_costs {
	uint64_t call_ps, bit_ps;
};
#define CLI_COSTS_MAX 100000000u /* 0.1 ms: more is no measurement */

/* What the verb calibrate prints: picoseconds per call in regular and in random order, then how
 * many calls it made in random order, and in all. */
struct cli_calibration {
	uint64_t regular_ps, random_ps, random_calls, calls;
};
#define CLI_CALIBRATION_LINE "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n"
#define CLI_CALIBRATION_SCAN "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64

/* The costs from a native and a traced measurement and the bytes that the traced calls were coded
 * in. Returns 0, or -1 if that gives no positive number: something disturbed one of them. */
int cli_costs_compute(const struct cli_calibration *native, const struct cli_calibration *traced,
		      uint64_t stream_bytes, struct cli_costs *out);

/* The text of the file: what the costs depend on (`key`, whole lines), the costs, a checksum.
 * Returns its length, or 0 if it does not fit. */
size_t cli_costs_write(const char *key, const struct cli_costs *c, char *buf, size_t size);
/* Returns 0 only for exactly what cli_costs_write makes of that key; else -1 and *out untouched. */
int cli_costs_read(const char *key, const char *text, size_t len, struct cli_costs *out);
/* A number as the environment and the file have it: 1 .. CLI_COSTS_MAX, else 0. */
uint64_t cli_costs_parse(const char *text);

/* The costs of recording with `agent` on this machine, from the cache directory. If they are not
 * there, or are stale, damaged or not ours, and `may_measure` is set: measure (some 0.1 s) and keep
 * them. Returns 0, or -1 if they are not known; never complains. Threads: one. Starts and reaps
 * children. */
int cli_costs_get(const char *cache, const char *agent, int may_measure, struct cli_costs *out);

#endif
