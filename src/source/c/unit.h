/* SPDX-License-Identifier: BSD-3-Clause */
/* One C file on its way: what libclang says of it, which variables matter, what is to be put in.
 * Owner: bob_c_unit; bob_c_unit_close frees all. One thread. */
#ifndef BOB_SOURCE_C_UNIT_H
#define BOB_SOURCE_C_UNIT_H

#include "base/host/arena.h"
#include "base/host/map.h"
#include "source/c/c.h"
#include "source/c/clang.h"
#include "source/c/headers.h"

#define BOB_C_BUCKETS 1024u
#define BOB_C_ACCESS_MAX 65535 /* bytes at once */
#define BOB_C_BYTES_MAX (64u << 20)

/* Bytes [start, end) of the file. */
struct bob_c_span {
	uint32_t start, end;
	uint32_t line, column;	/* as headers.h has lines */
	bool is_ours;		/* both ends are in the file ... */
	bool is_plain;		/* ... and no macro has only a part of it */
	/* it is as long as one use of a macro that stands for an expression, or for more than it */
	bool is_macro;
	/* of `macros`: it may stand for a _Pragma, or for more than it, ... */
	bool is_pragma;
	uint32_t pragma_words;	/* ... which may have these (pragmas.c) */
};

/* What happens to an lvalue. */
enum bob_c_use {
	BOB_C_VALUE,		/* nothing: not an lvalue, or one that is not looked at */
	BOB_C_READ,
	BOB_C_WRITE,
	BOB_C_UPDATE,
	BOB_C_ADDRESS,		/* its address is taken: no access */
	BOB_C_PATH		/* a part of it is used: the way there is evaluated */
};

struct bob_c_variable {
	struct bob_c_variable *next,
		*later; /* in its bucket; of all, in the order in which they were met */
	CXCursor decl;
	const char *name, *function; /* function: "" at file scope */
	bool is_wanted;		/* by some request, whatever its lines */
	bool is_exposed;	/* pointers may lead to it */
	bool is_linked;		/* other files may name it */
	bool is_register, is_thread, is_static, is_extern, is_parameter;
	bool is_pointer;	/* ... or an array parameter: */
	bool is_array_parameter; /* stands for what it points at alone */
	bool is_defined;	/* not only declared */
	/* an array that is not reported here, because it is declared without a length */
	bool has_no_length;
	bool is_used;		/* it has rows in the table of variables: */
	uint32_t first, count;	/* of itself; first UINT32_MAX: none */
	uint32_t pointed_first, pointed_count; /* of what it points at */
	struct bob_c_path *passes_to; /* a pointer that was asked for gets its value from it ... */
	bool passes_to_many;	/* ... or others do, too */
	uint64_t leads;		/* where its values lead (copies.h) */
	bool is_jumped;		/* a jump leads into its scope: it is not reported */
	bool has_scope;		/* it ends with a block */
	uint32_t line;
	const char *type;	/* as written */
	CXType canonical;
};

/* A pointer that is a member or an element: paths.c. */
struct bob_c_path {
	struct bob_c_path *next;
	struct bob_c_variable *variable; /* where the way begins */
	const char *key;	/* which way it is, ".v[*]" */
	const char *name;	/* as people call it, "g->v[*]" */
	CXType pointee;
	bool is_used;		/* it has rows in the table of variables: */
	uint32_t first, count;
};

enum bob_c_probe { BOB_C_PROBE_READ, BOB_C_PROBE_WRITE, BOB_C_PROBE_UPDATE };

struct bob_c_site {
	uint32_t line, column, unit, bytes, like; /* as struct bob_probe_site */
	enum bob_c_probe kind;
};

struct bob_c_row {
	const struct bob_c_variable *variable;
	const struct bob_source_c_request *request; /* its box; NULL: everything */
	bool is_pointed;	/* what it points at */
	const struct bob_c_path *path; /* ... or what this one points at; NULL: not that */
};

