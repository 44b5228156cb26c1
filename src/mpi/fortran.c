/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrappers of entry points of MPI's Fortran libraries that call no C function, so that no other
 * wrapper sees them: attributes and, in Open MPI, key values, error handlers and
 * MPI_Type_match_size. Arguments are passed on unchanged; the event is that of the C function.
 * mpif.h and `use mpi` call mpi_x in one of its spellings; mpi_f08 has its own names. */
#include "mpi/argument_words.h"

#include <string.h>

#include "archive/events/mpi_functions.h"
#include "mpi/real.h"

/* Converts a Fortran handle to C. */
#ifdef OPEN_MPI
#define OF_FORTRAN(kind, h) BOB_MPI_REAL(kind##_f2c)(h)
#define F08(lower) ompi_##lower##_f
#else
#define OF_FORTRAN(kind, h) MPI_##kind##_f2c(h)
#define F08(lower) mpi_##lower##_f08_
#endif

typedef void code(void);

/* The caller, and the next definition of the function. */
struct from {
	const void *caller, *cfa;
	code **next;
	const char *name;
};

static code *next_of(const struct from *f)
{
	code *found = __atomic_load_n(f->next, __ATOMIC_RELAXED);

	if (!found) {
		found = (code *)bob_mpi_next(f->name);
		__atomic_store_n(f->next, found, __ATOMIC_RELAXED);
	}
	return found;
}

/* The function's number in functions.txt, looked up once. */
static uint32_t number_of(const char *name, uint32_t *number)
{
	uint32_t n = __atomic_load_n(number, __ATOMIC_RELAXED);

	for (uint32_t i = 0; !n && i < bob_mpi_function_count; i++)
		if (!strcmp(bob_mpi_functions[i].name, name))
			n = bob_mpi_functions[i].number;
	__atomic_store_n(number, n, __ATOMIC_RELAXED);
	return n;
}

static bool enter(struct bob_mpi_call *c, const struct from *f, const char *name, uint32_t *number)
{
	return bob_mpi_enter(c, number_of(name, number), f->caller, f->cfa);
}

/* Puts the result into the event; returns whether the call succeeded. */
static bool done(struct bob_mpi_call *c, MPI_Fint ierr)
{
	bob_mpi_after(c, ierr);
	bob_mpi_fix(c, bob_mpi_int(ierr));
	return ierr == MPI_SUCCESS;
}

/* --- bodies; mpi_f08 may omit ierr --- */

typedef void set_attr(MPI_Fint *, MPI_Fint *, void *, MPI_Fint *);
typedef void get_attr(MPI_Fint *, MPI_Fint *, void *, MPI_Fint *, MPI_Fint *);
typedef uint64_t handle_word(MPI_Fint);

static uint64_t comm_word(MPI_Fint h)
{
	return bob_mpi_comm(OF_FORTRAN(Comm, h));
}

static uint64_t type_word(MPI_Fint h)
{
	return bob_mpi_type(OF_FORTRAN(Type, h));
}

static uint64_t win_word(MPI_Fint h)
{
	return bob_mpi_win(OF_FORTRAN(Win, h));
}

static void body_set_attr(struct from f, const char *name, uint32_t *number, bool is_wide,
			  handle_word *word, MPI_Fint *handle, MPI_Fint *keyval, void *value,
			  MPI_Fint *ierr)
{
	set_attr *next = (set_attr *)next_of(&f);
	struct bob_mpi_call c;
	MPI_Fint own;

	if (!enter(&c, &f, name, number)) {
		next(handle, keyval, value, ierr);
		bob_mpi_passed(&c);
		return;
	}
	ierr = ierr ? ierr : &own;
	bob_mpi_fix(&c, word(*handle));
	bob_mpi_fix(&c, bob_mpi_keyval(*keyval));
	bob_mpi_fix(&c, bob_mpi_flag(is_wide ? *(MPI_Aint *)value != 0 : *(MPI_Fint *)value));
	bob_mpi_before(&c);
	next(handle, keyval, value, ierr);
	done(&c, *ierr);
	bob_mpi_leave(&c);
}

