/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI functions by number, and the meaning of the words of their events: src/mpi/functions.txt as a
 * C table, in a generated source file. Constant data; threads: any. */
#ifndef BOB_ARCHIVE_MPI_FUNCTIONS_H
#define BOB_ARCHIVE_MPI_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

/* Roles of parameters; functions.txt defines them. */
enum bob_mpi_role {
	BOB_MPI_ROLE_COUNT,
	BOB_MPI_ROLE_BYTES,
	BOB_MPI_ROLE_DISP,
	BOB_MPI_ROLE_INDEX,
	BOB_MPI_ROLE_INT,
	BOB_MPI_ROLE_COMM,
	BOB_MPI_ROLE_GROUP,
	BOB_MPI_ROLE_TYPE,
	BOB_MPI_ROLE_OP,
	BOB_MPI_ROLE_WIN,
	BOB_MPI_ROLE_FILE,
	BOB_MPI_ROLE_ERRH,
	BOB_MPI_ROLE_INFO,
	BOB_MPI_ROLE_REQUEST,
	BOB_MPI_ROLE_MESSAGE,
	BOB_MPI_ROLE_SESSION,
	BOB_MPI_ROLE_KEYVAL,
	BOB_MPI_ROLE_STRING,
	BOB_MPI_ROLE_STRINGS,
	BOB_MPI_ROLE_ARGVS,
	BOB_MPI_ROLE_BUF,
	BOB_MPI_ROLE_RANK,
	BOB_MPI_ROLE_ROOT,
	BOB_MPI_ROLE_TAG,
	BOB_MPI_ROLE_ERROR,
	BOB_MPI_ROLE_FLAG,
	BOB_MPI_ROLE_FUNCTION,
	BOB_MPI_ROLE_POINTER,
	BOB_MPI_ROLE_WEIGHT,
	BOB_MPI_ROLE_DOUBLE,	/* its bits */
	BOB_MPI_ROLE_STATUS,	/* words: source, tag, bytes */
	BOB_MPI_ROLE_IOSTATUS,	/* word: bytes */
	BOB_MPI_ROLE_NONE,	/* no words */
	/* A constant of MPI: its index among the names of the role. */
	BOB_MPI_ROLE_ORDER,
	BOB_MPI_ROLE_DISTRIBUTION,
	BOB_MPI_ROLE_TYPECLASS,
	BOB_MPI_ROLE_COMBINER,
	BOB_MPI_ROLE_COMPARISON,
	BOB_MPI_ROLE_SPLIT,
	BOB_MPI_ROLE_TOPOLOGY,
	BOB_MPI_ROLE_THREAD,
	BOB_MPI_ROLE_LOCK,
	BOB_MPI_ROLE_WHENCE,
	/* A set of constants: one bit each. */
	BOB_MPI_ROLE_MODE,
	BOB_MPI_ROLE_ASSERTION,
};

#define BOB_MPI_OTHER_CODE                                                                         \
	(1ull << 32) /* + a library-specific value without a name; of bit sets: shifted by 32 */

enum bob_mpi_param_flag {
	BOB_MPI_GOES_IN = 1,
	BOB_MPI_COMES_OUT = 2,
	BOB_MPI_VECTOR = 4,	/* the word is the vector's length */
	BOB_MPI_ROTATED = 8,	/* element k belongs to rank (own rank + k) modulo the length */
	BOB_MPI_RECEIVES = 16,	/* creates a request whose status is meaningful */
};

enum bob_mpi_function_flag {
	BOB_MPI_STARTED = 1,	/* MPI can be used after the call */
	BOB_MPI_FINISHING = 2,	/* MPI cannot be used after the call */
	BOB_MPI_USER = 4,	/* not of MPI, but an event of the program (user_functions.h) */
	BOB_MPI_USER_BEGIN = 8,	/* its beginning; other events may follow inside it */
	BOB_MPI_USER_END = 16,	/* its end */
};

#define BOB_MPI_NOWHERE 255 /* no such word */

struct bob_mpi_param {
	const char *name;
	uint8_t role;	/* enum bob_mpi_role */
	uint8_t flags;	/* enum bob_mpi_param_flag */
	uint8_t in;	/* index of its word before the call, or BOB_MPI_NOWHERE */
	/* Index of its first word after the call. A status has three words; a new type is followed
	 * by its size in bytes, a new communicator by the length of the vector of its members'
	 * ranks. */
	uint8_t out;
};

struct bob_mpi_function {
	const char *name; /* without MPI_: bob_mpi_prefix */
	const char *class_name;
	const struct bob_mpi_param *params;
	uint16_t number;
	uint8_t count;	/* of params */
	uint8_t words;	/* of an event, without elements of vectors */
	uint8_t result;	/* index of the function's return value; BOB_MPI_NOWHERE: none */
	uint8_t flags;	/* enum bob_mpi_function_flag */
};

/* A predefined handle or constant. */
struct bob_mpi_name {
	const char *name; /* without MPI_ */
	uint8_t role;	/* enum bob_mpi_role */
	uint16_t number;
	uint32_t size_bytes; /* of a type */
};

/* Sorted by number; by role and number. */
extern const struct bob_mpi_function bob_mpi_functions[];
extern const uint32_t bob_mpi_function_count;
extern const struct bob_mpi_name bob_mpi_names[];
extern const uint32_t bob_mpi_name_count;

/* A truncated vector (--mpi-vectors): the kept elements are followed by this value plus the
 * original length, and by a hash of the omitted elements. No element of another vector has such a
 * value. */
#define BOB_MPI_CUT (0xc0deull << 48)
/* Is a vector of `count` one-word elements truncated? *length: original length. */
int bob_mpi_is_cut(const uint64_t *at, uint64_t count, uint64_t *length);

/* Prefix of the name: "MPI_", or the phase of an event of the program. */
static inline const char *bob_mpi_prefix(const struct bob_mpi_function *f)
{
	return !(f->flags & BOB_MPI_USER)    ? "MPI_" :
	       f->flags & BOB_MPI_USER_BEGIN ? "begin " :
	       f->flags & BOB_MPI_USER_END   ? "end " :
					       "";
}

/* NULL: unknown. */
const struct bob_mpi_function *bob_mpi_function_of(uint32_t number);
const struct bob_mpi_name *bob_mpi_name_of(enum bob_mpi_role role, uint64_t number);
/* Is p's word followed by the members of a new communicator? By the size of a new type? */
int bob_mpi_has_members(const struct bob_mpi_param *p);
int bob_mpi_has_size(const struct bob_mpi_param *p);
/* Number of words of p's elements for the length word `length`; UINT64_MAX: invalid. */
uint64_t bob_mpi_element_words(const struct bob_mpi_param *p, uint64_t length);

#endif
