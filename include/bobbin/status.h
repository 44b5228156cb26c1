/* SPDX-License-Identifier: BSD-3-Clause */
/* Return values of all Bobbin functions that can fail, and the description of an error. 0 is
 * success, positive values are other normal outcomes, negative values are failures. */
#ifndef BOBBIN_STATUS_H
#define BOBBIN_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define BOB_STATIC_ASSERT(cond, text) static_assert(cond, text)
#else
#define BOB_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#endif

#if defined(__GNUC__)
#define BOB_API __attribute__((visibility("default")))
#else
#define BOB_API
#endif

/* The values never change: they appear in traces and in the output of tools. */
typedef enum bob_status {
	BOB_OK = 0,
	BOB_END = 1,		/* nothing left to read */
	BOB_NONE = 2,		/* the requested item does not exist; not an error */
	BOB_ERR_INVAL = -1,	/* the caller violated the contract of the function */
	BOB_ERR_NOMEM = -2,
	BOB_ERR_IO = -3,	/* the system refused a read, write or map */
	BOB_ERR_CORRUPT = -4,	/* the bytes are invalid */
	BOB_ERR_VERSION = -5,	/* written by an unknown version of the format */
	BOB_ERR_UNSUPPORTED = -6, /* valid, but not supported */
	BOB_ERR_FULL = -7,	/* a documented limit was reached */
	BOB_ERR_NOENT = -8	/* no such file or directory */
} bob_status;

/* An error, filled by readers on failure. `text` is constant and never freed. `offset` is the first
 * invalid byte of the file, 0 if it does not apply. `path` is part of this struct (truncated if
 * longer); an empty string means no file. */
struct bob_error {
	bob_status code;
	uint64_t offset;
	const char *text;
	char path[256];
};

/* A constant lower-case phrase for `st`, such as "corrupt data". Never NULL. */
BOB_API const char *bob_status_text(bob_status st);

#ifdef __cplusplus
}
#endif
#endif
