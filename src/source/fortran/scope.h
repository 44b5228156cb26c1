/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the reader of symbols: the state of one unit while its statements are read. One
 * thread. */
#ifndef BOB_SOURCE_FORTRAN_SCOPE_H
#define BOB_SOURCE_FORTRAN_SCOPE_H

#include "source/fortran/parse.h"
#include "source/fortran/unit_tables.h"

/* COMMON members and EQUIVALENCE sets in text order, until sizes are known. */
struct bob_fortran_member {
	struct bob_fortran_common *common;
	struct bob_fortran_symbol *symbol;
};
struct bob_fortran_same {
	struct bob_fortran_symbol *symbol;
	const struct bob_fortran_expr *ref;
	const struct bob_fortran_statement *statement;
	uint32_t set;		/* equal values: one EQUIVALENCE set */
};

struct bob_fortran_scope {
	struct bob_fortran_file *file;
	struct bob_arena *arena;
	const struct bob_fortran_finder *finder;
	/* the table that receives names: the unit's, or a type's */
	struct bob_fortran_symbols *table;
	/* the unit's table, or that of the current construct with its own names */
	struct bob_fortran_symbols *unit_table;
	/* the current statement, possibly of an included file */
	const struct bob_fortran_statement *statement;
	uint32_t unit, index;	/* the current statement of the file itself */
	uint32_t include_depth, structure_depth;
	bool runs;		/* an executable statement was met */
	struct bob_fortran_member *members;
	uint32_t member_count, member_capacity;
	struct bob_fortran_same *same;
	uint32_t same_count, same_capacity, sets;
	int32_t integer_kind, real_kind;
	bool is_private, failed;
	bool takes_foreign;	/* some names come from a module of another file */
	int64_t next_enumerator;
};

/* A type specification of a declaration. */
struct bob_fortran_typing {
	enum bob_fortran_type type;
	int32_t kind;
	int64_t char_len;
	const char *type_name;
};

/* constructs.c: enters the table in effect from the statement on; its names are valid from now
 * on. */
void bob_fortran_enter_construct(struct bob_fortran_scope *s, struct bob_fortran_statement *t);
/* ... after the statement, if it begins a construct with its own names. */
void bob_fortran_begin_construct(struct bob_fortran_scope *s,
				 const struct bob_fortran_statement *t);
/* Does a TYPE IS or CLASS IS give these names another type? */
bool bob_fortran_is_guarded(const struct bob_fortran_symbols *t);
/* ... when the unit is known: gives the name of an ASSOCIATE type and rank, if its selector is a
 * variable or a section. */
void bob_fortran_type_associate(struct bob_fortran_scope *s, struct bob_fortran_symbol *y);

/* statement_function.c: true for the definition of a statement function, whose name it enters. It
 * is not executable. Valid before the first executable statement. */
bool bob_fortran_take_statement_function(struct bob_fortran_scope *s,
					 struct bob_fortran_statement *t);

/* name_tables.c */
struct bob_fortran_symbols *bob_fortran_table(struct bob_arena *arena,
					      struct bob_fortran_symbols *host);
/* The table's own symbol, added if missing; NULL without memory. */
struct bob_fortran_symbol *bob_fortran_enter(struct bob_arena *arena, struct bob_fortran_symbols *t,
					     const char *name, uint32_t len);
/* The same for the name at the parser's position, which is skipped; NULL also if there is none. */
struct bob_fortran_symbol *bob_fortran_enter_next(struct bob_fortran_scope *s,
						  struct bob_fortran_parser *r);
const struct bob_fortran_symbol *bob_fortran_intrinsic(const char *name, uint32_t len);
/* True for inquiry functions: SIZE, ALLOCATED, ... */
bool bob_fortran_is_inquiry(const char *name, uint32_t len);
/* Named constants of ISO_C_BINDING and ISO_FORTRAN_ENV. */
bool bob_fortran_module_constant(const char *name, uint32_t len, int32_t *value);
/* ... by index, from 0; false: no more. */
bool bob_fortran_module_constant_at(uint32_t index, const char **name, int32_t *value);

/* types.c: parses a type specification at the parser's position; true: it was one. */
bool bob_fortran_read_type(struct bob_fortran_scope *s, struct bob_fortran_parser *r,
			   struct bob_fortran_typing *t);
void bob_fortran_give_type(struct bob_fortran_symbol *y, const struct bob_fortran_typing *t);
/* Parses ( ... ) as the shape of a symbol. */
void bob_fortran_read_shape(struct bob_fortran_scope *s, struct bob_fortran_parser *r,
			    struct bob_fortran_symbol *y);
void bob_fortran_implicit(struct bob_fortran_scope *s, struct bob_fortran_parser *r);
/* Gives the symbol the type of the IMPLICIT rules. */
void bob_fortran_default_type(struct bob_fortran_scope *s, struct bob_fortran_symbol *y);

/* declare.c: reads one specification statement. */
void bob_fortran_declare(struct bob_fortran_scope *s);
/* storage.c: reads COMMON and EQUIVALENCE statements. */
void bob_fortran_common(struct bob_fortran_scope *s, struct bob_fortran_parser *r);
/* Reads the name between slashes: the block; NULL without memory. */
struct bob_fortran_common *bob_fortran_block(struct bob_fortran_scope *s,
					     struct bob_fortran_parser *r);
void bob_fortran_equivalence(struct bob_fortran_scope *s, struct bob_fortran_parser *r);
/* storage.c: offsets in COMMON blocks, classes of EQUIVALENCE. */
void bob_fortran_place_storage(struct bob_fortran_scope *s);
/* modules.c: USE. */
void bob_fortran_use_module(struct bob_fortran_scope *s, struct bob_fortran_parser *r);
/* SUBMODULE: takes the variables, constants and types of its module, including private ones. */
void bob_fortran_use_ancestor(struct bob_fortran_scope *s, struct bob_fortran_parser *r);

char *bob_fortran_text_of(struct bob_fortran_scope *s, uint32_t from, uint32_t to);

#endif
