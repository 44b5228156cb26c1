/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash tables of names, and the intrinsic names that every unit knows. */
#include "source/fortran/scope.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 32u

static uint32_t hash(const char *name, uint32_t len)
{
	uint32_t h = 2166136261u;

	for (uint32_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619u;
	return h;
}

struct bob_fortran_symbols *bob_fortran_table(struct bob_arena *arena,
					      struct bob_fortran_symbols *host)
{
	struct bob_fortran_symbols *t = bob_arena_alloc(arena, sizeof(*t));

	if (!t)
		return NULL;
	t->table = bob_arena_alloc(arena, FIRST_SIZE * sizeof(struct bob_fortran_symbol *));
	if (!t->table)
		return NULL;
	t->table_size = FIRST_SIZE;
	t->host = host;
	t->unit = t->construct = BOB_FORTRAN_NO;
	return t;
}

static struct bob_fortran_symbol **slot(const struct bob_fortran_symbols *t, const char *name,
					uint32_t len)
{
	uint32_t i = hash(name, len) & (t->table_size - 1);

	while (t->table[i] &&
	       (strncmp(t->table[i]->name, name, len) != 0 || t->table[i]->name[len]))
		i = (i + 1) & (t->table_size - 1);
	return &t->table[i];
}

static bool widen(struct bob_arena *arena, struct bob_fortran_symbols *t)
{
	struct bob_fortran_symbol **wide;
	uint32_t size = t->table_size * 2;

	wide = bob_arena_alloc(arena, size * sizeof(struct bob_fortran_symbol *));
	if (!wide)
		return false;
	t->table = wide;
	t->table_size = size;
	for (struct bob_fortran_symbol *y = t->first; y; y = y->next)
		*slot(t, y->name, (uint32_t)strlen(y->name)) = y;
	return true;
}

struct bob_fortran_symbol *bob_fortran_enter(struct bob_arena *arena, struct bob_fortran_symbols *t,
					     const char *name, uint32_t len)
{
	struct bob_fortran_symbol *y = *slot(t, name, len);

	if (y)
		return y;
	if ((t->count + 1) * 2 > t->table_size && !widen(arena, t))
		return NULL;
	y = bob_arena_alloc(arena, sizeof(*y));
	if (!y)
		return NULL;
	y->name = bob_arena_text(arena, name, len);
	if (!y->name)
		return NULL;
	y->statement = BOB_FORTRAN_NO;
	y->unit = t->unit;
	y->char_len = 1;
	*slot(t, name, len) = y;
	if (t->last)
		t->last->next = y;
	else
		t->first = y;
	t->last = y;
	t->count++;
	return y;
}

struct bob_fortran_symbol *bob_fortran_enter_next(struct bob_fortran_scope *s,
						  struct bob_fortran_parser *r)
{
	struct bob_fortran_symbol *y;
	uint32_t n;

	(void)bob_fortran_peek(r);
	n = bob_fortran_name_len(r);
	if (!n)
		return NULL;
	y = bob_fortran_enter(s->arena, s->table, r->text + r->p, n);
	r->p += n;
	if (!y)
		s->failed = true;
	else if (y->statement == BOB_FORTRAN_NO)
		y->statement = s->index;
	return y;
}

const struct bob_fortran_symbol *bob_fortran_own(const struct bob_fortran_symbols *t,
						 const char *name, uint32_t len)
{
	return *slot(t, name, len);
}

const struct bob_fortran_symbol *bob_fortran_lookup(const struct bob_fortran_symbols *t,
						    const char *name, uint32_t len)
{
	const struct bob_fortran_symbol *y;

	for (; t; t = t->host) {
		y = *slot(t, name, len);
		if (y)
			return y;
	}
	return bob_fortran_intrinsic(name, len);
}

/* Sorted. A * after a name: an inquiry function. */
static const char *const intrinsics[] = {
	"abs", "achar", "acos", "acosh", "adjustl", "adjustr", "aimag", "aint", "all",
	"allocated*", "alog", "alog10", "amax0", "amax1", "amin0", "amin1", "amod", "and",
	"anint", "any", "asin", "asinh", "associated*", "atan", "atan2", "atanh", "bessel_j0",
	"bessel_j1", "bessel_jn", "bit_size*", "btest", "c_associated", "c_funloc*", "c_loc*",
	"c_sizeof*", "cabs", "ccos", "cdabs", "cdcos", "cdexp", "cdlog", "cdsin", "cdsqrt",
	"ceiling", "cexp", "char", "clog", "cmplx", "command_argument_count", "conjg", "cos",
	"cosh", "count", "cpu_time", "cshift", "csin", "csqrt", "dabs", "dacos", "dasin", "datan",
	"datan2", "date_and_time", "dble", "dcmplx", "dconjg", "dcos", "dcosh", "ddim", "dexp",
	"dfloat", "digits*", "dim", "dimag", "dint", "dlog", "dlog10", "dmax1", "dmin1", "dmod",
	"dnint", "dot_product", "dprod", "dreal", "dsign", "dsin", "dsinh", "dsqrt", "dtan",
	"dtanh", "eoshift", "epsilon*", "erf", "erfc", "etime", "exp", "exponent",
	"extends_type_of*", "findloc", "float", "floor", "fraction", "gamma",
	"get_command_argument", "get_environment_variable", "huge*", "hypot", "iabs", "iachar",
	"iall", "iand", "iany", "ibclr", "ibits", "ibset", "ichar", "idim", "idint", "idnint",
	"ieor", "ifix", "image_index", "index", "int", "ior", "iparity", "is_contiguous*",
	"is_iostat_end", "is_iostat_eor", "ishft", "ishftc", "isign", "isnan", "kind*", "lbound*",
	"leadz", "len*", "len_trim", "lge", "lgt", "lle", "llt", "loc*", "log", "log10",
	"log_gamma", "logical", "lshift", "matmul", "max", "max0", "max1", "maxexponent*",
	"maxloc", "maxval", "merge", "min", "min0", "min1", "minexponent*", "minloc", "minval",
	"mod", "modulo", "move_alloc", "mvbits", "nearest", "new_line*", "nint", "norm2", "not",
	"null*", "num_images", "or", "pack", "parity", "popcnt", "poppar", "precision*",
	"present*", "product", "radix*", "random_number", "random_seed", "range*", "rank*",
	"real", "repeat", "reshape", "rrspacing", "rshift", "same_type_as*", "scale", "scan",
	"secnds", "second", "selected_int_kind", "selected_real_kind", "set_exponent", "shape*",
	"shiftl", "shiftr", "sign", "sin", "sinh", "size*", "sizeof*", "sngl", "spacing",
	"spread", "sqrt", "storage_size*", "sum", "system_clock", "tan", "tanh", "this_image",
	"tiny*", "trailz", "transfer", "transpose", "trim", "ubound*", "unpack", "verify", "xor",
	"zabs", "zexp", "zlog", "zsqrt",
};

struct key {
	const char *name;
	uint32_t len;
};

static int compare_names(const void *key, const void *item)
{
	const struct key *k = key;
	const char *name = *(const char *const *)item;
	int c = strncmp(k->name, name, k->len);

	return c ? c : name[k->len] && name[k->len] != '*' ? -1 : 0;
}

static const char *find_intrinsic(const char *name, uint32_t len)
{
	struct key k = { name, len };
	const char *const *found = bsearch(&k, intrinsics, sizeof(intrinsics) / sizeof(*intrinsics),
					   sizeof(*intrinsics), compare_names);

	return found ? *found : NULL;
}

const struct bob_fortran_symbol *bob_fortran_intrinsic(const char *name, uint32_t len)
{
	static const struct bob_fortran_symbol any = { .name = "",
						       .class = BOB_NAME_INTRINSIC,
						       .unit = BOB_FORTRAN_NO,
						       .statement = BOB_FORTRAN_NO };

	return find_intrinsic(name, len) ? &any : NULL;
}

bool bob_fortran_is_inquiry(const char *name, uint32_t len)
{
	const char *found = find_intrinsic(name, len);

	return found && found[len] == '*';
}

static const struct {
	const char *name;
	int32_t value;
} module_constants[] = {
	{ "c_int", 4 },
	{ "c_short", 2 },
	{ "c_long", 8 },
	{ "c_long_long", 8 },
	{ "c_signed_char", 1 },
	{ "c_size_t", 8 },
	{ "c_int8_t", 1 },
	{ "c_int16_t", 2 },
	{ "c_int32_t", 4 },
	{ "c_int64_t", 8 },
	{ "c_intptr_t", 8 },
	{ "c_intmax_t", 8 },
	{ "c_float", 4 },
	{ "c_double", 8 },
	{ "c_long_double", 10 },
	{ "c_float_complex", 4 },
	{ "c_double_complex", 8 },
	{ "c_bool", 1 },
	{ "c_char", 1 },
	{ "int8", 1 },
	{ "int16", 2 },
	{ "int32", 4 },
	{ "int64", 8 },
	{ "real32", 4 },
	{ "real64", 8 },
	{ "real128", 16 },
	{ "input_unit", 5 },
	{ "output_unit", 6 },
	{ "error_unit", 0 },
	{ "iostat_end", -1 },
	{ "iostat_eor", -2 },
	{ "c_ptrdiff_t", 8 },
};

bool bob_fortran_module_constant_at(uint32_t index, const char **name, int32_t *value)
{
	if (index >= sizeof(module_constants) / sizeof(module_constants[0]))
		return false;
	*name = module_constants[index].name;
	*value = module_constants[index].value;
	return true;
}

bool bob_fortran_module_constant(const char *name, uint32_t len, int32_t *value)
{
	const char *known;

	for (uint32_t i = 0; bob_fortran_module_constant_at(i, &known, value); i++)
		if (!strncmp(known, name, len) && !known[len])
			return true;
	return false;
}
