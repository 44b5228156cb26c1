/* SPDX-License-Identifier: BSD-3-Clause */
/* LTTng tracepoints that correspond to the pairs of events.c. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng.h"
#if !defined(BENCH_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_H
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_EVENT(bench, begin, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(bench, end, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(bench, begin_with, LTTNG_UST_TP_ARGS(long, n, double, x),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(long, n, n)
						       lttng_ust_field_float(double, x, x)))
LTTNG_UST_TRACEPOINT_EVENT(bench, end_with, LTTNG_UST_TP_ARGS(long, m),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(long, m, m)))
LTTNG_UST_TRACEPOINT_EVENT(bench, begin_text, LTTNG_UST_TP_ARGS(const char *, file),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_string(file, file)))
#endif
#include <lttng/tracepoint-event.h>
