/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the reader of symbols: one unit while its statements are read. */
#ifndef BOB_SOURCE_FORTRAN_SCOPE_H
#define BOB_SOURCE_FORTRAN_SCOPE_H

#include "source/fortran/parse.h"
#include "source/fortran/symbols.h"

/* COMMON members and EQUIVALENCE sets in the order of the text, until sizes are known. */
struct bob_fortran_member {
	struct bob_fortran_common *common;
	struct bob_fortran_symbol *symbol;
};
struct bob_fortran_same {
	struct bob_fortran_symbol *symbol;
	const struct bob_fortran_expr *ref;
	const struct bob_fortran_statement *statement;
	uint32_t set;		/* equal: one EQUIVALENCE set */
};

struct bob_fortran_scope {
	struct bob_fortran_file *file;
	struct bob_arena *arena;
	const struct bob_fortran_finder *finder;
	/* where names are declared: the unit's, or a type's */
	struct bob_fortran_symbols *table;
	/* the unit's, or that of the construct with names of its own that is read */
	struct bob_fortran_symbols *unit_table;
	const struct bob_fortran_statement *statement; /* being read: perhaps of an included file */
	uint32_t unit, index;	/* of the file's statement that is being read */
	uint32_t include_depth, structure_depth;
	bool runs;		/* a statement that does was met */
	struct bob_fortran_member *members;
	uint32_t member_count, member_capacity;
	struct bob_fortran_same *same;
	uint32_t same_count, same_capacity, sets;
	int32_t integer_kind, real_kind;
	bool is_private, failed;
	bool takes_foreign;	/* from a module of another file */
	int64_t next_enumerator;
};

/* A type, as declarations name it. */
struct bob_fortran_typing {
	enum bob_fortran_type type;
	int32_t kind;
	int64_t char_len;
	const char *type_name;
};

/* constructs.c: the table that holds from the statement on, whose names are that from now on. */
void bob_fortran_enter_construct(struct bob_fortran_scope *s, struct bob_fortran_statement *t);
/* ... after it, if it begins a construct with names of its own. */
void bob_fortran_begin_construct(struct bob_fortran_scope *s,
				 const struct bob_fortran_statement *t);
/* Are these names what a TYPE IS or CLASS IS gives another type? */
bool bob_fortran_is_guarded(const struct bob_fortran_symbols *t);
/* ... when everything around it is known: the name of an ASSOCIATE gets type and rank if it is
 * associated with a variable or a section of one. */
void bob_fortran_type_associate(struct bob_fortran_scope *s, struct bob_fortran_symbol *y);

/* statement_function.c: is it the definition of one? It does not run, then, and its name is known.
 * Nothing that runs was met before. */
bool bob_fortran_take_statement_function(struct bob_fortran_scope *s,
					 struct bob_fortran_statement *t);

/* table.c */
struct bob_fortran_symbols *bob_fortran_table(struct bob_arena *arena,
					      struct bob_fortran_symbols *host);
/* The table's own symbol, made if it has none; NULL without memory. */
struct bob_fortran_symbol *bob_fortran_enter(struct bob_arena *arena, struct bob_fortran_symbols *t,
					     const char *name, uint32_t len);
/* The same for a name at the parser's place, which it takes; NULL also if there is none. */
struct bob_fortran_symbol *bob_fortran_enter_next(struct bob_fortran_scope *s,
						  struct bob_fortran_parser *r);
const struct bob_fortran_symbol *bob_fortran_intrinsic(const char *name, uint32_t len);
/* Only its value is asked for: SIZE, ALLOCATED, ... */
bool bob_fortran_is_inquiry(const char *name, uint32_t len);
/* Named constants of ISO_C_BINDING and ISO_FORTRAN_ENV. */
bool bob_fortran_module_constant(const char *name, uint32_t len, int32_t *value);
/* ... one by one, from 0 on; false: no more. */
bool bob_fortran_module_constant_at(uint32_t index, const char **name, int32_t *value);

/* types.c: at a type: true, and what it says; the parser is after it. */
bool bob_fortran_read_type(struct bob_fortran_scope *s, struct bob_fortran_parser *r,
			   struct bob_fortran_typing *t);
void bob_fortran_give_type(struct bob_fortran_symbol *y, const struct bob_fortran_typing *t);
/* ( ... ) as the shape of a symbol. */
void bob_fortran_read_shape(struct bob_fortran_scope *s, struct bob_fortran_parser *r,
			    struct bob_fortran_symbol *y);
void bob_fortran_implicit(struct bob_fortran_scope *s, struct bob_fortran_parser *r);
/* The type that IMPLICIT rules give. */
void bob_fortran_default_type(struct bob_fortran_scope *s, struct bob_fortran_symbol *y);

/* declare.c: one statement that specifies. */
void bob_fortran_declare(struct bob_fortran_scope *s);
/* storage.c: COMMON and EQUIVALENCE, the statements. */
void bob_fortran_common(struct bob_fortran_scope *s, struct bob_fortran_parser *r);
/* At its slashes: the block; NULL without memory. */
struct bob_fortran_common *bob_fortran_block(struct bob_fortran_scope *s,
					     struct bob_fortran_parser *r);
void bob_fortran_equivalence(struct bob_fortran_scope *s, struct bob_fortran_parser *r);
/* storage.c: offsets in COMMON blocks, classes of EQUIVALENCE. */
void bob_fortran_place_storage(struct bob_fortran_scope *s);
/* modules.c: USE. */
void bob_fortran_use_module(struct bob_fortran_scope *s, struct bob_fortran_parser *r);
/* SUBMODULE: variables, constants and types of the module that it belongs to, private ones among
 * them. */
void bob_fortran_use_ancestor(struct bob_fortran_scope *s, struct bob_fortran_parser *r);

char *bob_fortran_text_of(struct bob_fortran_scope *s, uint32_t from, uint32_t to);

#endif