struct bob_c_shape {
	uint32_t rank;
	long long extent[BOB_SOURCE_C_RANK_MAX + 1]; /* outermost first; 0: not known */
	long long bytes;	/* of an element */
};

struct bob_c_nest_row {
	uint32_t first, count, depth;
};

/* A loop or a call, whose every run is an event. */
struct bob_c_event {
	const char *name;
	/* after the byte of the place that it is named after; 0: it is of a name */
	uint32_t at;
	bool has_trips;
};

struct bob_c_edit {
	uint32_t at;
	uint32_t number;	/* in the order made */
	bool is_close;		/* comes before what begins here */
	const char *text;
};

/* A call whose result is what a traced pointer leads to from now on. */
struct bob_c_block {
	bool is_there;
	CXCursor call;
	long long element;	/* bytes of what the pointer leads to */
};

/* A loop that holds the untraced ranges of its sites: hold.c. */
struct bob_c_hold {
	uint32_t start, end;	/* end 0: it does not */
	uint32_t number, sites;
	const char *untraced;	/* their declarators */
};

#define BOB_C_OFTEN_LOOPS 8u

/* How often something runs, and the loop that it is in; NULL: in none. */
struct bob_c_often {
	double times;
	struct bob_predict_loop *loop;
	const struct bob_c_variable *moved
		/* what each loop counts in, the outermost one first; NULL: not known */
		[BOB_C_OFTEN_LOOPS];
	uint32_t depth;		/* perhaps more */
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
	const struct bob_c_sources *sources; /* whose text it is; NULL: the file alone */
	char *bytes;		/* the file, and a zero */
	uint32_t len;
	BOB_VEC(struct bob_c_span) macros; /* uses, in order, none in another */
	/* uses of macros and words `register` because of which something that was asked for got no
	 * probe; a place may be there twice */
	BOB_VEC(struct bob_c_span) obstacles;
	struct bob_c_variable *buckets[BOB_C_BUCKETS], *variables, *last_variable;
	struct bob_c_path *paths; /* that were asked for and are there, or get memory */
	BOB_VEC(struct bob_c_row) rows;
	BOB_VEC(struct bob_c_nest_row) nests;
	BOB_VEC(const char *) functions;	/* that the file defines */
	BOB_VEC(const char *) units;	/* names of functions with sites */
	BOB_VEC(struct bob_c_site) sites;
	BOB_VEC(struct bob_c_event) events;
	BOB_VEC(struct bob_c_edit) edits;
	BOB_MAP(uint64_t) wrapped; /* spans that have a probe: (start, end) */
	struct bob_source_c_counts counts;
	BOB_VEC(struct bob_source_c_refused) included; /* by the names of files */
	uint32_t top,
		/* where the first function with a probe begins, if has_top; else the first
		 * function */
		top_line;
	bool has_top;
	uint32_t gone;		/* places where memory is freed */
	bool is_failed;		/* no memory */
	bool has_odd_order;	/* members may have no address (scalar_storage_order) */
	bool is_loose;		/* any two types may alias (-fno-strict-aliasing, may_alias) */
	bool is_scan;		/* the first walk: only looks which addresses are taken */
	bool is_refused;	/* what has no probe has been counted */

	/* while it is walked */
	const char *function_name; /* "" outside */
	BOB_VEC(CXCursor) ancestors;	/* from the function to what is looked at */
	int blocked;		/* enum bob_source_c_refusal of all that is met, or -1 */
	struct bob_c_jumps *jumps; /* of the function */
	struct bob_c_hold *hold; /* the loop around that does; NULL: none */
	uint32_t hold_count;
	struct bob_c_nest *nest; /* references are collected there, and get no probes */
	struct bob_c_block block;
	struct bob_c_given *given; /* what leaves the sight of probes: given.c */
	struct bob_c_copies *copies; /* NULL: there are none to be */
	/* what is looked at runs for each run of the function (predict.c) */
	struct bob_c_often often;
};

