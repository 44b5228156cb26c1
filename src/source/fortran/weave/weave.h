/* SPDX-License-Identifier: BSD-3-Clause */
/* Inserts probes into a Fortran file that the reader (src/source/fortran) has parsed:
 * docs/source-fortran.md, "Probes".
 *
 *   weave.c      the whole: file in, instrumented file and its companion in C out
 *   group.c      the files of a command, read
 *   wanted.c     which variables the commands name, and which references may be of them
 *   unknown.c    why sizes are not known
 *   called.c     which names are procedures
 *   components.c components with memory of their own; component_moves.c what moves them
 *   missing.c    requests for what does not exist
 *   foreign.c    what is passed to procedures that no file has
 *   closure.c    what else may be these variables, in all files; across.c what C files may touch of them, and these of what is C's
 *   clones.c     copies of procedures for the calls that pass them what is traced; calls.c who calls whom, clonable.c what may have copies,
 *                clone_text.c their text
 *   accesses.c   the probes of a statement; reference.c that of one reference, frames.c and masked.c what must be around it
 *   exact.c      references that are reported within their expressions, with --exact; scalar.c what is one value,
 *                wrapper.c the functions that report them
 *   nest.c       loops that have one probe for all their accesses; lay.c short ones in them, affine.c what is even, emit_nest.c their lines
 *   hold.c       loops that hold the untraced ranges of their sites
 *   turns.c      ELSE IF and DO WHILE, rewritten so that lines can precede their conditions
 *   code.c       calls, communication; loops.c loops
 *   predict.c    how often all of it runs, for the prediction (source/predict.h)
 *   trips.c      what the text says of loops, for that
 *   declare.c    where variables come to life and end, and the interfaces of what is called; moves.c what moves them; blocks.c where a BLOCK begins and is left
 *   branches.c   variables that only one branch of an #if declares
 *   lines.c      lines to be inserted, in their final order
 *   remarks.c    what no statement says as an access
 *   companion.c  the tables, and what probes call (../runtime), in C
 *
 * Here is what all share; where memory is and goes has memory.h, what may be reached reached.h,
 * where lines go lines.h.
 *
 * Probes precede a statement wherever that gives the same accesses in the same order: they pass
 * addresses, not values. So nothing has to be inserted after statements that jump, end loops or are
 * controlled by an IF.
 *
 * Owner: the arena. Threads: one. */
#ifndef BOB_SOURCE_FORTRAN_WEAVE_WEAVE_H
#define BOB_SOURCE_FORTRAN_WEAVE_WEAVE_H

#include "base/host/vec.h"
#include "source/across.h"
#include "source/fortran/patch.h"
#include "source/fortran/directives.h"
#include "source/fortran/place.h"
#include "source/instrument.h"

/* Kinds of C's numbers, in the interface of a procedure in C: gfortran warns (-Wall) of kinds that
 * are written as numbers there. */
#define BOB_WEAVE_C_KINDS                                                                          \
	"use,intrinsic::iso_c_binding,only:bobbin_i=>c_int32_t,bobbin_j=>c_int64_t"
#define BOB_WEAVE_REFUSALS_MAX 64u

struct bob_weave_class;
struct bob_weave_ask;

/* A component that is allocatable or a pointer, somewhere in an object: `f%v`, `f%in%v`. */
struct bob_weave_slot {
	const struct bob_fortran_symbol *symbol;
	/* as people read it; NULL: not traced, but what it leads to has some */
	const char *name;
	struct bob_weave_class *inside; /* what its memory consists of; NULL: nothing with slots */
	struct bob_weave_slot *next;
	uint64_t at;		/* byte in the object */
	uint32_t element;	/* bytes of what it leads to */
	bool is_boxed;		/* of what it leads to a part is wanted */
	int32_t row;		/* of the file's table; below 0: none */
};

/* Objects of one type that are reached one way. Files share them; numbers are those of the file
 * that is written. */
struct bob_weave_class {
	struct bob_weave_slot *first, *last;
	const struct bob_fortran_symbols *components;
	uint64_t bytes;
	uint32_t number, slot;	/* of its first one */
	size_t of;		/* whose: of the file's variables */
	const struct bob_weave *numbered; /* for which file ... */
	struct bob_weave_class *next; /* ... and the next one there */
};

