/* SPDX-License-Identifier: BSD-3-Clause */
/* Inserts probes into a parsed Fortran file (src/source/fortran): docs/source-fortran.md, "Probes".
 *
 *     weave.c      the front end: from a file to the instrumented file and its companion in C
 *     command_files.c      the parsed files of a command
 *     wanted.c     requested variables, and references that may access them
 *     unknown.c    explains unknown sizes
 *     called.c     finds names of procedures
 *     components.c targets of components; component_moves.c statements that change them
 *     missing.c    reports requests that match nothing
 *     foreign.c    warns about arguments of procedures that are in no file
 *     trace_closure.c  aliases of the variables in all files; across.c those in C files
 *     clones.c     plans copies of procedures; traced_calls.c the call graph, clonable.c reasons
 *                  against copies, clone_text.c the copies' text
 *     accesses.c   the probes of a statement; reference.c of one reference, frames.c and masked.c
 *                  the code around it
 *     exact.c      --exact: references reported within their expressions; scalar.c proves that they
 *                  are scalars, wrapper.c generates the functions
 *     nest.c       finds loops that have one probe; lay.c unrolls short ones, affine.c finds affine
 *                  expressions, emit_nest.c generates the probe
 *     hold.c       hoists the caches of sites out of loops
 *     condition_lines.c  rewrites ELSE IF and DO WHILE, so that lines can precede their
 *                  conditions
 *     code_events.c  events of calls and communication; loops.c of loops
 *     predict.c    execution counts for the prediction (source/predict.h)
 *     predict_trips.c  trips of loops according to the text
 *     declare.c    registers variables, and declares interfaces; moves.c statements that move
 *                  variables; block_construct.c lifetimes of BLOCK variables
 *     branches.c   variables that only one branch of an #if declares
 *     lines.c      the inserted lines, in their final order
 *     remarks.c    warns about accesses that no statement shows
 *     companion.c  the tables and called procedures (../runtime), in C
 *
 * Here is what all parts share. memory.h is about registration, reached.h about aliases, lines.h
 * about insertion.
 *
 * Probes precede a statement if that gives the same accesses in the same order: they pass
 * addresses, not values. So nothing has to be inserted after statements that jump, end loops or are
 * controlled by an IF.
 *
 * Owner: the arena. Threads: one. */
#ifndef BOB_SOURCE_FORTRAN_WEAVE_WEAVE_H
#define BOB_SOURCE_FORTRAN_WEAVE_WEAVE_H

#include "base/host/vec.h"
#include "source/across.h"
#include "source/fortran/rewrite.h"
#include "source/fortran/directives.h"
#include "source/fortran/insertion.h"
#include "source/instrument.h"

/* C kinds in the interface of a C procedure: gfortran warns (-Wall) if kinds are numbers there. */
#define BOB_WEAVE_C_KINDS                                                                          \
	"use,intrinsic::iso_c_binding,only:bobbin_i=>c_int32_t,bobbin_j=>c_int64_t"
#define BOB_WEAVE_REFUSALS_MAX 64u

struct bob_weave_class;
struct bob_weave_ask;

/* An allocatable or pointer component anywhere in an object: `f%v`, `f%in%v`. */
struct bob_weave_slot {
	const struct bob_fortran_symbol *symbol;
	/* name for users; NULL: not traced, but objects in its target have traced components */
	const char *name;
	/* class of the objects in its target; NULL: they have no slots */
	struct bob_weave_class *inside;
	struct bob_weave_slot *next;
	uint64_t at;		/* offset in the object */
	uint32_t element;	/* size of an element of the target */
	bool is_boxed;		/* a part of the target was requested */
	int32_t row;		/* in the file's table; below 0: none */
};

/* Objects of one type with the same access path. Files share classes; numbers are those of the file
 * being written. */
struct bob_weave_class {
	struct bob_weave_slot *first, *last;
	const struct bob_fortran_symbols *components;
	uint64_t bytes;
	uint32_t number, slot;	/* its number; that of its first slot */
	size_t of;		/* index of the owner among the file's variables */
	const struct bob_weave *numbered; /* the file that has numbered it */
	struct bob_weave_class *next; /* next class of that file */
};