/* --- unit.c --- */
/* `text`: what stands for the file's bytes, then the unit's; NULL: they are read. `sources`: what
 * it is of, borrowed. */
bob_status bob_c_unit_open(struct bob_c_unit *u, const char *path, char *text, size_t len,
			   const struct bob_c_sources *sources,
			   const struct bob_source_c_options *options,
			   struct bob_source_c_complaint *why);
void bob_c_unit_close(struct bob_c_unit *u);

/* --- flags.c --- */
/* What of the compiler's flags changes what a text means, for clang; free() it. NULL: no memory. */
const char **bob_c_clang_flags(const struct bob_source_c_options *o, int *count);
/* Do they let any two types alias? */
bool bob_c_is_loose(const struct bob_source_c_options *o);
/* What the flags say that the macro `name` stands for; NULL: they do not. Borrowed. */
const char *bob_c_macro_of_flags(const struct bob_source_c_options *o, const char *name);
/* The same for the preprocessor of the compiler `cc`, with a NULL after the last. */
const char **bob_c_preprocessor_flags(const struct bob_source_c_options *o, const char *cc,
				      const char *folder);

/* --- preprocess.c --- */
#define BOB_C_MARK "bobbin_use_of_macro_"
#define BOB_C_REGISTER "register"
/* A growing buffer of bytes, terminated by a zero; for the owner to free. `is_failed`: no
 * memory. */
struct bob_c_bytes {
	char *bytes;
	size_t len, capacity;
	bool is_failed;
};
void bob_c_bytes_put(struct bob_c_bytes *t, const char *bytes, size_t len);
/* The output of the preprocessor, without line markers, after a newline. False: it cannot be run,
 * or finds an error. */
bool bob_c_preprocess(const struct bob_c_unit *u, const struct bob_c_bytes *from,
		      struct bob_c_bytes *to);
/* The same but for blanks, names that begin with BOB_C_MARK and the word `register`? Of what
 * bob_c_preprocess gave. */
bool bob_c_is_same(const struct bob_c_bytes *a, const struct bob_c_bytes *b);
/* There is a byte in front of `at`. */
bool bob_c_is_word(const char *at, const char *word);

/* --- obstacles.c --- */
/* It gets no probe because of a macro that has one of its ends, or because of `register`. */
void bob_c_refuse_in_macro(struct bob_c_unit *u, const struct bob_c_span *s);
void bob_c_refuse_in_register(struct bob_c_unit *u, const struct bob_c_variable *v);
/* The file with obstacles replaced, for the caller to free. False: there are no obstacles, or the
 * text may not mean the same. */
bool bob_c_remove_obstacles(struct bob_c_unit *u, char **text, size_t *len);