/* A variable that is traced: where it is declared in the recorder's tables. */
struct bob_weave_variable {
	const struct bob_fortran_symbol *symbol;
	const struct bob_request *request;
	const char *name;	/* as people read it: "a", "u in solve", "/blk/x", "m::x" */
	uint32_t unit;		/* whose own it is */
	uint32_t construct;	/* the BLOCK in it that declares it; BOB_FORTRAN_NO: none does */
	uint32_t element;	/* bytes */
	/* of a length that is not known here: each character is an element */
	bool is_text;
	bool is_object;		/* of a type with procedures */
	bool is_alone;		/* in this unit only: automatic, or its SAVE */
	bool is_automatic;	/* it ends when its unit is left */
	bool is_module;		/* a module's */
	bool is_foreign;	/* another file's */
	struct bob_weave_class
		*class; /* of what its components lead to; NULL: nothing is traced there */
	bool is_holder;		/* it is not traced itself, but what these lead to */
	bool has_pointers;	/* among these */
	bool is_of_c;		/* none, but whatever of C's may come in: struct bob_weave has it */
};

BOB_VEC_OF(bob_weave_variables, struct bob_weave_variable);

struct bob_weave_site {
	uint32_t line, column;
	uint32_t unit, size;
	int kind;		/* enum bob_probe_kind */
	uint32_t statement, in;	/* ... as of struct bob_weave */
	struct bob_predict_share share;
	bool is_scattered, is_back; /* as of struct bob_predict_single */
	uint32_t conditions;	/* that control it, in the statement or a WHERE */
	uint32_t unknown_loops;	/* of an implied DO, or FORALL */
	double trips;		/* of others, in all */
	double elements;	/* of a whole array; below 0: not known */
	uint32_t like;		/* in a nest: as of struct bob_probe_site */
	uint32_t box;		/* 1 + the nest that reports a whole array or section; 0: none */
};

/* Something with a beginning and an end: a loop, a call. */
struct bob_weave_event {
	const char *name;
	bool has_trips;
};

/* A loop nest that is reported at once: as struct bob_probe_nest. */
struct bob_weave_nest_row {
	uint32_t first, count, depth;
	/* construct: the innermost; BOB_FORTRAN_NO: a whole array or section */
	uint32_t loop;
	bool is_held;		/* seen without a call if it misses what is wanted */
};

/* A function that only its type declares: EXTERNAL is put there. `in`: as of struct bob_weave. */
struct bob_weave_external {
	uint32_t in;
	const struct bob_fortran_symbol *symbol;
};

/* What became of a statement's accesses. */
enum bob_weave_reported {
	BOB_REPORTED_NOT,
	BOB_REPORTED_IN_NEST,	/* the probe of a nest reports them */
	BOB_REPORTED_HEAD		/* the DO of a nest: what its variable is given for each trip */
};

struct bob_weave_line;
struct bob_weave_edit;

/* A copy of a procedure, for calls that pass what is traced. */
struct bob_weave_clone {
	uint32_t unit;
	uint64_t dummies;	/* those that may be something that is traced: bit d is the d-th */
	const char *name;
	bool has_probes;
};

/* A call of a copy. `in`: as of struct bob_weave. */
struct bob_weave_redirect {
	uint32_t in, statement;
	uint32_t from, to;	/* the name, in the statement's text */
	const char *name;
	const char *module;	/* NULL, or where the copy is, which is not this unit's module */
	const char *type;	/* NULL, or of a procedure of no module: what has to be declared */
};

/* A loop that holds the untraced ranges of its sites (hold.c). */
struct bob_weave_hold {
	uint32_t first, last;	/* statements */
	uint32_t after;	/* byte */
	uint32_t sites;
	const char *untraced, *empty; /* their names; what makes them empty */
	bool is_open, has_nests;
};

#define BOB_WEAVE_HOISTED_MAX 8u /* of a statement */

/* A function reference that is evaluated before its statement, under a name. */
struct bob_weave_hoisted {
	uint32_t from, to;	/* in the statement's text */
	const char *name;
};

struct bob_weave {
	struct bob_arena *arena;
	struct bob_fortran_file *file;
	const struct bob_request_file *requests;
	struct bob_weave *files,
		*next; /* of the command: the first one, and the one after this one */
	const struct bob_source_across *c; /* what C files of the command want */
	const char *path;
	bool is_flat;		/* every access has a probe of its own, in loops, too */
	bool is_exact;		/* what can be is reported where it is evaluated */
	bool is_in_place;	/* no copies */
	/* the compiler has the option that procedures keep their variables */
	bool keeps_locals;
	/* ... those of a BLOCK, too, and there are threads: these have them together */
	bool shares_locals;
	bool has_branches;	/* the text has an #if */
	bool is_holding;	/* loops may hold untraced ranges */
	uint64_t digest;	/* of the text, and of what is traced */
	char id[24];		/* what all names that are put in begin with */