/* A traced variable: a row of the recorder's tables. */
struct bob_weave_variable {
	const struct bob_fortran_symbol *symbol;
	const struct bob_request *request;
	const char *name;	/* name for users: "a", "u in solve", "/blk/x", "m::x" */
	uint32_t unit;		/* the owning unit */
	uint32_t construct;	/* the BLOCK that declares it; BOB_FORTRAN_NO: none */
	uint32_t element;	/* size in bytes */
	/* of unknown length: each character is an element */
	bool is_text;
	bool is_object;		/* of a type with type-bound procedures */
	bool is_alone;		/* in this unit only: automatic, or with SAVE */
	bool is_automatic;	/* its lifetime ends when the unit is left */
	bool is_module;		/* of a module */
	bool is_foreign;	/* of another file */
	struct bob_weave_class *class; /* of the targets of its components; NULL: none is traced */
	bool is_holder;		/* only targets of its components are traced */
	bool has_pointers;	/* some of these components are pointers */
	bool is_of_c;		/* represents all variables of C that may be passed in */
};

BOB_VEC_OF(bob_weave_variables, struct bob_weave_variable);

struct bob_weave_site {
	uint32_t line, column;
	uint32_t unit, size;
	int kind;		/* enum bob_probe_kind */
	uint32_t statement, in;	/* `in` as in struct bob_weave */
	struct bob_predict_share share;
	bool is_scattered, is_back; /* as in struct bob_predict_single */
	uint32_t conditions;	/* number of conditions around it, in the statement or a WHERE */
	uint32_t unknown_loops;	/* number of loops with unknown trips: implied DO, FORALL */
	double trips;		/* product of the known ones */
	double elements;	/* of a whole array; below 0: unknown */
	uint32_t like;		/* in a nest: as in struct bob_probe_site */
	uint32_t box;		/* 1 + the nest that reports the whole array or section; 0: none */
};

/* An event with a beginning and an end: a loop or call. */
struct bob_weave_event {
	const char *name;
	bool has_trips;
};

/* A nest reported by one probe: as struct bob_probe_nest. */
struct bob_weave_nest_row {
	uint32_t first, count, depth;
	/* construct: the innermost loop; BOB_FORTRAN_NO: a whole array or section */
	uint32_t loop;
	bool is_held;		/* compared with hoisted caches: needs no call if it is untraced */
};

/* A function that only its type declares: gets an EXTERNAL statement. `in` as in struct
 * bob_weave. */
struct bob_weave_external {
	uint32_t in;
	const struct bob_fortran_symbol *symbol;
};

/* How a statement's accesses are reported. */
enum bob_weave_reported {
	BOB_REPORTED_NOT,
	BOB_REPORTED_IN_NEST,	/* by the probe of a nest */
	BOB_REPORTED_HEAD		/* the DO of a nest: its counter is reported in each trip */
};

struct bob_weave_line;
struct bob_weave_edit;

/* A copy of a procedure, for calls that pass traced arguments. */
struct bob_weave_clone {
	uint32_t unit;
	uint64_t dummies;	/* traced ones: bit d is the d-th */
	const char *name;
	bool has_probes;
};

/* A call of a copy. `in` as in struct bob_weave. */
struct bob_weave_redirect {
	uint32_t in, statement;
	uint32_t from, to;	/* of the name in the statement's text */
	const char *name;
	const char *module;	/* NULL, or the module of the copy if it is another one */
	const char *type;	/* NULL, or the type to be declared, for a procedure of no module */
};

/* A loop with hoisted caches of its sites (hold.c). */
struct bob_weave_hold {
	uint32_t first, last;	/* statements */
	uint32_t after;	/* offset */
	uint32_t sites;
	/* declarations of the caches; statements that make them empty */
	const char *untraced, *empty;
	bool is_open, has_nests;
};

#define BOB_WEAVE_HOISTED_MAX 8u /* per statement */

/* A function reference that is evaluated before its statement and replaced by a name. */
struct bob_weave_hoisted {
	uint32_t from, to;	/* in the statement's text */
	const char *name;
};

struct bob_weave {
	struct bob_arena *arena;
	struct bob_fortran_file *file;
	const struct bob_request_file *requests;
	struct bob_weave *files, *next; /* of the command: the first one, and the one after this */
	const struct bob_source_across *c; /* requests of C files of the command */
	const char *path;
	bool is_flat;		/* a probe for each access, in loops, too */
	bool is_exact;		/* references are reported where they are evaluated, if possible */
	bool is_in_place;	/* no copies */
	/* a compiler option makes local variables static */
	bool keeps_locals;
	/* ... those of a BLOCK, too, and threads share them */
	bool shares_locals;
	bool has_branches;	/* the text contains an #if */
	bool is_holding;	/* loops may hoist caches */
	uint64_t digest;	/* of the text and the requests */
	char id[24];		/* prefix of all inserted names */

