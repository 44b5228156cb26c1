/* SPDX-License-Identifier: BSD-3-Clause */
/* A C file being instrumented: libclang's tree, its variables, and the insertions. Owner:
 * bob_c_unit; bob_c_unit_close frees everything. One thread. */
#ifndef BOB_SOURCE_C_UNIT_H
#define BOB_SOURCE_C_UNIT_H

#include "base/host/arena.h"
#include "base/host/map.h"
#include "source/c/c.h"
#include "source/c/clang.h"
#include "source/c/headers.h"

#define BOB_C_BUCKETS 1024u
#define BOB_C_ACCESS_MAX 65535 /* of an access */
#define BOB_C_BYTES_MAX (64u << 20)

/* Bytes [start, end) of the file. */
struct bob_c_span {
	uint32_t start, end;
	uint32_t line, column;	/* lines as in headers.h */
	bool is_ours;		/* both ends are in the file */
	bool is_plain;		/* no macro contains only a part of it */
	/* the whole use of a macro that expands to an expression, or to more than it */
	bool is_macro;
	/* for `macros`: the expansion may contain a _Pragma */
	bool is_pragma;
	uint32_t pragma_words;	/* ... which may contain these words (pragmas.c) */
};

/* How an lvalue is used. */
enum bob_c_use {
	BOB_C_VALUE,		/* nothing: not an lvalue, or not examined */
	BOB_C_READ,
	BOB_C_WRITE,
	BOB_C_UPDATE,
	BOB_C_ADDRESS,		/* its address is taken: no access */
	BOB_C_PATH		/* a part of it is used: only the path to it is evaluated */
};

struct bob_c_variable {
	struct bob_c_variable *next,
		*later; /* next: in the hash bucket; later: of all, in order of occurrence */
	CXCursor decl;
	const char *name, *function; /* function: "" at file scope */
	bool is_wanted;		/* some request matches it, for any lines */
	bool is_exposed;	/* pointers may refer to it */
	bool is_linked;		/* other files can name it */
	bool is_register, is_thread, is_static, is_extern, is_parameter;
	bool is_pointer;	/* or an array parameter */
	bool is_array_parameter; /* represents its target only */
	bool is_defined;	/* defined here, not only declared */
	/* an array that is not registered here, because its length is unknown */
	bool has_no_length;
	bool is_used;		/* it has rows in the table of variables */
	uint32_t first, count;	/* rows of the variable itself; first UINT32_MAX: none */
	uint32_t pointed_first, pointed_count; /* rows of its target */
	struct bob_c_path *passes_to; /* the requested pointer that gets its value */
	bool passes_to_many;	/* ... it is not the only one */
	uint64_t leads;		/* what its values may refer to (copies.h) */
	bool is_jumped;		/* a jump leads into its scope: it is not registered */
	bool has_scope;		/* its lifetime ends with a block */
	uint32_t line;
	const char *type;	/* as written */
	CXType canonical;
};

/* A pointer that is a member or an element: pointer_paths.c. */
struct bob_c_path {
	struct bob_c_path *next;
	struct bob_c_variable *variable; /* where the path begins */
	const char *key;	/* the normalized path, ".v[*]" */
	const char *name;	/* the path as users write it, "g->v[*]" */
	CXType pointee;
	bool is_used;		/* it has rows in the table of variables */
	uint32_t first, count;
};

enum bob_c_probe { BOB_C_PROBE_READ, BOB_C_PROBE_WRITE, BOB_C_PROBE_UPDATE };

struct bob_c_site {
	uint32_t line, column, unit, bytes, like; /* as struct bob_probe_site */
	enum bob_c_probe kind;
};

struct bob_c_row {
	const struct bob_c_variable *variable;
	const struct bob_source_c_request *request; /* its box; NULL: the whole variable */
	bool is_pointed;	/* the row is of its target */
	const struct bob_c_path *path; /* ... or of the target of this path; NULL: no path */
};

struct bob_c_shape {
	uint32_t rank;
	long long extent[BOB_SOURCE_C_RANK_MAX + 1]; /* outermost first; 0: unknown */
	long long bytes;	/* of an element */
};