	struct bob_weave_variables variables;
	struct bob_weave_variables passed; /* of other files: they may come in as arguments */
	BOB_VEC(struct bob_weave_site) sites;
	BOB_VEC(struct bob_weave_event) events;
	BOB_VEC(struct bob_weave_nest_row) nests;
	bool has_uneven;	/* a nest whose bounds change with the loops around */
	uint8_t *reported;		/* enum bob_weave_reported, of each statement */
	BOB_VEC(struct bob_weave_line) lines;
	size_t sorted_count;	/* of these are in the order of their places */
	/* of the statement that is woven */
	struct bob_weave_hoisted hoisted[BOB_WEAVE_HOISTED_MAX];
	uint32_t hoisted_count, hoisted_statement;
	struct bob_weave_hold hold; /* the loop that does so around what is woven */
	uint32_t hold_count;
	bool has_moves;		/* allocatables or pointers are passed as a whole, or end */
	bool has_classes;	/* components are looked at */
	uint32_t row_count, class_count, slot_count; /* components.c: of the tables */
	struct bob_weave_class *first_class, *last_class; /* in the order of their numbers */
	bool has_objects;	/* something of a type with procedures has a probe */
	uint32_t turned,
		/* 1 + the statement that was turned last (turns.c), and where: as `in` */
		turned_in;
	/* of each unit: calls that do not say its name may call it, bound.c */
	bool *is_bound;
	uint8_t *dummies;	/* of each unit and dummy, see closure.c */
	const struct bob_weave_variable *only; /* no other counts now; NULL: all do (foreign.c) */
	uint8_t *dummies_of_all; /* what `dummies` is then */
	uint32_t *dummy_at;	/* of each unit: where in these its own begin */
	uint32_t number;	/* of the file in the command, for calls.c */
	/* what is being woven: 0 the original text, n its n-th copy of a procedure */
	uint32_t in;
	BOB_VEC(struct bob_weave_clone) clones;
	BOB_VEC(struct bob_weave_redirect) redirects;
	BOB_VEC(struct bob_weave_edit) edits;
	BOB_VEC(struct bob_weave_external) externals;
	uint64_t wrappers;	/* those that are called: a bit for each, see wrapper.c */
	BOB_VEC(const struct bob_fortran_symbol *) called; /* by statements of the file */
	/* have an intrinsic procedure's name, and are used as variables */
	BOB_VEC(const struct bob_fortran_symbol *) plain;
	bool *has_probes;	/* of each unit */
	/* of each unit: the line of an INCLUDE that was not found; 0: none */
	uint32_t *lacking;
	/* of each unit: something in it is not understood, it stays as it is */
	bool *is_left;

	struct bob_source_counts counts;
	struct bob_source_refusal refusals[BOB_WEAVE_REFUSALS_MAX];
	uint32_t refusal_count;
	bool is_failed;		/* no memory */
};