static void body_get_attr(struct from f, const char *name, uint32_t *number, bool is_wide,
			  handle_word *word, MPI_Fint *handle, MPI_Fint *keyval, void *value,
			  MPI_Fint *flag, MPI_Fint *ierr)
{
	get_attr *next = (get_attr *)next_of(&f);
	struct bob_mpi_call c;
	MPI_Fint own;
	bool ok;

	if (!enter(&c, &f, name, number)) {
		next(handle, keyval, value, flag, ierr);
		bob_mpi_passed(&c);
		return;
	}
	ierr = ierr ? ierr : &own;
	bob_mpi_fix(&c, word(*handle));
	bob_mpi_fix(&c, bob_mpi_keyval(*keyval));
	bob_mpi_before(&c);
	next(handle, keyval, value, flag, ierr);
	ok = done(&c, *ierr) && *flag;
	bob_mpi_fix(&c,
		    bob_mpi_flag(ok && (is_wide ? *(MPI_Aint *)value != 0 : *(MPI_Fint *)value)));
	bob_mpi_fix(&c, ok);
	bob_mpi_leave(&c);
}

#ifdef OPEN_MPI

typedef void create_keyval(code *, code *, MPI_Fint *, void *, MPI_Fint *);

static void body_create_keyval(struct from f, const char *name, uint32_t *number, bool is_wide,
			       code *copy, code *drop, MPI_Fint *keyval, void *extra,
			       MPI_Fint *ierr)
{
	create_keyval *next = (create_keyval *)next_of(&f);
	struct bob_mpi_call c;
	MPI_Fint own;
	bool ok;

	if (!enter(&c, &f, name, number)) {
		next(copy, drop, keyval, extra, ierr);
		bob_mpi_passed(&c);
		return;
	}
	ierr = ierr ? ierr : &own;
	bob_mpi_fix(&c, bob_mpi_function((const void *)copy));
	bob_mpi_fix(&c, bob_mpi_function((const void *)drop));
	bob_mpi_fix(&c, bob_mpi_flag(is_wide ? *(MPI_Aint *)extra != 0 : *(MPI_Fint *)extra));
	bob_mpi_before(&c);
	next(copy, drop, keyval, extra, ierr);
	ok = done(&c, *ierr);
	bob_mpi_fix(&c, ok ? bob_mpi_new_keyval(*keyval) : 0);
	bob_mpi_leave(&c);
}

typedef void create_errhandler(code *, MPI_Fint *, MPI_Fint *);

static void body_create_errhandler(struct from f, const char *name, uint32_t *number, code *handler,
				   MPI_Fint *errhandler, MPI_Fint *ierr)
{
	create_errhandler *next = (create_errhandler *)next_of(&f);
	struct bob_mpi_call c;
	MPI_Fint own;
	bool ok;

	if (!enter(&c, &f, name, number)) {
		next(handler, errhandler, ierr);
		bob_mpi_passed(&c);
		return;
	}
	ierr = ierr ? ierr : &own;
	bob_mpi_fix(&c, bob_mpi_function((const void *)handler));
	bob_mpi_before(&c);
	next(handler, errhandler, ierr);
	ok = done(&c, *ierr);
	bob_mpi_fix(&c, ok ? bob_mpi_new_errh(OF_FORTRAN(Errhandler, *errhandler)) : 0);
	bob_mpi_leave(&c);
}

typedef void match_size(MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);

static void body_match_size(struct from f, uint32_t *number, MPI_Fint *typeclass, MPI_Fint *size,
			    MPI_Fint *type, MPI_Fint *ierr)
{
	match_size *next = (match_size *)next_of(&f);
	struct bob_mpi_call c;
	MPI_Fint own;
	MPI_Datatype h;
	bool ok;

	if (!enter(&c, &f, "Type_match_size", number)) {
		next(typeclass, size, type, ierr);
		bob_mpi_passed(&c);
		return;
	}
	ierr = ierr ? ierr : &own;
	bob_mpi_fix(&c, bob_mpi_code(BOB_MPI_ROLE_TYPECLASS, *typeclass));
	bob_mpi_fix(&c, bob_mpi_int(*size));
	bob_mpi_before(&c);
	next(typeclass, size, type, ierr);
	ok = done(&c, *ierr);
	h = ok ? OF_FORTRAN(Type, *type) : NULL;
	bob_mpi_fix(&c, ok ? bob_mpi_new_type(h) : 0);
	bob_mpi_fix(&c, ok ? bob_mpi_type_size(h) : 0);
	bob_mpi_leave(&c);
}

#endif

/* --- entry points --- */