struct bob_c_nest_row {
	uint32_t first, count, depth;
};

/* A loop or call whose executions are events. */
struct bob_c_event {
	const char *name;
	/* offset + 1 of the place in its name; 0: named after a function */
	uint32_t at;
	bool has_trips;
};

struct bob_c_edit {
	uint32_t at;
	uint32_t number;	/* in the order made */
	bool is_close;		/* precedes opening texts at the same place */
	const char *text;
};

/* A call whose result becomes the target of a traced pointer. */
struct bob_c_block {
	bool is_there;
	CXCursor call;
	long long element;	/* size of the pointer's target */
};

/* A loop with hoisted caches of its sites: hold.c. */
struct bob_c_hold {
	uint32_t start, end;	/* end 0: nothing is hoisted */
	uint32_t number, sites;
	const char *untraced;	/* declarators of the hoisted caches */
};

#define BOB_C_OFTEN_LOOPS 8u

/* Execution count of the current code, and its innermost loop; NULL: none. */
struct bob_c_often {
	double times;
	struct bob_predict_loop *loop;
	const struct bob_c_variable *moved
		/* counters of the loops, the outermost one first; NULL: unknown */
		[BOB_C_OFTEN_LOOPS];
	uint32_t depth;		/* may exceed BOB_C_OFTEN_LOOPS */
};

struct bob_c_copies;
struct bob_c_nest;
struct bob_c_unit {
	const struct bob_clang *clang;
	const struct bob_source_c_options *options;
	struct bob_arena arena;
	CXIndex index;
	CXTranslationUnit tu;
	const char *path;
	const struct bob_c_sources *sources; /* origins of the text's lines; NULL: one file */
	char *bytes;		/* the file, zero terminated */
	uint32_t len;
	BOB_VEC(struct bob_c_span) macros; /* uses, in order, not nested */
	/* uses of macros and words `register` that prevent a probe of a requested reference; a
	 * place may be listed twice */
	BOB_VEC(struct bob_c_span) obstacles;
	struct bob_c_variable *buckets[BOB_C_BUCKETS], *variables, *last_variable;
	struct bob_c_path *paths; /* requested paths that exist, or get memory */
	BOB_VEC(struct bob_c_row) rows;
	BOB_VEC(struct bob_c_nest_row) nests;
	BOB_VEC(const char *) functions;	/* defined by the file */
	BOB_VEC(const char *) units;	/* names of functions with sites */
	BOB_VEC(struct bob_c_site) sites;
	BOB_VEC(struct bob_c_event) events;
	BOB_VEC(struct bob_c_edit) edits;
	BOB_MAP(uint64_t) wrapped; /* spans with a probe: (start, end) */
	struct bob_source_c_counts counts;
	BOB_VEC(struct bob_source_c_refused) included; /* by file name */
	uint32_t top,
		/* line of the first function with a probe if has_top; else of the first function */
		top_line;
	bool has_top;
	uint32_t gone;		/* number of places that free memory */
	bool is_failed;		/* out of memory */
	bool has_odd_order;	/* members may have no address (scalar_storage_order) */
	bool is_loose;		/* all types may alias (-fno-strict-aliasing, may_alias) */
	bool is_scan;		/* the first walk: only finds variables whose address is taken */
	bool is_refused;	/* references without a probe have been counted */

	/* state of the walk: */
	const char *function_name; /* "" outside of functions */
	BOB_VEC(CXCursor) ancestors;	/* from the function to the current expression */
	int blocked;		/* the enum bob_source_c_refusal of everything below, or -1 */
	struct bob_c_jumps *jumps; /* of the current function */
	struct bob_c_hold *hold; /* enclosing loop with hoisted caches; NULL: none */
	uint32_t hold_count;
	struct bob_c_nest *nest; /* collects references, which then get no probes */
	struct bob_c_block block;
	struct bob_c_given *given; /* accesses that probes cannot see: given.c */
	struct bob_c_copies *copies; /* NULL: no copies are made */
	/* executions of the current code per run of the function (predict.c) */
	struct bob_c_often often;
};

