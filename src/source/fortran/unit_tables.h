/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbol tables of the units: names with their types, shapes, values and storage, by declarations,
 * IMPLICIT rules, COMMON, EQUIVALENCE, host association, and modules of the same file (others are
 * listed in `used`). Owner: the file's arena. Units: bytes; offsets count from the beginning of a
 * block or class. */
#ifndef BOB_SOURCE_FORTRAN_UNIT_TABLES_H
#define BOB_SOURCE_FORTRAN_UNIT_TABLES_H

#include "source/fortran/expr.h"
#include "source/fortran/units.h"

#define BOB_FORTRAN_RANK_MAX 15

enum bob_fortran_class {
	BOB_NAME_UNKNOWN,	/* undeclared: an external function or a mistake */
	BOB_NAME_VARIABLE,
	BOB_NAME_CONSTANT,	/* PARAMETER, ENUMERATOR */
	BOB_NAME_SUBROUTINE,
	BOB_NAME_FUNCTION,
	BOB_NAME_PROCEDURE,	/* EXTERNAL, PROCEDURE, dummy procedure: subroutine or function */
	BOB_NAME_STATEMENT_FUNCTION,
	BOB_NAME_INTRINSIC,
	BOB_NAME_GENERIC,
	BOB_NAME_TYPE,
	BOB_NAME_NAMELIST,
	BOB_NAME_UNIT		/* the program, a module, a block data */
};

enum bob_fortran_type {
	BOB_T_NONE,
	BOB_T_INTEGER,
	BOB_T_REAL,
	BOB_T_COMPLEX,
	BOB_T_LOGICAL,
	BOB_T_CHARACTER,
	BOB_T_DERIVED,
	BOB_T_CLASS,		/* CLASS(t), CLASS(*) */
	BOB_T_ANY		/* TYPE(*) */
};

#define BOB_SYMBOL_DUMMY 1u
#define BOB_SYMBOL_RESULT 2u
#define BOB_SYMBOL_ALLOCATABLE 4u
#define BOB_SYMBOL_POINTER 8u
#define BOB_SYMBOL_TARGET 0x10u
#define BOB_SYMBOL_SAVE 0x20u		/* by SAVE, DATA, an initial value, or in a module */
#define BOB_SYMBOL_OPTIONAL 0x40u
#define BOB_SYMBOL_VALUE 0x80u
#define BOB_SYMBOL_VOLATILE 0x100u
#define BOB_SYMBOL_CONTIGUOUS 0x200u
#define BOB_SYMBOL_TYPED 0x400u		/* the type comes from a declaration, not from IMPLICIT */
#define BOB_SYMBOL_COMMON 0x800u
#define BOB_SYMBOL_EQUIVALENCE 0x1000u
#define BOB_SYMBOL_USED 0x2000u		/* from a module */
#define BOB_SYMBOL_HOST 0x4000u		/* from the host unit */
#define BOB_SYMBOL_COARRAY 0x8000u
#define BOB_SYMBOL_CRAY_POINTEE 0x10000u
#define BOB_SYMBOL_INTENT_IN 0x20000u
#define BOB_SYMBOL_INTENT_OUT 0x40000u	/* both: INOUT; none: unknown */
#define BOB_SYMBOL_EXTERNAL 0x80000u
#define BOB_SYMBOL_THREADPRIVATE 0x100000u
#define BOB_SYMBOL_PRIVATE 0x200000u	/* not visible to users of the module */
#define BOB_SYMBOL_ASSOCIATE 0x400000u	/* an associate name */
#define BOB_SYMBOL_PUBLIC 0x800000u	/* explicitly public, also after a PRIVATE without a list */

enum bob_fortran_bound {
	BOB_BOUND_NUMBER,	/* `value` */
	BOB_BOUND_EXPRESSION,	/* known when the unit is entered: `text` */
	BOB_BOUND_NONE,		/* `*` of an assumed size, `:` of a deferred or assumed shape */
};

struct bob_fortran_limit {
	enum bob_fortran_bound bound;
	int64_t value;
	const char *text;	/* as in the declaration, or "" */
};

enum bob_fortran_shape {
	BOB_SHAPE_SCALAR,
	BOB_SHAPE_EXPLICIT,
	BOB_SHAPE_ASSUMED,	/* dummy(:) */
	BOB_SHAPE_DEFERRED,	/* allocatable or pointer (:) */
	BOB_SHAPE_ASSUMED_SIZE,	/* (*) */
	BOB_SHAPE_ASSUMED_RANK	/* (..) */
};

struct bob_fortran_common {
	const char *name;	/* "" is blank COMMON */
	struct bob_fortran_common *next;
	uint64_t bytes;
	bool is_exact;		/* the sizes of all members are known */
	const char *binding;	/* name in C, by BIND; NULL: none */
};