#define ONE(symbol, listed, call) ENTRY(symbol, #symbol, listed, call)
#define ONE_F08(symbol, listed, call) ONE(symbol, listed, call) /* expands `symbol` first */
#define ENTRY(symbol, text, listed, call)                                                          \
	BOB_MPI_EXPORT void symbol listed;                                                         \
	void symbol listed                                                                         \
	{                                                                                          \
		static code *next;                                                                 \
		const struct from from = { BOB_MPI_HERE, &next, text };                            \
                                                                                                   \
		call;                                                                              \
	}
#define ALL(lower, upper, listed, call)                                                            \
	static uint32_t number_##lower;                                                            \
	ONE(mpi_##lower, listed, call)                                                             \
	ONE(mpi_##lower##_, listed, call)                                                          \
	ONE(mpi_##lower##__, listed, call)                                                         \
	ONE(MPI_##upper, listed, call)                                                             \
	ONE(pmpi_##lower, listed, call)                                                            \
	ONE(pmpi_##lower##_, listed, call)                                                         \
	ONE(pmpi_##lower##__, listed, call)                                                        \
	ONE(PMPI_##upper, listed, call)                                                            \
	ONE_F08(F08(lower), listed, call)

#define SET_ATTR(lower, upper, name, wide, word)                                                   \
	ALL(lower, upper, (MPI_Fint * h, MPI_Fint * keyval, void *value, MPI_Fint *ierr),          \
	    body_set_attr(from, name, &number_##lower, wide, word, h, keyval, value, ierr))
#define GET_ATTR(lower, upper, name, wide, word)                                                   \
	ALL(lower, upper,                                                                          \
	    (MPI_Fint * h, MPI_Fint * keyval, void *value, MPI_Fint *flag, MPI_Fint *ierr),        \
	    body_get_attr(from, name, &number_##lower, wide, word, h, keyval, value, flag, ierr))
SET_ATTR(attr_put, ATTR_PUT, "Attr_put", false, comm_word)
SET_ATTR(comm_set_attr, COMM_SET_ATTR, "Comm_set_attr", true, comm_word)
SET_ATTR(type_set_attr, TYPE_SET_ATTR, "Type_set_attr", true, type_word)
SET_ATTR(win_set_attr, WIN_SET_ATTR, "Win_set_attr", true, win_word)
GET_ATTR(attr_get, ATTR_GET, "Attr_get", false, comm_word)
GET_ATTR(comm_get_attr, COMM_GET_ATTR, "Comm_get_attr", true, comm_word)
GET_ATTR(type_get_attr, TYPE_GET_ATTR, "Type_get_attr", true, type_word)
GET_ATTR(win_get_attr, WIN_GET_ATTR, "Win_get_attr", true, win_word)

#ifdef OPEN_MPI
#define CREATE_KEYVAL(lower, upper, name, wide)                                                    \
	ALL(lower, upper,                                                                          \
	    (code * copy, code * drop, MPI_Fint * keyval, void *extra, MPI_Fint *ierr),            \
	    body_create_keyval(from, name, &number_##lower, wide, copy, drop, keyval, extra,       \
			       ierr))
#define CREATE_ERRHANDLER(lower, upper, name)                                                      \
	ALL(lower, upper, (code * handler, MPI_Fint * errhandler, MPI_Fint * ierr),                \
	    body_create_errhandler(from, name, &number_##lower, handler, errhandler, ierr))

CREATE_KEYVAL(keyval_create, KEYVAL_CREATE, "Keyval_create", false)
CREATE_KEYVAL(comm_create_keyval, COMM_CREATE_KEYVAL, "Comm_create_keyval", true)
CREATE_KEYVAL(type_create_keyval, TYPE_CREATE_KEYVAL, "Type_create_keyval", true)
CREATE_KEYVAL(win_create_keyval, WIN_CREATE_KEYVAL, "Win_create_keyval", true)
CREATE_ERRHANDLER(errhandler_create, ERRHANDLER_CREATE, "Errhandler_create")
CREATE_ERRHANDLER(comm_create_errhandler, COMM_CREATE_ERRHANDLER, "Comm_create_errhandler")
CREATE_ERRHANDLER(win_create_errhandler, WIN_CREATE_ERRHANDLER, "Win_create_errhandler")
CREATE_ERRHANDLER(file_create_errhandler, FILE_CREATE_ERRHANDLER, "File_create_errhandler")
ALL(type_match_size, TYPE_MATCH_SIZE,
    (MPI_Fint * typeclass, MPI_Fint *size, MPI_Fint *type, MPI_Fint *ierr),
    body_match_size(from, &number_type_match_size, typeclass, size, type, ierr))
#endif