/* --- unit.c --- */
/* Opens and parses a file. `text`: its new content, which the unit then owns; NULL: the file is
 * read. `sources`: origins of the lines of `text`, borrowed. */
bob_status bob_c_unit_open(struct bob_c_unit *u, const char *path, char *text, size_t len,
			   const struct bob_c_sources *sources,
			   const struct bob_source_c_options *options,
			   struct bob_source_c_complaint *why);
void bob_c_unit_close(struct bob_c_unit *u);

/* --- flags.c --- */
/* The compiler's flags that affect the meaning of the text, for clang; the caller frees the array.
 * NULL: no memory. */
const char **bob_c_clang_flags(const struct bob_source_c_options *o, int *count);
/* True if the flags let all types alias. */
bool bob_c_is_loose(const struct bob_source_c_options *o);
/* The value that the flags define for the macro `name`; NULL: none. Borrowed. */
const char *bob_c_macro_of_flags(const struct bob_source_c_options *o, const char *name);
/* The same for the preprocessor of the compiler `cc`; NULL ends the list. */
const char **bob_c_preprocessor_flags(const struct bob_source_c_options *o, const char *cc,
				      const char *folder);

/* --- preprocess.c --- */
#define BOB_C_MARK "bobbin_use_of_macro_"
#define BOB_C_REGISTER "register"
/* A growing, zero-terminated buffer; its owner frees it. `is_failed`: out of memory. */
struct bob_c_bytes {
	char *bytes;
	size_t len, capacity;
	bool is_failed;
};
void bob_c_bytes_put(struct bob_c_bytes *t, const char *bytes, size_t len);
/* Runs the preprocessor. The output has no line markers and begins with a newline. False: it
 * failed, or reported an error. */
bool bob_c_preprocess(const struct bob_c_unit *u, const struct bob_c_bytes *from,
		      struct bob_c_bytes *to);
/* Are two outputs of bob_c_preprocess equal except for blanks, names that begin with BOB_C_MARK,
 * and the word `register`? */
bool bob_c_is_same(const struct bob_c_bytes *a, const struct bob_c_bytes *b);
/* True if `word` is at `at` as a whole word. The byte before `at` must exist. */
bool bob_c_is_word(const char *at, const char *word);

/* --- obstacles.c --- */
/* Counts a reference without a probe: a macro contains one of its ends, or it is `register`. */
void bob_c_refuse_in_macro(struct bob_c_unit *u, const struct bob_c_span *s);
void bob_c_refuse_in_register(struct bob_c_unit *u, const struct bob_c_variable *v);
/* The file with obstacles replaced; the caller frees it. False: there are none, or the new text
 * might have another meaning. */
bool bob_c_remove_obstacles(struct bob_c_unit *u, char **text, size_t *len);

struct bob_c_span bob_c_span(const struct bob_c_unit *u, CXCursor c);
/* Stores the child cursors, at most `max`; returns their total number. */
uint32_t bob_c_children(const struct bob_c_unit *u, CXCursor c, CXCursor *to, uint32_t max);
/* All of them; freed by bob_c_list_free. */
struct bob_c_list {
	BOB_VEC(CXCursor);
};
struct bob_c_list bob_c_all_children(struct bob_c_unit *u, CXCursor c);
void bob_c_list_free(struct bob_c_list *l);
const char *bob_c_spelling(struct bob_c_unit *u, CXCursor c);
const char *bob_c_text(struct bob_c_unit *u, CXString s);
enum CXTypeKind bob_c_type_kind(const struct bob_c_unit *u, CXCursor c);
bool bob_c_is_array(enum CXTypeKind k);
/* Volatile or atomic, or an array of such: other threads may change it, and the code may wait for
 * that. */