	struct bob_weave_variables variables;
	struct bob_weave_variables passed; /* of other files: they may be passed as arguments */
	BOB_VEC(struct bob_weave_site) sites;
	BOB_VEC(struct bob_weave_event) events;
	BOB_VEC(struct bob_weave_nest_row) nests;
	bool has_uneven;	/* some nest has bounds that depend on outer loops */
	uint8_t *reported;		/* enum bob_weave_reported of each statement */
	BOB_VEC(struct bob_weave_line) lines;
	size_t sorted_count;	/* number of lines that are sorted by place */
	/* of the current statement */
	struct bob_weave_hoisted hoisted[BOB_WEAVE_HOISTED_MAX];
	uint32_t hoisted_count, hoisted_statement;
	struct bob_weave_hold hold; /* the current loop with hoisted caches */
	uint32_t hold_count;
	bool has_moves;		/* allocatables or pointers are passed as a whole, or freed */
	bool has_classes;	/* components are examined at run time */
	uint32_t row_count, class_count, slot_count; /* of the tables of components.c */
	struct bob_weave_class *first_class, *last_class; /* in the order of their numbers */
	bool has_objects;	/* a probe of an object of a type with procedures exists */
	uint32_t turned,
		/* 1 + the last statement rewritten by condition_lines.c, and its text: as `in` */
		turned_in;
	/* of each unit: calls may reach it under other names, bound.c */
	bool *is_bound;
	uint8_t *dummies;	/* states of all dummies, see trace_closure.c */
	/* only this variable counts now; NULL: all do (foreign.c) */
	const struct bob_weave_variable *only;
	uint8_t *dummies_of_all; /* saved `dummies` meanwhile */
	uint32_t *dummy_at;	/* of each unit: index of its first dummy */
	uint32_t number;	/* of the file in the command, for traced_calls.c */
	/* the text being woven: 0 the original, n its n-th copy of a procedure */
	uint32_t in;
	BOB_VEC(struct bob_weave_clone) clones;
	BOB_VEC(struct bob_weave_redirect) redirects;
	BOB_VEC(struct bob_weave_edit) edits;
	BOB_VEC(struct bob_weave_external) externals;
	uint64_t wrappers;	/* bit set of the called ones, see wrapper.c */
	BOB_VEC(const struct bob_fortran_symbol *) called; /* by statements of the file */
	/* variables with the name of an intrinsic procedure */
	BOB_VEC(const struct bob_fortran_symbol *) plain;
	bool *has_probes;	/* of each unit */
	/* of each unit: line of an INCLUDE that was not found; 0: none */
	uint32_t *lacking;
	/* of each unit: it contains unknown statements and stays unchanged */
	bool *is_left;

	struct bob_source_counts counts;
	struct bob_source_refusal refusals[BOB_WEAVE_REFUSALS_MAX];
	uint32_t refusal_count;
	bool is_failed;		/* out of memory */
};