/* --- weave.c --- */
/* `line`: of what was asked for and cannot be had. */
void bob_weave_refuse(struct bob_weave *w, const char *why, uint32_t line);
/* Something that is to be said of a line: a refusal that has no places. */
void bob_weave_remark(struct bob_weave *w, const char *why, uint32_t line);
/* With is_exact: something that is nevertheless reported before its statement. */
void bob_weave_early(struct bob_weave *w, const char *why, uint32_t line);
/* A formatted text in the arena; "" and is_failed without memory. */
const char *bob_weave_text(struct bob_weave *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const struct bob_fortran_unit *bob_weave_unit(const struct bob_weave *w, uint32_t statement);

/* --- group.c --- */
struct bob_source_fortran_group;
/* The file of the group; NULL: it has none of that name. */
struct bob_weave *bob_weave_of(struct bob_source_fortran_group *g, const char *path);

/* --- wanted.c --- */
/* The table of variables. BOB_ERR_INVAL: a name that is not there, `why` says which and what is
 * near. */
bob_status bob_weave_choose(struct bob_weave *w, struct bob_source_complaint *why);
bool bob_weave_is_variable(const struct bob_fortran_symbol *s);

/* called.c: first of all, what the statements of the file call. Errors: BOB_ERR_NOMEM. */
bob_status bob_weave_note_calls(struct bob_weave *w);
/* A name of the unit that is called, or of a function whose result has another name. */
bool bob_weave_is_procedure(const struct bob_weave *w, const struct bob_fortran_symbol *s,
			    uint32_t unit);
/* Of the units that a name with `in` in front of it may be in. */
bool bob_weave_is_unit_meant(const struct bob_fortran_unit *u, const struct bob_request *request,
			     const char *in);

/* Requests for what does not exist, missing.c. BOB_ERR_INVAL, with *why. */
bob_status bob_weave_check_lines(const struct bob_weave *w, struct bob_source_complaint *why);
bob_status bob_weave_not_there(struct bob_weave *w, const struct bob_request *request,
			       const char *in, const char *name, struct bob_source_complaint *why);
/* No more subscripts than the variable has, and none of them wholly outside of bounds that are
 * known. */
bool bob_weave_box_fits(const struct bob_fortran_symbol *s, const struct bob_request *request);
bob_status bob_weave_no_box(const struct bob_weave *w, const struct bob_request *request,
			    const struct bob_fortran_symbol *s, struct bob_source_complaint *why);
/* ... no such component. */
bob_status bob_weave_no_way(const struct bob_weave *w, const struct bob_request *request,
			    const struct bob_weave_ask *ask, struct bob_source_complaint *why);
enum bob_weave_touch {
	BOB_TOUCH_NOT,
	BOB_TOUCH_DROPPED,	/* it looks so, but its subscripts cannot be in what is wanted */
	BOB_TOUCH_PERHAPS,	/* decided by the address */
	BOB_TOUCH_PROVED
};
/* May this reference, at this line, touch something that is wanted there? */
enum bob_weave_touch bob_weave_touches(const struct bob_weave *w, uint32_t statement,
				       const struct bob_fortran_use *u);

/* Which part of what the reference accesses is wanted. */
struct bob_predict_share bob_weave_share(const struct bob_weave *w, uint32_t statement,
					 const struct bob_fortran_use *u);

/* --- trips.c --- */
/* Of the loop whose first statement this is, as far as the text says; below 0: it does not. */
double bob_weave_do_trips(const struct bob_weave *w, uint32_t loop);
/* What a DO counts in, a PART of its text; NULL: nothing. */
const struct bob_fortran_expr *bob_weave_moved_by(struct bob_arena *scratch,
						  const struct bob_fortran_statement *s);
/* Of a loop from, to, and the step if there is one, as far as the text says; below 0: it does
 * not. */
double bob_weave_trips(const struct bob_weave *w, uint32_t statement,
		       const struct bob_fortran_expr *bounds);
/* Which loops around the statement move a reference: does it go back (source/predict.h)? */
bool bob_weave_is_back(const struct bob_weave *w, uint32_t statement,
		       const struct bob_fortran_expr *ref);

/* --- predict.c --- */
/* When all is woven: what the prediction wants to know. */
bob_status bob_weave_predict(struct bob_weave *w, struct bob_predict *p);

/* --- clones.c --- */
/* After bob_weave_close: which procedures get copies, and which calls go there. */
bob_status bob_weave_plan_clones(struct bob_weave *files);

/* --- clone_text.c --- */
/* What is woven from now on is the n-th copy; it is the original text again. has_probes of the unit
 * is the copy's meanwhile. */
void bob_weave_enter_clone(struct bob_weave *w, size_t n);
void bob_weave_leave_clone(struct bob_weave *w, size_t n);
/* The text of a statement from..to, calls of copies with their names: what stands for it
 * elsewhere. */
const char *bob_weave_slice(struct bob_weave *w, const struct bob_fortran_statement *s,
			    uint32_t from, uint32_t to);
/* Names of copies where they are called, and what makes them known: when all lines are there. */
bob_status bob_weave_redirect(struct bob_weave *w);
bob_status bob_weave_rename_calls(const struct bob_weave *w, uint32_t in,
				  struct bob_fortran_patches *p);
/* The copies' texts, after what they are copies of, when all lines are there. */
bob_status bob_weave_copies(struct bob_weave *w, struct bob_fortran_copy **out);

/* --- accesses.c --- */
bob_status bob_weave_accesses(struct bob_weave *w, uint32_t statement);

/* --- exact.c --- */
/* Uses that are reported where they are evaluated get their probes and are taken out of `uses`.
 * First of all that is done with accesses. */
bob_status bob_weave_exact(struct bob_weave *w, uint32_t statement, struct bob_fortran_uses *uses);
/* Why this one, a read or a write, is not; NULL: it is, "": there is nothing to be said of it. */
const char *bob_weave_not_exact(const struct bob_weave *w, uint32_t statement,
				const struct bob_fortran_use *u);

/* --- scalar.c --- */
/* Is the expression a scalar, for sure? */
bool bob_weave_is_one(const struct bob_weave *w, uint32_t statement,
		      const struct bob_fortran_expr *e);

/* --- wrapper.c --- */
/* Text [from, to) of the statement becomes the argument of `open`, which has its bracket; `close`
 * follows it. */
void bob_weave_wrap(struct bob_weave *w, uint32_t statement, uint32_t from, uint32_t to,
		    const char *open, const char *close);
bool bob_weave_has_wrapper(enum bob_fortran_type type, int32_t kind, bool in_pieces);
/* The wrapper for such values, which will be in the file: the text before "(site," */
const char *bob_weave_wrapper(struct bob_weave *w, enum bob_fortran_type type, int32_t kind,
			      bool in_pieces);
/* ... for subscripts that are kept. */
const char *bob_weave_keeper(struct bob_weave *w);
/* What is wrapped, as patches; not in bodies that became statements of their own. */
bob_status bob_weave_wrap_all(struct bob_weave *w, struct bob_fortran_patches *p);
/* ... whose text this is: the statement's from `from` on. */
const char *bob_weave_wrapped(struct bob_weave *w, uint32_t statement, uint32_t from);
void bob_weave_wrapper_interfaces(struct bob_weave *w, uint32_t at, uint32_t unit);
/* The functions themselves, at the end of the file. */
void bob_weave_wrapper_functions(struct bob_weave *w);

/* --- nest.c --- */
/* If the statement is the DO of a nest that can be reported at once: its probe is inserted before
 * it, and w->reported marks all that is in it. */
bob_status bob_weave_nest(struct bob_weave *w, uint32_t statement);

/* Does the use do nothing but look or store, and move nothing? */
bool bob_weave_is_plain_use(const struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_use *u);

/* --- intrinsic.c --- */
/* May an operator or an assignment be a defined one? It is a call then. */
bool bob_weave_calls_operator(const struct bob_weave *w, uint32_t statement);

/* --- hold.c --- */
/* If the statement begins a loop that may hold untraced ranges, probes of single accesses up to
 * bob_weave_hold_end of its last statement ask bob_weave_held first. */
void bob_weave_hold(struct bob_weave *w, uint32_t statement);
/* The code that reports the access `text` using the held range; NULL: nothing is held there. */
const char *bob_weave_held(struct bob_weave *w, uint32_t statement, uint32_t site,
			   const char *text);
/* Holds the ranges of the newest nest's sites, too, if there is such a loop and they fit. */
bool bob_weave_hold_nest(struct bob_weave *w, uint32_t first, uint32_t count);
/* Is the access `text` outside of the held range? */
const char *bob_weave_beyond(struct bob_weave *w, uint32_t site, const char *text);
void bob_weave_hold_end(struct bob_weave *w, uint32_t statement);

/* --- reference.c --- */
/* What the last part of a reference is: the variable, or a component; NULL: not known. */
const struct bob_fortran_symbol *bob_weave_last(const struct bob_weave *w, uint32_t statement,
						const struct bob_fortran_expr *ref);
/* ... what this part of it is. */
const struct bob_fortran_symbol *bob_weave_part(const struct bob_weave *w, uint32_t statement,
						const struct bob_fortran_expr *ref,
						const struct bob_fortran_expr *part);
/* What something of a type with procedures of its own (or of what it extends) is passed as: Fortran
 * passes no such thing as TYPE(*). */
enum bob_weave_passing {
	BOB_PASSED_PLAINLY,
	BOB_PASSED_AS_OBJECT,	/* objects.c */
	BOB_PASSED_NOT		/* its type has parameters */
};
enum bob_weave_passing bob_weave_passing(const struct bob_fortran_symbols *names,
					 const struct bob_fortran_symbol *s);
/* Why no call can have it as an argument, even if its subscripts were evaluated before; NULL: one
 * can. */
const char *bob_weave_unpassable(const struct bob_weave *w, uint32_t statement,
				 const struct bob_fortran_use *u);
/* Why a use cannot be reported by its address alone; NULL: it can. */
const char *bob_weave_unfit(struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_use *u);
/* A site for the use, which can be reported and is counted; returns its number. */
uint32_t bob_weave_site(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u,
			int kind);
/* One more for the same use, which is not counted again; `like` as of struct bob_weave_site. After
 * another one. */
void bob_weave_site_again(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u,
			  int kind, uint32_t like);
/* Bytes of one access; 0: not known here. *in_pieces: of a text that is reported character by
 * character. */
uint32_t bob_weave_size(const struct bob_weave *w, uint32_t statement,
			const struct bob_fortran_use *u, bool *in_pieces);
struct bob_weave_frames;
/* A CALL that reports the use, whose text is f's, with a new site. Counts. */
const char *bob_weave_call(struct bob_weave *w, uint32_t statement, const struct bob_fortran_use *u,
			   int kind, const struct bob_weave_frames *f);
/* The probe of a use, "" if it has none, and what surrounds it. Counts and refuses. */
const char *bob_weave_probe(struct bob_weave *w, uint32_t statement,
			    const struct bob_fortran_use *u, int kind, struct bob_weave_frames *f);

/* --- objects.c --- */
/* CALLs for what is of a type with procedures: the probe of a scalar; a variable, which the unit
 * calls s, comes to life or ends. */
const char *bob_weave_object_probe(struct bob_weave *w, uint32_t site, const char *text);
const char *bob_weave_object_declare(struct bob_weave *w, int variable,
				     const struct bob_fortran_symbol *s);
const char *bob_weave_object_forget(struct bob_weave *w, uint32_t variable,
				    const struct bob_fortran_symbol *s);
/* What these call, if there is any: interfaces in a unit, and the procedures, at the end of the
 * file. */
void bob_weave_object_interfaces(struct bob_weave *w, uint32_t at, uint32_t unit);
void bob_weave_object_procedures(struct bob_weave *w);

/* --- code.c --- */
/* Functions in an expression that are events, or in a subscript: they are evaluated before the
 * statement, where it is unknown whether that is needed. First of all that is done with a
 * statement. */
bob_status bob_weave_hoist(struct bob_weave *w, uint32_t statement);
/* The name that stands for this part of the statement; NULL: none. */
const char *bob_weave_hoisted(const struct bob_weave *w, const struct bob_fortran_statement *s,
			      uint32_t from, uint32_t to);
bob_status bob_weave_code(struct bob_weave *w, uint32_t statement);
/* Was it asked for, for this line? */
bool bob_weave_is_requested(const struct bob_weave *w, enum bob_request_what what, uint32_t line);
/* The event of that name, a new one if need be. */
uint32_t bob_weave_event(struct bob_weave *w, const char *name, bool has_trips);
/* The line that reports that it begins ('b', of a loop 'l'), has another trip ('t'), or ends
 * ('e'). */
const char *bob_weave_event_line(struct bob_weave *w, char what, uint32_t event);
/* Does the function give a number or a truth value: nothing that points, and no array or text? */
bool bob_weave_is_plain(const struct bob_weave *w, uint32_t statement,
			const struct bob_fortran_expr *ref,
			const struct bob_fortran_symbol *symbol);

/* --- loops.c --- */
/* A loop as an event, or a jump out of one. */
void bob_weave_loop(struct bob_weave *w, uint32_t statement);
/* Can it be one, whether that is asked for or not? */
bool bob_weave_is_loop_event(const struct bob_weave *w, uint32_t statement);

/* --- turns.c --- */
/* Lines before the condition of this ELSE IF or DO WHILE go to *at, from rank BOB_RANK_CONDITION
 * on; what they open is closed at the end of the construct (BOB_RANK_CLOSE), or after the
 * statement. False: that cannot be done, and was refused. */
bool bob_weave_turn(struct bob_weave *w, uint32_t statement, uint32_t *at);
/* Can it? */
bool bob_weave_turns(const struct bob_weave *w, uint32_t statement);

/* --- remarks.c --- */
/* What has no probe because no statement says it as an access. */
void bob_weave_remarks(struct bob_weave *w);

/* --- companion.c --- */
/* A file in C; NULL without memory. */
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