bool bob_c_is_shared(const struct bob_c_unit *u, CXCursor c);
/* The use of a macro that contains the byte `at`; NULL: none. */
const struct bob_c_span *bob_c_macro_at(const struct bob_c_unit *u, uint32_t at);
/* The first byte at or after `at` that is neither blank nor comment. */
uint32_t bob_c_skip_blanks(const struct bob_c_unit *u, uint32_t at);
char *bob_c_printf(struct bob_c_unit *u, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* --- refused.c --- */
void bob_c_refuse(struct bob_c_unit *u, enum bob_source_c_refusal why);
/* Counts a reference in an included file. */
void bob_c_refuse_included(struct bob_c_unit *u, CXCursor c);
/* The refusals, those in included files by file. Returns their number; they are in memory of the
 * unit. */
uint32_t bob_c_refusals(struct bob_c_unit *u, struct bob_source_c_refused **out);
bob_status bob_c_refusals_take(struct bob_c_unit *u, struct bob_source_c_result *to);

/* --- edits.c --- */
void bob_c_open_at(struct bob_c_unit *u, uint32_t at, const char *text);
void bob_c_close_at(struct bob_c_unit *u, uint32_t at, const char *text);
/* Discards all edits except those with these texts (compared by address). */
void bob_c_keep_edits(struct bob_c_unit *u, const char *one, const char *other);
/* The bytes [from, to) with the edits after the first `before` applied; these edits are removed.
 * NULL: no memory. */
const char *bob_c_take_edits(struct bob_c_unit *u, size_t before, uint32_t from, uint32_t to);
/* False: there is already a probe around exactly this span. */
bool bob_c_claim(struct bob_c_unit *u, uint32_t start, uint32_t end);
bob_status bob_c_apply(struct bob_c_unit *u, char **text, size_t *len);

/* --- variables.c --- */
/* NULL: not a variable, or no memory. */
struct bob_c_variable *bob_c_variable(struct bob_c_unit *u, CXCursor decl);
/* Of a name in an expression; NULL: `c` is something else. */
struct bob_c_variable *bob_c_variable_of(struct bob_c_unit *u, CXCursor c);
/* Notes a declaration at file scope. */
void bob_c_variable_declared(struct bob_c_unit *u, struct bob_c_variable *v, CXCursor decl,
			     bool has_value);
/* True for requests of the variable itself; of the variable or its target. */
bool bob_c_is_request_of(const struct bob_source_c_request *w, const struct bob_c_variable *v);
bool bob_c_is_name_of(const struct bob_source_c_request *w, const struct bob_c_variable *v);
/* The type of the target of a pointer or array parameter. */
CXType bob_c_pointee(const struct bob_c_unit *u, const struct bob_c_variable *v);
/* Bit set of the classes of its scalars that may alias one another. */
uint32_t bob_c_classes(struct bob_c_unit *u, CXType t);
/* ... of the parts of a variable that pointers may refer to; of the target of this path. */
uint32_t bob_c_exposed_classes(struct bob_c_unit *u, const struct bob_c_variable *v);
uint32_t bob_c_path_classes(struct bob_c_unit *u, const struct bob_c_path *p);
/* True if a pointer argument was requested: while its function runs, whatever it points to may be
 * traced. */
bool bob_c_has_arguments(const struct bob_c_unit *u);
/* May an access of this type through a pointer touch a requested object whose address is taken? */
bool bob_c_may_alias(struct bob_c_unit *u, CXType accessed);

/* --- pointer_paths.c --- */
/* The expression below parentheses, casts and conversions. */
CXCursor bob_c_bare(struct bob_c_unit *u, CXCursor c);
/* Does a request name a path from it? */
bool bob_c_has_paths(struct bob_c_unit *u, const struct bob_c_variable *v);
/* The path of the pointer `c`, if it is noted. NULL: it is not a member or element, or not
 * noted. */
struct bob_c_path *bob_c_path(struct bob_c_unit *u, CXCursor c);
/* Computes the path of the pointer `c`, without a type. False: it is not a member or element of a
 * requested variable. */
bool bob_c_path_of(struct bob_c_unit *u, CXCursor c, struct bob_c_path *out);
/* Notes the pointer `c` if its path was requested, or if its variable was and it gets memory. NULL:
 * not noted. */
struct bob_c_path *bob_c_path_note(struct bob_c_unit *u, CXCursor c, bool gets_block);
bool bob_c_is_request_of_path(struct bob_c_unit *u, const struct bob_source_c_request *w,
			      const struct bob_c_path *p);

/* --- lvalue.c --- */
struct bob_c_lvalue {
	bool is_known;		/* it denotes an object, or a target of a pointer */
	bool is_through;	/* a target of a pointer: of `variable`, unless NULL */
	bool is_odd;		/* it may have no address (scalar_storage_order) */
	bool is_vector;
	uint32_t bits_at,
		/* of a bit-field: offset in the containing struct, and size of the bytes that
		 * contain it */
		bits_bytes;
	bool is_packed;		/* it may be misaligned for its type */
	bool is_by_member;	/* ... but the struct that contains it, at offset bits_at, is not */
	bool is_whole;		/* an array or struct without subscript */
	bool is_blurred;	/* the subscripts do not determine the element */
	struct bob_c_variable *variable;
	struct bob_c_path *path; /* path of the pointer, if noted */
	uint64_t leads;		/* what that pointer may refer to, if copies are made (copies.h) */
	uint32_t rank;		/* subscripts */
	bool is_constant[BOB_SOURCE_C_RANK_MAX];
	long long subscript[BOB_SOURCE_C_RANK_MAX];
};
void bob_c_lvalue_find(struct bob_c_unit *u, CXCursor c, struct bob_c_lvalue *out);
/* The operand of a member access: an object, or a pointer to one. */
CXCursor bob_c_member_of(struct bob_c_unit *u, CXCursor member);
/* True for expressions that denote an object; implicit conversions do not. */
bool bob_c_is_lvalue(struct bob_c_unit *u, CXCursor c);
/* The static decision about a reference (docs/source-c.md). */
enum bob_c_verdict { BOB_C_NOT_ASKED, BOB_C_DROPPED, BOB_C_PROVED, BOB_C_FILTERED };
enum bob_c_verdict bob_c_judge(struct bob_c_unit *u, const struct bob_c_lvalue *lv, CXCursor c,
			       uint32_t line);
/* Is there a request of this kind for this line? */
bool bob_c_is_asked(const struct bob_c_unit *u, enum bob_source_c_what what, uint32_t line);

/* --- reach.c --- */
/* After the first walk. The caller frees the result. NULL: no memory. */
struct bob_source_c_reach *bob_c_reach(struct bob_c_unit *u);

/* --- operators.c --- */
/* The operator of an expression, such as "+=", up to 3 characters. "": unknown. */
struct bob_c_operator {
	char text[4];
	bool is_prefix;
};
struct bob_c_operator bob_c_operator(struct bob_c_unit *u, CXCursor c);
/* Is it && or ||? */
bool bob_c_is_guard(struct bob_c_unit *u, CXCursor c);
/* Is it `&x`? Decided by types, so also in macros. */
bool bob_c_is_address(struct bob_c_unit *u, CXCursor c);

/* --- missing.c --- */
/* BOB_ERR_INVAL: a request matches nothing. */
bob_status bob_c_check_requests(struct bob_c_unit *u, struct bob_source_c_complaint *why);

/* --- walk.c --- */
void bob_c_walk(struct bob_c_unit *u, CXCursor c, enum bob_c_use use);
/* Begins the walk of a cursor; false: nested too deep. */
bool bob_c_enter(struct bob_c_unit *u, CXCursor c);
void bob_c_leave(struct bob_c_unit *u);
/* True if its properties allow a probe. */
bool bob_c_is_clear(const struct bob_c_unit *u, const struct bob_c_lvalue *lv,
		    const struct bob_c_span *s);
/* Counts the reference and adds a site. Returns its number. UINT32_MAX: the accessed object has no
 * size, or is too large. */
uint32_t bob_c_site_of(struct bob_c_unit *u, CXCursor c, const struct bob_c_lvalue *lv,
		       const struct bob_c_span *s, enum bob_c_use use, enum bob_c_verdict verdict);
/* Can text be inserted around the current span? */
bool bob_c_is_editable(struct bob_c_unit *u, const struct bob_c_span *s);

/* --- heap.c: memory from malloc and similar functions --- */
/* A value assigned to a pointer. True: it is a new block. Then `s` is opened, bob_c_after_access()
 * must close it at s->end, and the size arguments of the call are saved while it is walked. */
bool bob_c_block_of_variable(struct bob_c_unit *u, struct bob_c_variable *v, CXCursor value,
			     struct bob_c_span *s);
bool bob_c_block_of_assignment(struct bob_c_unit *u, CXCursor assignment, struct bob_c_span *s);
/* Texts before and after argument `i` of a call. NULL: none. */
const char *bob_c_before_argument(struct bob_c_unit *u, CXCursor call, CXCursor argument,
				  uint32_t i, const char **after);

/* --- statements.c --- */
void bob_c_walk_statement(struct bob_c_unit *u, CXCursor c);
void bob_c_walk_function(struct bob_c_unit *u, CXCursor definition);
void bob_c_walk_file(struct bob_c_unit *u);

/* --- pragmas.c --- */
/* Is there a pragma with this word before `at`, with only comments and other preprocessor lines
 * between? NULL: any pragma. */
bool bob_c_is_after_pragma(const struct bob_c_unit *u, uint32_t at, const char *word);
/* Is there a preprocessor line before `at`, with only comments between? */
bool bob_c_is_after_directive(const struct bob_c_unit *u, uint32_t at);

/* --- code_events.c --- */
/* Does a pragma require the form of the current loop, with the span `s`? One with `collapse` or
 * similar clauses applies to the loops inside, too. */
bool bob_c_is_below_pragma(const struct bob_c_unit *u, const struct bob_c_span *s);
/* Opens the event of a loop, if it was requested, and inserts its begin. bob_c_loop_close inserts
 * the end after the walk of the loop. */
struct bob_c_loop {
	uint32_t body_end, end;
	bool is_event;
	/* enum bob_source_c_refusal, if it is no event; below 0: refused because of its place */
	int refused;
};
/* Can the loop be an event, requested or not? */
bool bob_c_is_loop_event(struct bob_c_unit *u, CXCursor c);
struct bob_c_loop bob_c_loop_open(struct bob_c_unit *u, CXCursor c);
void bob_c_loop_close(struct bob_c_unit *u, const struct bob_c_loop *loop);
/* Likewise for a call of `callee`: false if it is no event, else bob_c_call_close must follow its
 * arguments. */
bool bob_c_call_open(struct bob_c_unit *u, CXCursor c, const char *callee, uint32_t *end);
void bob_c_call_close(struct bob_c_unit *u, uint32_t end);
/* Inserts the event functions at the top, and the event names in the file's constructor. */
void bob_c_emit_events(struct bob_c_unit *u);
void bob_c_emit_event_names(struct bob_c_unit *u);

/* The end of a statement, including its semicolon; 0: not found. */
uint32_t bob_c_statement_end(const struct bob_c_unit *u, const struct bob_c_span *s);

/* --- hold.c --- */
/* Hoists the caches of the loop's sites, if possible: probes inserted until bob_c_hold_close use
 * the hoisted caches. If there are any, bob_c_hold_close inserts the code before and after the
 * loop. */
void bob_c_hold_open(struct bob_c_unit *u, CXCursor loop, struct bob_c_hold *h);
void bob_c_hold_close(struct bob_c_unit *u, struct bob_c_hold *h);
/* Adds the site's cache to those hoisted out of the enclosing loop. False: there is no such loop,
 * or it has too many already. */
bool bob_c_hold_takes(struct bob_c_unit *u, uint32_t site);

/* --- jumps.c --- */
void bob_c_jumps_free(struct bob_c_unit *u);
void bob_c_jumps_find(struct bob_c_unit *u, CXCursor body);
/* True if a jump from outside leads into [start, end). */
bool bob_c_is_jumped_into(const struct bob_c_unit *u, uint32_t start, uint32_t end);

/* --- file_tables.c: the tables of the file --- */
struct bob_c_shape bob_c_shape_of(struct bob_c_unit *u, const struct bob_c_row *r);
/* Adds the site and marks it as used; UINT32_MAX: no memory. */
uint32_t bob_c_site(struct bob_c_unit *u, const struct bob_c_site *s);
/* The number of the unit with this function's name, added if new. */
uint32_t bob_c_unit_number(struct bob_c_unit *u, const char *function);
/* Adds rows to the table of variables for `v`, at its first use: for the object itself and, for a
 * pointer, for its target. */
void bob_c_rows(struct bob_c_unit *u, struct bob_c_variable *v);
void bob_c_path_rows(struct bob_c_unit *u, struct bob_c_path *p);
void bob_c_emit_tables(struct bob_c_unit *u);

/* --- predict.c: counts for the prediction (source/predict.h) --- */
/* The share of the accesses of `lv` that is traced. */
struct bob_predict_share bob_c_share(struct bob_c_unit *u, const struct bob_c_lvalue *lv);
/* Multiplies u->often for code in a loop or under a condition; the caller restores it. */
void bob_c_times(struct bob_c_unit *u, CXCursor statement);
/* Walks `c`, a part of `condition` that is evaluated conditionally: an arm of ?:, or the right
 * operand of && or ||. */
void bob_c_walk_perhaps(struct bob_c_unit *u, CXCursor condition, CXCursor c);
/* Starts the counts of the file. */
void bob_c_predict_file(struct bob_c_unit *u);
void bob_c_predict_function(struct bob_c_unit *u, CXCursor function);
/* Counts a reference of the program, during the scan; a single probe; a local variable. */
void bob_c_predict_own(struct bob_c_unit *u);
/* `c`: the reference, or the declaration that initializes it. */
void bob_c_predict_site(struct bob_c_unit *u, CXCursor c, const struct bob_c_lvalue *lv,
			enum bob_c_use use);
/* --- predict_place.c --- */
/* Enters a loop: notes its counter. */
void bob_c_predict_enter(struct bob_c_unit *u, CXCursor loop);
/* Classifies the addresses of a reference by its subscripts. */
void bob_c_predict_place(struct bob_c_unit *u, CXCursor c, struct bob_predict_single *s);
void bob_c_predict_declare(struct bob_c_unit *u);

/* --- emit.c --- */
/* Around a freed pointer. Compared by address: no copies of these texts. */
extern const char bob_c_before_gone[], bob_c_after_gone[];
/* Before the struct that contains a bit-field, or a pointer to it; bob_c_after_access() follows
 * it. */
const char *bob_c_before_bits(struct bob_c_unit *u, uint32_t site, uint32_t at, bool is_pointer);
/* Around an lvalue: before and after it. */
const char *bob_c_before_access(struct bob_c_unit *u, uint32_t site);
/* ... whose address may be misaligned for its type. */
const char *bob_c_before_packed(struct bob_c_unit *u, uint32_t site);
const char *bob_c_after_access(struct bob_c_unit *u);
/* Registration: after a declarator; at the beginning of a body, for a parameter; after the
 * declaration of a static variable. */
const char *bob_c_local(struct bob_c_unit *u, struct bob_c_variable *v, int write_site);
const char *bob_c_parameter(struct bob_c_unit *u, struct bob_c_variable *v);
const char *bob_c_static(struct bob_c_unit *u, struct bob_c_variable *v);
/* Before an expression that gives a new block to rows of the table. */
const char *bob_c_before_block(struct bob_c_unit *u, uint32_t first, uint32_t count, bool is_text);
/* #line: the following text is on that line. */
const char *bob_c_line_directive(struct bob_c_unit *u, uint32_t line);
/* The text as a C string literal. */
const char *bob_c_quoted(struct bob_c_unit *u, const char *text);
/* Inserts the top and the end of the file. */
void bob_c_emit_frame(struct bob_c_unit *u);

#endif