/* --- weave.c --- */
/* Counts a requested reference without a probe. `line`: of the reference. */
void bob_weave_refuse(struct bob_weave *w, const char *why, uint32_t line);
/* Adds a message about a line: a refusal without references. */
void bob_weave_remark(struct bob_weave *w, const char *why, uint32_t line);
/* With is_exact: a reference that is reported before its statement nevertheless. */
void bob_weave_early(struct bob_weave *w, const char *why, uint32_t line);
/* Formats a text in the arena; "" and is_failed without memory. */
const char *bob_weave_text(struct bob_weave *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const struct bob_fortran_unit *bob_weave_unit(const struct bob_weave *w, uint32_t statement);

/* --- command_files.c --- */
struct bob_source_fortran_group;
/* The group's file of that name; NULL: none. */
struct bob_weave *bob_weave_of(struct bob_source_fortran_group *g, const char *path);

/* --- wanted.c --- */
/* Builds the table of variables. BOB_ERR_INVAL: a name does not exist; `why` has it, and a
 * suggestion. */
bob_status bob_weave_choose(struct bob_weave *w, struct bob_source_complaint *why);
bool bob_weave_is_variable(const struct bob_fortran_symbol *s);

/* called.c, first step: finds what the statements of the file call. Errors: BOB_ERR_NOMEM. */
bob_status bob_weave_note_calls(struct bob_weave *w);
/* True for a called name of the unit, and for a function whose result has another name. */
bool bob_weave_is_procedure(const struct bob_weave *w, const struct bob_fortran_symbol *s,
			    uint32_t unit);
/* True if a request for a name qualified by `in` applies to the unit. */
bool bob_weave_is_unit_meant(const struct bob_fortran_unit *u, const struct bob_request *request,
			     const char *in);

/* missing.c: reports requests that match nothing. BOB_ERR_INVAL, with *why. */
bob_status bob_weave_check_lines(const struct bob_weave *w, struct bob_source_complaint *why);
bob_status bob_weave_not_there(struct bob_weave *w, const struct bob_request *request,
			       const char *in, const char *name, struct bob_source_complaint *why);
/* True if the request has no more subscripts than the variable, and none completely outside of
 * known bounds. */
bool bob_weave_box_fits(const struct bob_fortran_symbol *s, const struct bob_request *request);
bob_status bob_weave_no_box(const struct bob_weave *w, const struct bob_request *request,
			    const struct bob_fortran_symbol *s, struct bob_source_complaint *why);
/* ... no such component. */
bob_status bob_weave_no_way(const struct bob_weave *w, const struct bob_request *request,
			    const struct bob_weave_ask *ask, struct bob_source_complaint *why);
enum bob_weave_touch {
	BOB_TOUCH_NOT,
	BOB_TOUCH_DROPPED,	/* a candidate, but its subscripts are outside the request */
	BOB_TOUCH_PERHAPS,	/* the address decides */
	BOB_TOUCH_PROVED
};
/* May this reference touch a variable that is requested in this line? */
enum bob_weave_touch bob_weave_touches(const struct bob_weave *w, uint32_t statement,
				       const struct bob_fortran_use *u);

/* The share of the reference's accesses that is inside the request. */
struct bob_predict_share bob_weave_share(const struct bob_weave *w, uint32_t statement,
					 const struct bob_fortran_use *u);

/* --- predict_trips.c --- */
/* Trips of the loop whose first statement this is, according to the text; below 0: unknown. */
double bob_weave_do_trips(const struct bob_weave *w, uint32_t loop);
/* The counter of a DO, a PART of its text; NULL: none. */
const struct bob_fortran_expr *bob_weave_moved_by(struct bob_arena *scratch,
						  const struct bob_fortran_statement *s);
/* Trips of a loop with bounds from, to, and an optional step, according to the text; below 0:
 * unknown. */
double bob_weave_trips(const struct bob_weave *w, uint32_t statement,
		       const struct bob_fortran_expr *bounds);
/* Do the addresses of the reference go back when the innermost loop restarts (source/predict.h)? */
bool bob_weave_is_back(const struct bob_weave *w, uint32_t statement,
		       const struct bob_fortran_expr *ref);

/* --- predict.c --- */
/* Last step: counts the file for the prediction. */
bob_status bob_weave_predict(struct bob_weave *w, struct bob_predict *p);

/* --- clones.c --- */
/* After bob_weave_close: plans copies and redirects calls. */
bob_status bob_weave_plan_clones(struct bob_weave *files);

/* --- clone_text.c --- */
/* Switches to the n-th copy, and back to the original text. has_probes of the unit is that of the
 * copy meanwhile. */
void bob_weave_enter_clone(struct bob_weave *w, size_t n);
void bob_weave_leave_clone(struct bob_weave *w, size_t n);
/* The text from..to of a statement with the names of called copies, for use elsewhere. */
const char *bob_weave_slice(struct bob_weave *w, const struct bob_fortran_statement *s,
			    uint32_t from, uint32_t to);
/* Last step: inserts the names of copies in calls, and their declarations. */
bob_status bob_weave_redirect(struct bob_weave *w);
bob_status bob_weave_rename_calls(const struct bob_weave *w, uint32_t in,
				  struct bob_fortran_patches *p);
/* Last step: the copies' texts, each after its original. */
bob_status bob_weave_copies(struct bob_weave *w, struct bob_fortran_copy **out);

/* --- accesses.c --- */
bob_status bob_weave_accesses(struct bob_weave *w, uint32_t statement);

/* --- exact.c --- */
/* First step of accesses: wraps uses that are reported where they are evaluated, and removes them
 * from `uses`. */
bob_status bob_weave_exact(struct bob_weave *w, uint32_t statement, struct bob_fortran_uses *uses);
/* Why a read or write is not reported there; NULL: it is; "": it is not, and no message is
 * needed. */
const char *bob_weave_not_exact(const struct bob_weave *w, uint32_t statement,
				const struct bob_fortran_use *u);

/* --- scalar.c --- */
/* Is the expression certainly scalar? */
bool bob_weave_is_one(const struct bob_weave *w, uint32_t statement,
		      const struct bob_fortran_expr *e);

/* --- wrapper.c --- */
/* Makes text [from, to) of the statement the argument of `open`, which ends with its parenthesis;
 * `close` follows it. */
void bob_weave_wrap(struct bob_weave *w, uint32_t statement, uint32_t from, uint32_t to,
		    const char *open, const char *close);
bool bob_weave_has_wrapper(enum bob_fortran_type type, int32_t kind, bool in_pieces);
/* The wrapper for values of this type and kind, marked as used: the text before "(site,". */
const char *bob_weave_wrapper(struct bob_weave *w, enum bob_fortran_type type, int32_t kind,
			      bool in_pieces);
/* ... for subscripts that are saved. */
const char *bob_weave_keeper(struct bob_weave *w);
/* Converts the wrappers to patches; not in bodies that became separate statements. */
bob_status bob_weave_wrap_all(struct bob_weave *w, struct bob_fortran_patches *p);
/* The statement's text from `from` on, with its wrappers. */
const char *bob_weave_wrapped(struct bob_weave *w, uint32_t statement, uint32_t from);
void bob_weave_wrapper_interfaces(struct bob_weave *w, uint32_t at, uint32_t unit);
/* Inserts the wrapper functions at the end of the file. */
void bob_weave_wrapper_functions(struct bob_weave *w);

/* --- nest.c --- */
/* If the statement is the DO of a nest: inserts its probe before it and marks everything in it in
 * w->reported. */
bob_status bob_weave_nest(struct bob_weave *w, uint32_t statement);

/* Does the use only read or store, and move nothing? */
bool bob_weave_is_plain_use(const struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_use *u);

/* --- intrinsic.c --- */
/* May an operator or assignment be a defined one, and so a call? */
bool bob_weave_calls_operator(const struct bob_weave *w, uint32_t statement);

/* --- hold.c --- */
/* If the statement begins a loop with hoisted caches, probes of single accesses up to
 * bob_weave_hold_end of its last statement use bob_weave_held. */
void bob_weave_hold(struct bob_weave *w, uint32_t statement);
/* Code that reports the access `text` by the hoisted cache; NULL: there is none. */
const char *bob_weave_held(struct bob_weave *w, uint32_t statement, uint32_t site,
			   const char *text);
/* Hoists the caches of the newest nest's sites, if there is such a loop and they fit. */
bool bob_weave_hold_nest(struct bob_weave *w, uint32_t first, uint32_t count);
/* A condition: the access `text` is outside of the cached range. */
const char *bob_weave_beyond(struct bob_weave *w, uint32_t site, const char *text);
void bob_weave_hold_end(struct bob_weave *w, uint32_t statement);

/* --- reference.c --- */
/* The symbol of the last part of a reference: the variable, or a component; NULL: unknown. */
const struct bob_fortran_symbol *bob_weave_last(const struct bob_weave *w, uint32_t statement,
						const struct bob_fortran_expr *ref);
/* ... of this part. */
const struct bob_fortran_symbol *bob_weave_part(const struct bob_weave *w, uint32_t statement,
						const struct bob_fortran_expr *ref,
						const struct bob_fortran_expr *part);
/* How objects of types with type-bound procedures (possibly inherited) are passed: Fortran does not
 * allow them as TYPE(*). */
enum bob_weave_passing {
	BOB_PASSED_PLAINLY,
	BOB_PASSED_AS_OBJECT,	/* objects.c */
	BOB_PASSED_NOT		/* its type has parameters */
};
enum bob_weave_passing bob_weave_passing(const struct bob_fortran_symbols *names,
					 const struct bob_fortran_symbol *s);
/* Why it cannot be an argument of any call, even with its subscripts evaluated before; NULL: it
 * can. */
const char *bob_weave_unpassable(const struct bob_weave *w, uint32_t statement,
				 const struct bob_fortran_use *u);
/* Why a use cannot be reported by its address alone; NULL: it can. */
const char *bob_weave_unfit(struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_use *u);
/* Adds a site for the use and counts it; returns its number. */
uint32_t bob_weave_site(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u,
			int kind);
/* Adds another site for the same use, which is not counted again; `like` as in struct
 * bob_weave_site. */
void bob_weave_site_again(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u,
			  int kind, uint32_t like);
/* Bytes of one access; 0: unknown here. *in_pieces: a character that is reported character by
 * character. */
uint32_t bob_weave_size(const struct bob_weave *w, uint32_t statement,
			const struct bob_fortran_use *u, bool *in_pieces);
struct bob_weave_frames;
/* A CALL that reports the use, with the frames' text and a new site. Counts it. */
const char *bob_weave_call(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u,
			   int kind, const struct bob_weave_frames *f);
/* The probe of a use, "" if it has none, and its frames. Counts it or its refusal. */
const char *bob_weave_probe(struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_use *u, int kind, struct bob_weave_frames *f);

/* --- objects.c --- */
/* CALLs for objects of types with procedures: the probe of a scalar; registration and end of a
 * variable named s in the unit. */
const char *bob_weave_object_probe(struct bob_weave *w, uint32_t site, const char *text);
const char *bob_weave_object_declare(struct bob_weave *w, int variable,
				     const struct bob_fortran_symbol *s);
const char *bob_weave_object_forget(struct bob_weave *w, uint32_t variable,
				    const struct bob_fortran_symbol *s);
/* If these are used: their interfaces in a unit, and the procedures at the end of the file. */
void bob_weave_object_interfaces(struct bob_weave *w, uint32_t at, uint32_t unit);
void bob_weave_object_procedures(struct bob_weave *w);

/* --- code_events.c --- */
/* First step of a statement: functions in an expression that are events, or that are in a
 * subscript, are evaluated before the statement, unless their evaluation is conditional. */
bob_status bob_weave_hoist(struct bob_weave *w, uint32_t statement);
/* The name that replaces this part of the statement; NULL: none. */
const char *bob_weave_hoisted(const struct bob_weave *w, const struct bob_fortran_statement *s,
			      uint32_t from, uint32_t to);
bob_status bob_weave_code(struct bob_weave *w, uint32_t statement);
/* Is there a request of this kind for the line? */
bool bob_weave_is_requested(const struct bob_weave *w, enum bob_request_what what, uint32_t line);
/* The event of that name, added if new. */
uint32_t bob_weave_event(struct bob_weave *w, const char *name, bool has_trips);
/* The line that reports its beginning ('b', of a loop 'l'), another trip ('t'), or its end
 * ('e'). */
const char *bob_weave_event_line(struct bob_weave *w, char what, uint32_t event);
/* Does the function return a scalar number or logical, and no pointer? */
bool bob_weave_is_plain(const struct bob_weave *w, uint32_t statement,
			const struct bob_fortran_expr *ref,
			const struct bob_fortran_symbol *symbol);

/* --- loops.c --- */
/* Inserts the event of a loop, or the ends of events that a jump leaves. */
void bob_weave_loop(struct bob_weave *w, uint32_t statement);
/* Can the loop be an event, requested or not? */
bool bob_weave_is_loop_event(const struct bob_weave *w, uint32_t statement);

/* --- condition_lines.c --- */
/* Rewrites an ELSE IF or DO WHILE. Lines before its condition go to *at, from rank
 * BOB_RANK_CONDITION on; blocks that they open are closed at the end of the construct
 * (BOB_RANK_CLOSE), or after the statement. False: impossible, and refused. */
bool bob_weave_turn(struct bob_weave *w, uint32_t statement, uint32_t *at);
/* Is that possible? */
bool bob_weave_turns(const struct bob_weave *w, uint32_t statement);

/* --- remarks.c --- */
/* Warns about accesses that no statement shows. */
void bob_weave_remarks(struct bob_weave *w);

/* --- companion.c --- */
/* The companion, a C file; NULL without memory. */
const char *bob_weave_companion(struct bob_weave *w, uint64_t digest, size_t *len);

static inline const struct bob_fortran_unit *bob_weave_unit_at(const struct bob_weave *w,
							       uint32_t i)
{
	return &w->file->units[i];
}

/* A subroutine or function with a body. */
static inline bool bob_weave_has_body(const struct bob_fortran_unit *u)
{
	return !(u->flags & BOB_UNIT_INTERFACE) &&
	       (u->kind == BOB_UNIT_SUBROUTINE || u->kind == BOB_UNIT_FUNCTION);
}

#endif