struct bob_fortran_symbol {
	const char *name;	/* lower case */
	struct bob_fortran_symbol *next; /* of the same table, in order of first appearance */
	enum bob_fortran_class class;
	enum bob_fortran_type type;
	int32_t kind;		/* of the type, in bytes for numbers; 0: unknown */
	int64_t char_len;	/* -1: unknown here; -2: `*`; -3: `:` */
	const char *type_name;	/* DERIVED, CLASS; else NULL */
	uint32_t flags;
	enum bob_fortran_shape shape;
	uint32_t rank;
	struct bob_fortran_limit lower[BOB_FORTRAN_RANK_MAX], upper[BOB_FORTRAN_RANK_MAX];
	/* CONSTANT of type integer (or logical, 0 and 1) with a computed value */
	bool has_value;
	int64_t value;
	/* CONSTANT: in another branch of an #if it has another value, or an unknown one */
	bool is_ambiguous;
	const char *init;	/* text of the constant's or initial value; NULL: none */
	struct bob_fortran_common *common;
	/* offset in its COMMON block, or else in its EQUIVALENCE class; valid only if
	 * `is_placed` */
	int64_t offset;
	bool is_placed;
	uint32_t class_id;	/* EQUIVALENCE: equal ids share storage, within a unit; 0: none */
	/* the declaring unit; BOB_FORTRAN_NO: of another file, or not parsed */
	uint32_t unit;
	uint32_t statement;	/* the declaration or first appearance; BOB_FORTRAN_NO */
	struct bob_fortran_symbols *components; /* TYPE */
	const char *binding;	/* of a variable: its name in C, by BIND; NULL: none */
	const char *origin;	/* BOB_SYMBOL_USED: its name in the module */
};

struct bob_fortran_use_module {
	const char *name;
	struct bob_fortran_use_module *next;
	bool is_only;
	bool is_known;		/* its symbols were found */
};

struct bob_fortran_symbols {
	struct bob_fortran_symbols *host; /* NULL: none */
	/* tables of constructs with their own names in the unit, in text order */
	struct bob_fortran_symbols *inner;
	/* the BLOCK, ASSOCIATE, SELECT TYPE or RANK of this table; BOB_FORTRAN_NO: the table of a
	 * unit or type */
	uint32_t construct;
	struct bob_fortran_symbol *first, *last;
	struct bob_fortran_symbol **table; /* by hash */
	uint32_t count, table_size;
	struct bob_fortran_common *commons;
	struct bob_fortran_use_module *used;
	uint32_t unit;
	uint8_t implicit_type
		/* enum bob_fortran_type; NONE: IMPLICIT NONE is the only rule for the letter */
		[26];
	int32_t implicit_kind[26];
	int64_t implicit_len[26];
	bool saves_all;		/* SAVE without a list */
	bool has_procedures;	/* a type with type-bound procedures */
	bool has_parameters;	/* a type with parameters */
	/* an INCLUDE or module was not found: names may be missing or differ */
	bool is_incomplete;
};

/* Callbacks that find included files and modules of other files. Both may be NULL. */
struct bob_fortran_finder {
	/* The text of an included file, which must live as long as the arena; BOB_ERR_NOENT: not
	 * found. */
	bob_status (*include)(void *data, const char *name, const char **bytes, size_t *len);
	/* The symbols of a module of another file; NULL: unknown. */
	const struct bob_fortran_symbols *(*module)(void *data, const char *name);
	void *data;
	int32_t integer_kind, real_kind; /* compiler's default kinds; 0 means 4 */
};

/* After bob_fortran_units: fills the table of every unit, hosts first. Unknown constructs are
 * skipped. finder may be NULL. Errors: BOB_ERR_NOMEM. */
bob_status bob_fortran_symbols_read(struct bob_fortran_file *f,
				    const struct bob_fortran_finder *finder);

/* Looks a name up in the unit: its own, its host's, a module's, an intrinsic procedure's; NULL:
 * unknown. `name` must be in lower case. */
const struct bob_fortran_symbol *bob_fortran_lookup(const struct bob_fortran_symbols *t,
						    const char *name, uint32_t len);
/* Only the table's own names, including those of used modules. */
const struct bob_fortran_symbol *bob_fortran_own(const struct bob_fortran_symbols *t,
						 const char *name, uint32_t len);

/* The statement that defines this STATEMENT_FUNCTION; BOB_FORTRAN_NO: it is in an included file. */
uint32_t bob_fortran_statement_function(const struct bob_fortran_file *f,
					const struct bob_fortran_symbol *y);

/* Bytes of one element; of the whole object; 0: unknown here. */
uint64_t bob_fortran_element_bytes(const struct bob_fortran_symbols *t,
				   const struct bob_fortran_symbol *s);
uint64_t bob_fortran_symbol_bytes(const struct bob_fortran_symbols *t,
				  const struct bob_fortran_symbol *s);

/* The offset of a component in an object of the type with these components, or of an extension.
 * False: unknown here. */
bool bob_fortran_component_at(const struct bob_fortran_symbols *t,
			      const struct bob_fortran_symbols *components,
			      const struct bob_fortran_symbol *which, uint64_t *at);

/* Evaluates an integer constant expression: BOB_OK, or BOB_NONE if it cannot be computed here. */
bob_status bob_fortran_fold(const struct bob_fortran_symbols *t,
			    const struct bob_fortran_statement *s, const struct bob_fortran_expr *e,
			    int64_t *value);
/* Does the expression refer to an ambiguous constant? */
bool bob_fortran_is_ambiguous(const struct bob_fortran_symbols *t,
			      const struct bob_fortran_statement *s,
			      const struct bob_fortran_expr *e);

#endif