struct bob_c_span bob_c_span(const struct bob_c_unit *u, CXCursor c);
/* Child cursors, at most `max` of them; the number there are. */
uint32_t bob_c_children(const struct bob_c_unit *u, CXCursor c, CXCursor *to, uint32_t max);
/* All of them, in memory of the unit until bob_c_children_free. */
struct bob_c_list {
	BOB_VEC(CXCursor);
};
struct bob_c_list bob_c_all_children(struct bob_c_unit *u, CXCursor c);
void bob_c_list_free(struct bob_c_list *l);
const char *bob_c_spelling(struct bob_c_unit *u, CXCursor c);
const char *bob_c_text(struct bob_c_unit *u, CXString s);
enum CXTypeKind bob_c_type_kind(const struct bob_c_unit *u, CXCursor c);
bool bob_c_is_array(enum CXTypeKind k);
/* Volatile or atomic, or an array of such: others may change it, so it may be waited for. */
bool bob_c_is_shared(const struct bob_c_unit *u, CXCursor c);
/* The use of a macro that has the byte `at`; NULL: none. */
const struct bob_c_span *bob_c_macro_at(const struct bob_c_unit *u, uint32_t at);
/* The first byte at or after `at` that is neither blank nor comment. */
uint32_t bob_c_skip_blanks(const struct bob_c_unit *u, uint32_t at);
char *bob_c_printf(struct bob_c_unit *u, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* --- refused.c --- */
void bob_c_refuse(struct bob_c_unit *u, enum bob_source_c_refusal why);
/* `c` is in another file. */
void bob_c_refuse_included(struct bob_c_unit *u, CXCursor c);
/* What was refused, of included files by name: so many, in memory of the unit. */
uint32_t bob_c_refusals(struct bob_c_unit *u, struct bob_source_c_refused **out);
bob_status bob_c_refusals_take(struct bob_c_unit *u, struct bob_source_c_result *to);

/* --- edits.c --- */
void bob_c_open_at(struct bob_c_unit *u, uint32_t at, const char *text);
void bob_c_close_at(struct bob_c_unit *u, uint32_t at, const char *text);
/* Only those with these very texts stay. */
void bob_c_keep_edits(struct bob_c_unit *u, const char *one, const char *other);
/* The bytes [from, to) with the edits after the first `before` applied; these edits are removed.
 * NULL: no memory. */
const char *bob_c_take_edits(struct bob_c_unit *u, size_t before, uint32_t from, uint32_t to);
/* False: something is around exactly this already. */
bool bob_c_claim(struct bob_c_unit *u, uint32_t start, uint32_t end);
bob_status bob_c_apply(struct bob_c_unit *u, char **text, size_t *len);

/* --- variables.c --- */
/* NULL: not a variable, or no memory. */
struct bob_c_variable *bob_c_variable(struct bob_c_unit *u, CXCursor decl);
/* Of a name in an expression; NULL: `c` is something else. */
struct bob_c_variable *bob_c_variable_of(struct bob_c_unit *u, CXCursor c);
/* A line at file scope that declares it. */
void bob_c_variable_declared(struct bob_c_unit *u, struct bob_c_variable *v, CXCursor decl,
			     bool has_value);
/* For the variable itself; for it or something that it leads to. */
bool bob_c_is_request_of(const struct bob_source_c_request *w, const struct bob_c_variable *v);
bool bob_c_is_name_of(const struct bob_source_c_request *w, const struct bob_c_variable *v);
/* What a pointer or an array parameter leads to. */
CXType bob_c_pointee(const struct bob_c_unit *u, const struct bob_c_variable *v);
/* The classes of scalars in it that may alias one another, as bits. */
uint32_t bob_c_classes(struct bob_c_unit *u, CXType t);
/* ... of what pointers may lead to of a variable; of what this pointer leads to. */
uint32_t bob_c_exposed_classes(struct bob_c_unit *u, const struct bob_c_variable *v);
uint32_t bob_c_path_classes(struct bob_c_unit *u, const struct bob_c_path *p);
/* Was an argument asked for that is a pointer? While its function runs, whatever it leads to may be
 * what was asked for. */
bool bob_c_has_arguments(const struct bob_c_unit *u);
/* May an access of this type through a pointer touch something wanted that is exposed? */
bool bob_c_may_alias(struct bob_c_unit *u, CXType accessed);

/* --- paths.c --- */
/* What is below brackets, casts and conversions. */
CXCursor bob_c_bare(struct bob_c_unit *u, CXCursor c);
/* Does a request name what can be reached from it? */
bool bob_c_has_paths(struct bob_c_unit *u, const struct bob_c_variable *v);
/* The pointer `c`, if it was noted. NULL: it is no member or element, or was not. */
struct bob_c_path *bob_c_path(struct bob_c_unit *u, CXCursor c);
/* What the pointer `c` would be if it was noted, without a type. False: it is no member or element
 * of what a request names. */
bool bob_c_path_of(struct bob_c_unit *u, CXCursor c, struct bob_c_path *out);
/* Notes the pointer `c` if it was asked for by its name, or its variable was and it gets memory.
 * NULL: not. */
struct bob_c_path *bob_c_path_note(struct bob_c_unit *u, CXCursor c, bool gets_block);
bool bob_c_is_request_of_path(struct bob_c_unit *u, const struct bob_source_c_request *w,
			      const struct bob_c_path *p);

/* --- lvalue.c --- */
struct bob_c_lvalue {
	bool is_known;		/* it is one, of an object or through a pointer */
	bool is_through;	/* ... of which `variable`, if any, is the pointer */
	bool is_odd;		/* it may have no address (scalar_storage_order) */
	bool is_vector;
	uint32_t bits_at,
		/* of a bit-field: bytes that it lies in, from the beginning of what it is a member
		 * of */
		bits_bytes;
	bool is_packed;		/* it may lie where its type may not ... */
	bool is_by_member;	/* ... but not what it is a member of, at bits_at */
	bool is_whole;		/* no subscript, and an array or struct */
	bool is_blurred;	/* its subscripts do not determine the element */
	struct bob_c_variable *variable;
	struct bob_c_path *path; /* the pointer that it is through, if it was noted */
	uint64_t leads;		/* where that pointer leads, when copies are made (copies.h) */
	uint32_t rank;		/* subscripts */
	bool is_constant[BOB_SOURCE_C_RANK_MAX];
	long long subscript[BOB_SOURCE_C_RANK_MAX];
};
void bob_c_lvalue_find(struct bob_c_unit *u, CXCursor c, struct bob_c_lvalue *out);
/* What a member is of: an object, or a pointer to one. */
CXCursor bob_c_member_of(struct bob_c_unit *u, CXCursor member);
/* An expression that denotes an object? Implicit conversions are not. */
bool bob_c_is_lvalue(struct bob_c_unit *u, CXCursor c);
/* What a selection makes of it. */
enum bob_c_verdict { BOB_C_NOT_ASKED, BOB_C_DROPPED, BOB_C_PROVED, BOB_C_FILTERED };
enum bob_c_verdict bob_c_judge(struct bob_c_unit *u, const struct bob_c_lvalue *lv, CXCursor c,
			       uint32_t line);
/* Is there a request of this kind for this line? */
bool bob_c_is_asked(const struct bob_c_unit *u, enum bob_source_c_what what, uint32_t line);

/* --- reach.c --- */
/* After the first walk; for the caller to free. NULL: no memory. */
struct bob_source_c_reach *bob_c_reach(struct bob_c_unit *u);

/* --- operators.c --- */
/* The operator between or beside operands, such as "+=": up to 3 characters. "": unclear. */
struct bob_c_operator {
	char text[4];
	bool is_prefix;
};
struct bob_c_operator bob_c_operator(struct bob_c_unit *u, CXCursor c);
/* Is it && or ||? */
bool bob_c_is_guard(struct bob_c_unit *u, CXCursor c);
/* Is it `&x`? Known by its type, so in a macro, too. */
bool bob_c_is_address(struct bob_c_unit *u, CXCursor c);

/* --- missing.c --- */
/* BOB_ERR_INVAL: a request names nothing. */
bob_status bob_c_check_requests(struct bob_c_unit *u, struct bob_source_c_complaint *why);

/* --- walk.c --- */
void bob_c_walk(struct bob_c_unit *u, CXCursor c, enum bob_c_use use);
/* Around what is looked at: false if that is too deep. */
bool bob_c_enter(struct bob_c_unit *u, CXCursor c);
void bob_c_leave(struct bob_c_unit *u);
/* Is there nothing in its nature that keeps it from having a probe? */
bool bob_c_is_clear(const struct bob_c_unit *u, const struct bob_c_lvalue *lv,
		    const struct bob_c_span *s);
/* Counts, and makes a site: its number. UINT32_MAX: what is accessed has no size, or too much of
 * it. */
uint32_t bob_c_site_of(struct bob_c_unit *u, CXCursor c, const struct bob_c_lvalue *lv,
		       const struct bob_c_span *s, enum bob_c_use use, enum bob_c_verdict verdict);
/* May text be put around what is looked at now? */
bool bob_c_is_editable(struct bob_c_unit *u, const struct bob_c_span *s);

/* --- blocks.c: memory from malloc and its like, that traced pointers lead to --- */
/* A value that a pointer gets. True: it is a new block, so `s` is opened, and bob_c_after_access()
 * closes it at s->end; what the call says of how large it is is put down while it is walked. */
bool bob_c_block_of_variable(struct bob_c_unit *u, struct bob_c_variable *v, CXCursor value,
			     struct bob_c_span *s);
bool bob_c_block_of_assignment(struct bob_c_unit *u, CXCursor assignment, struct bob_c_span *s);
/* Texts before argument `i` of a call, and after it. NULL: nothing. */
const char *bob_c_before_argument(struct bob_c_unit *u, CXCursor call, CXCursor argument,
				  uint32_t i, const char **after);

/* --- statements.c --- */
void bob_c_walk_statement(struct bob_c_unit *u, CXCursor c);
void bob_c_walk_function(struct bob_c_unit *u, CXCursor definition);
void bob_c_walk_file(struct bob_c_unit *u);

/* --- pragmas.c --- */
/* Is a pragma before `at`, with nothing but comments and other lines of the preprocessor between,
 * that has this word? NULL: any. */
bool bob_c_is_after_pragma(const struct bob_c_unit *u, uint32_t at, const char *word);
/* Is a line of the preprocessor before `at`, with nothing but comments between? */
bool bob_c_is_after_directive(const struct bob_c_unit *u, uint32_t at);

/* --- code.c --- */
/* Does a pragma say how the loop with the span `s`, which is looked at, has to look? One that takes
 * loops together speaks of those inside, too. */
bool bob_c_is_below_pragma(const struct bob_c_unit *u, const struct bob_c_span *s);
/* Was it asked for that this loop is an event? Then what comes before it is put in, and
 * bob_c_loop_close puts in the rest when what is in the loop has been walked. */
struct bob_c_loop {
	uint32_t body_end, end;
	bool is_event;
	int refused;		/* why it is not a variable; below 0: where it is */
};
/* Can it be an event, whether that is asked for or not? */
bool bob_c_is_loop_event(struct bob_c_unit *u, CXCursor c);
struct bob_c_loop bob_c_loop_open(struct bob_c_unit *u, CXCursor c);
void bob_c_loop_close(struct bob_c_unit *u, const struct bob_c_loop *loop);
/* Likewise a call of `callee`: false if it is no event, else bob_c_call_close comes after its
 * arguments. */
bool bob_c_call_open(struct bob_c_unit *u, CXCursor c, const char *callee, uint32_t *end);
void bob_c_call_close(struct bob_c_unit *u, uint32_t end);
/* What these call, at the top; their names, in the file's constructor. */
void bob_c_emit_events(struct bob_c_unit *u);
void bob_c_emit_event_names(struct bob_c_unit *u);

/* Where a statement ends, its semicolon included; 0: that is not to be found. */
uint32_t bob_c_statement_end(const struct bob_c_unit *u, const struct bob_c_span *s);

/* --- hold.c --- */
/* Does the loop hold untraced ranges? If so the probes that are written until bob_c_hold_close use
 * them; that inserts the code before and after the loop, if there are such probes. */
void bob_c_hold_open(struct bob_c_unit *u, CXCursor loop, struct bob_c_hold *h);
void bob_c_hold_close(struct bob_c_unit *u, struct bob_c_hold *h);
/* The surrounding loop holds the site's untraced range. False: there is no such loop, or it holds
 * too many already. */
bool bob_c_hold_takes(struct bob_c_unit *u, uint32_t site);

/* --- jumps.c --- */
void bob_c_jumps_free(struct bob_c_unit *u);
void bob_c_jumps_find(struct bob_c_unit *u, CXCursor body);
/* Does anything outside of [start, end) jump into it? */
bool bob_c_is_jumped_into(const struct bob_c_unit *u, uint32_t start, uint32_t end);

/* --- table.c: the tables of the file --- */
struct bob_c_shape bob_c_shape_of(struct bob_c_unit *u, const struct bob_c_row *r);
/* Counted, and noted as used; UINT32_MAX: no memory. */
uint32_t bob_c_site(struct bob_c_unit *u, const struct bob_c_site *s);
/* Of a function by this name; the one it has. */
uint32_t bob_c_unit_number(struct bob_c_unit *u, const char *function);
/* Rows of the table of variables for `v`, made when it is first asked for: the object itself and,
 * of a pointer, what it points at. */
void bob_c_rows(struct bob_c_unit *u, struct bob_c_variable *v);
void bob_c_path_rows(struct bob_c_unit *u, struct bob_c_path *p);
void bob_c_emit_tables(struct bob_c_unit *u);

/* --- predict.c: counts for the prediction (source/predict.h) --- */
/* Which part of the accesses of `lv` is traced. */
struct bob_predict_share bob_c_share(struct bob_c_unit *u, const struct bob_c_lvalue *lv);
/* What is in a loop, or depends on a condition, runs so often; the caller puts u->often back. */
void bob_c_times(struct bob_c_unit *u, CXCursor statement);
/* The value `c` is wanted only if `condition`, which it is a part of, says so: an arm of ?:, the
 * right operand of &&. */
void bob_c_walk_perhaps(struct bob_c_unit *u, CXCursor condition, CXCursor c);
/* A function begins. */
void bob_c_predict_file(struct bob_c_unit *u);
void bob_c_predict_function(struct bob_c_unit *u, CXCursor function);
/* A reference of the program, while it is scanned; a probe of its own; a variable with an end. */
void bob_c_predict_own(struct bob_c_unit *u);
/* `c`: the reference, or a declaration that gives it its first value. */
void bob_c_predict_site(struct bob_c_unit *u, CXCursor c, const struct bob_c_lvalue *lv,
			enum bob_c_use use);
/* --- predict_place.c --- */
/* Into a loop: what it counts in. */
void bob_c_predict_enter(struct bob_c_unit *u, CXCursor loop);
/* What its subscripts say of the addresses of a reference. */
void bob_c_predict_place(struct bob_c_unit *u, CXCursor c, struct bob_predict_single *s);
void bob_c_predict_declare(struct bob_c_unit *u);

/* --- emit.c --- */
/* Around a pointer to what is freed: these texts, and no copies of them. */
extern const char bob_c_before_gone[], bob_c_after_gone[];
/* Before what a bit-field is a member of, or a pointer to that; bob_c_after_access() follows it. */
const char *bob_c_before_bits(struct bob_c_unit *u, uint32_t site, uint32_t at, bool is_pointer);
/* Around an lvalue: before and after it. */
const char *bob_c_before_access(struct bob_c_unit *u, uint32_t site);
/* ... whose address may be misaligned for its type. */
const char *bob_c_before_packed(struct bob_c_unit *u, uint32_t site);
const char *bob_c_after_access(struct bob_c_unit *u);
/* After a declarator; after the beginning of a body, for a parameter; after a declaration, for a
 * static one. */
const char *bob_c_local(struct bob_c_unit *u, struct bob_c_variable *v, int write_site);
const char *bob_c_parameter(struct bob_c_unit *u, struct bob_c_variable *v);
const char *bob_c_static(struct bob_c_unit *u, struct bob_c_variable *v);
/* Before an expression that gives a new block to rows of the table. */
const char *bob_c_before_block(struct bob_c_unit *u, uint32_t first, uint32_t count, bool is_text);
/* What follows it is from that line on. */
const char *bob_c_line_directive(struct bob_c_unit *u, uint32_t line);
/* A text as C writes it. */
const char *bob_c_quoted(struct bob_c_unit *u, const char *text);
/* Top and end of the file. */
void bob_c_emit_frame(struct bob_c_unit *u);

#endif
