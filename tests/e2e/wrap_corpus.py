# SPDX-License-Identifier: BSD-3-Clause
"""Functions of every kind of parameter and result, as a spec, a library that defines them, and a
program that calls them and prints what they say. Both sides print values, so that a wrapper that
spoils one is found; `events` is what must be recorded."""

import dataclasses

INTEGERS = ["_Bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int",
            "unsigned", "long", "unsigned long", "long long", "unsigned long long", "enum colour",
            "size_t", "int64_t", "uint8_t", "small_t", "const int", "volatile long"]
REALS = ["float", "double", "long double", "__float128", "real_t"]
COMPLEX = ["float _Complex", "double _Complex", "long double _Complex"]
TYPES = """\
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
enum colour { RED, GREEN, BLUE };
typedef unsigned short small_t;
typedef float real_t;
typedef struct { double x, y; } point_t;
typedef struct { void *at; } *handle_t;
typedef int (*compare_t)(const void *, const void *);
typedef double row_t[4];
union either { int i; double d; };
struct mixed { float f; int i; };
struct reals { float a, b, c; };
struct halves { double d; long l; };
struct large { long v[6]; double d; };
struct wide { long double l; };
struct inner { struct mixed m[2]; char c; };
struct line { _Alignas(64) char at[64]; };
struct half_line { _Alignas(32) int at; };
""" + "".join(f"struct s{n} {{ unsigned char b[{n}]; }};\n" for n in range(1, 65))


@dataclasses.dataclass
class Function:
    prototype: str      # without the semicolon
    body: str
    call: str           # statements
    begin: str | None = None    # values of the event
    end: str | None = None


def scalars():
    for i, t in enumerate(INTEGERS):
        small = t == "_Bool"
        a, b, r = (1, 0, 1) if small else (3, 4, 7)
        if t == "enum colour":
            a, b, r = 0, 2, 2
        yield Function(
            f"{t} integer{i}({t} a, {t} b)",
            f'{{ printf("integer{i} %lld %lld\\n", (long long)a, (long long)b); return ({t})(a + '
            f'b); }}',
            f'printf("%lld\\n", (long long)integer{i}({a}, {b}));', f"{a} {b}", f"{r}")
        if not small and "unsigned" not in t and t not in ("size_t", "uint8_t", "small_t",
                                                           "enum colour"):
            yield Function(
                f"{t} minus{i}({t} a)",
                f'{{ printf("minus{i} %lld\\n", (long long)a); return ({t})-a; }}',
                f'printf("%lld\\n", (long long)minus{i}(-5));', "-5", "5")
    for i, t in enumerate(REALS):
        yield Function(
            f"{t} real{i}({t} a, {t} b)",
            f'{{ printf("real{i} %Lg %Lg\\n", (long double)a, (long double)b); return a - b; }}',
            f'printf("%Lg\\n", (long double)real{i}(1.5, 4));', "1.500 4.000", "-2.500")
    for i, t in enumerate(COMPLEX):
        yield Function(
            f"{t} complex{i}({t} z)",
            f'{{ printf("complex{i} %Lg %Lg\\n", (long double)__real__ z, (long double)__imag__ '
            f'z); return z * z; }}',
            f'{{ {t} z = complex{i}(1 + 2i); printf("%Lg %Lg\\n", (long double)__real__ z, (long '
            f'double)__imag__ z); }}',
            "1.000 2.000", "-3.000 4.000")
    yield Function("unsigned __int128 huge(__int128 a, int n)", '{ printf("huge %llx\\n", '
                   '(unsigned long long)(a >> 64)); return (unsigned __int128)a << n; }',
                   '{ unsigned __int128 h = huge((__int128)5 << 60, 10); printf("%llx %llx\\n", '
                   '(unsigned long long)(h >> 64), (unsigned long long)h); }', "10", "")


def structs():
    for n in range(1, 65):
        yield Function(
            f"struct s{n} bytes{n}(int k, struct s{n} s, double d)",
            f'{{ for (int i = 0; i < {n}; i++) s.b[i] = (unsigned char)(s.b[i] * 3 + k); '
            f'printf("bytes{n} %d %g\\n", s.b[{n - 1}], d); return s; }}',
            f'{{ struct s{n} s; for (int i = 0; i < {n}; i++) s.b[i] = (unsigned char)(i + {n}); '
            f's = bytes{n}({n}, s, 0.5); for (int i = 0; i < {n}; i++) printf("%d,", s.b[i]); '
            f'puts(""); }}',
            f"{n} 0.500", "")
    for name, value, show in [
        ("struct mixed", "{1.5f, 2}", '"%g %d\\n", v.f, v.i'),
        ("struct reals", "{1, 2, 3}", '"%g %g %g\\n", v.a, v.b, v.c'),
        ("struct halves", "{1.5, 2}", '"%g %ld\\n", v.d, v.l'),
        ("struct large", "{{1, 2, 3, 4, 5, 6}, 7}", '"%ld %g\\n", v.v[5], v.d'),
        ("struct wide", "{1.25L}", '"%Lg\\n", v.l'),
        ("struct inner", "{{{1, 2}, {3, 4}}, 5}", '"%d %d\\n", v.m[1].i, v.c'),
        ("union either", "{7}", '"%d\\n", v.i'), ("point_t", "{1, 2}", '"%g %g\\n", v.x, v.y'),
    ]:
        f = "pass_" + name.replace(" ", "_")
        yield Function(f"{name} {f}({name} v)", f'{{ printf({show}); return v; }}',
                       f'{{ {name} v = {value}; v = {f}(v); printf({show}); }}', "", "")


def pointers():
    yield Function("void nothing(void)", '{ puts("nothing"); }', "nothing();", "", "")
    yield Function("const char *text(string s)", '{ return s + 1; }', 'puts(text("abc"));', "abc",
                   "1")
    yield Function("string said(char *s)", '{ return s; }', '{ char b[] = "said"; puts(said(b)); }',
                   "1", "said")
    yield Function("int array(int a[3], const double b[], char c[static 2])",
                   '{ return a[2] + (int)b[1] + c[1]; }',
                   'printf("%d\\n", array((int[]){1, 2, 3}, (double[]){1, 2}, "ab"));', "1 1 1",
                   "103")
    yield Function("double table(int n, int m, double t[n][m])", '{ return t[n - 1][m - 1]; }',
                   '{ double t[2][3] = {{1, 2, 3}, {4, 5, 6}}; printf("%g\\n", table(2, 3, t)); }',
                   "2 3 1", "6.000")
    yield Function("double row(row_t r, int)", '{ return r[3]; }',
                   'printf("%g\\n", row((row_t){1, 2, 3, 4}, 5));', "1 5", "4.000")
    yield Function("int apply(int (*f)(int), int x)", '{ return f(x); }',
                   'printf("%d\\n", apply(twice, 4));', "1 4", "8")
    yield Function("int apply_too(int f(int), int x)", '{ return f(x); }',
                   'printf("%d\\n", apply_too(twice, 5));', "1 5", "10")
    yield Function("int (*choose(int which))(int)", '{ (void)which; return NULL; }',
                   'printf("%d\\n", choose(1) == NULL);', "1", "0")
    yield Function("int (*(*deep(int n, int (*(*g)(void))(int)))(int))[2]",
                   '{ (void)n; (void)g; return NULL; }', 'printf("%d\\n", deep(1, NULL) == NULL);',
                   "1 0", "0")
    yield Function("int sorted(compare_t, const void *a, const void *b)", '{ return arg1(a, b); }',
                   'printf("%d\\n", sorted(order, "a", "b"));', "1 1 1", "-1")
    yield Function("handle_t handle(handle_t h, const handle_t *restrict all)",
                   '{ (void)all; return h; }', 'printf("%d\\n", handle(NULL, NULL) == NULL);',
                   "0 0", "0")
    yield Function("char **words(char *const argv[], int *const *p)",
                   '{ (void)p; return (char **)argv; }',
                   '{ char *v[] = {"x", NULL}; puts(words(v, NULL)[0]); }', "1 0", "1")
    yield Function("struct large *large(struct large *l, struct halves h)",
                   '{ l->d = h.d; return l; }',
                   '{ struct large l; printf("%g\\n", large(&l, (struct halves){2.5, 1})->d); }',
                   "1", "1")
    yield Function("int listed(string format, va_list list)", '{ return vprintf(format, list); }',
                   'printf("%d\\n", list_of("%d %g %s\\n", 1, 2.5, "z"));', "%d %g %s\n", "8")
    many = ", ".join(f"{t} {n}{i}" for i in range(7)
                     for t, n in (("int", "i"), ("double", "d"), ("long double", "l")))
    total = " + ".join(f"{n}{i}" for i in range(7) for n in "idl")
    yield Function(f"double many({many}, struct s24 s, float f)",
                   f'{{ return (double)({total}) + s.b[3] + f; }}',
                   "{ struct s24 s = {{0, 1, 2, 3}}; printf(\"%g\\n\", many(" + ", ".join(
                       str(i) for i in range(1, 22)) + ", s, 0.5f)); }",
                   " ".join(f"{i}" if i % 3 == 1 else f"{i}.000" for i in range(1, 16)), "234.500")
    # four on the stack, of 16 bytes each (__int128 there is not where all versions of clang look
    # for it)
    yield Function("double quads(" + ", ".join(f"__float128 q{i}" for i in range(12)) + ")",
                   "{ return (double)(q11 - q8 + q0); }",
                   'printf("%g\\n", quads(' + ", ".join(map(str, range(1, 13))) + "));",
                   " ".join(f"{i}.000" for i in range(1, 13)), "4.000")
    yield Function("long lines(int a, struct half_line y, struct line x, int b, struct half_line "
                   "w, struct mixed m, struct line z, struct half_line v, struct line u)",
                   "{ return ((uintptr_t)&x | (uintptr_t)&z) % 64 + ((uintptr_t)&y | "
                   "(uintptr_t)&w) % 32 + a * 1000 + x.at[63] * 100 + z.at[63] * 10 + y.at + w.at "
                   "+ m.i + v.at + u.at[63] + b; }", '{ struct line x = {{0}}, z = x, u = x; '
                   'x.at[63] = 1; z.at[63] = 2; u.at[63] = 10; printf("%ld\\n", lines(3, (struct '
                   'half_line){5}, x, 4, (struct half_line){8}, (struct mixed){6, 7}, z, (struct '
                   'half_line){9}, u)); }', "3 4", "3163")
    yield Function("int keyword(int bob, int result, int values)",
                   "{ return bob + result + values; }", 'printf("%d\\n", keyword(1, 2, 3));', "1 3",
                   "6")


def variadic():
    yield Function("int sum(int n, ...)", "{ va_list l; int s = 0; va_start(l, n); while (n--) s "
                   "+= va_arg(l, int); va_end(l); return s; }",
                   'printf("%d\\n", sum(12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));', "12", "78")
    yield Function("double mean(float weight, short n, ...)", "{ va_list l; double s = 0; "
                   "va_start(l, n); for (int i = 0; i < n; i++) s += va_arg(l, double); "
                   "va_end(l); return s * weight / n; }",
                   'printf("%g\\n", mean(0.5f, -1 + 11, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.));',
                   "0.500 10", "2.750")
    yield Function("long double mix(struct mixed m, struct large l, double d, unsigned char c, "
                   "...)", "{ va_list a; va_start(a, c); long double x = va_arg(a, long double); "
                   "struct s24 s = va_arg(a, struct s24); va_end(a); return x + m.f + m.i + "
                   "l.v[5] + d + c + s.b[23]; }", '{ struct mixed m = {1, 2}; struct large l = '
                   '{{0, 0, 0, 0, 0, 3}, 0}; struct s24 s = {{0}}; s.b[23] = 4; printf("%Lg\\n", '
                   'mix(m, l, 5, 6, 7.5L, s)); }', "5.000 6", "")
    yield Function("float half(double d, ...)", "{ return (float)(d / 2); }",
                   'printf("%g\\n", half(3, 1));', "3.000", "1.500")
    yield Function("char *anything()", '{ return "any"; }', "puts(anything());", "", "1")
    yield Function("real_t opaque(small_t a, real_t b, handle_t h, int p[2], ...)",
                   "{ return (real_t)a * b + (h != NULL) + p[1]; }",
                   'printf("%g\\n", opaque(3, 1.5f, NULL, (int[]){1, 2}, 1));', "3 1.500 0 1",
                   "6.500")
    yield Function("int formatted(char *to, size_t n, string format, ...)",
                   "{ va_list l; va_start(l, format); int r = vsnprintf(to, n, format, l); "
                   "va_end(l); return r; }", '{ char b[80]; printf("%d ", formatted(b, 80, "%s %d '
                   '%Lg %g %c %ld", "s", 1, 2.5L, 3.5, \'x\', 4L)); puts(b); }',
                   "1 80 %s %d %Lg %g %c %ld", "15")
    yield Function("int *element(int *at, ...)", "{ return at + 1; }",
                   'printf("%d\\n", *element((int[]){1, 2}, 0));', "1", "1")


FUNCTIONS = [*scalars(), *structs(), *pointers(), *variadic()]
HELPERS = """\
static int twice(int x) { return 2 * x; }
static int order(const void *a, const void *b) { return strcmp(a, b); }
static int list_of(const char *format, ...)
{
	va_list l;
	va_start(l, format);
	int r = listed(format, l);
	va_end(l);
	return r;
}
"""


def name_of(f):
    """The first word in front of a bracket that is no type."""
    text = f.prototype
    at = text.index("(")
    while text[at + 1] == "*":
        at = text.index("(", at + 1)
    return text[:at].replace("*", " ").replace("(", " ").split()[-1]


def for_c(prototype):
    return prototype.replace("string ", "const char *").replace("compare_t,",
                                                                "compare_t arg1,").replace(
        "row_t r, int)", "row_t r, int arg2)")


def spec():
    return "include:\n#include \"types.h\"\n\ndefinitions:\n" + "".join(f"{f.prototype};\n"
                                                                        for f in FUNCTIONS)


def library():
    return '#include "types.h"\n' + "".join(f"{for_c(f.prototype)}\n{f.body}\n" for f in FUNCTIONS)


def program():
    declared = "".join(f"{for_c(f.prototype)};\n" for f in FUNCTIONS)
    calls = "".join(f"\t{f.call}\n" for f in FUNCTIONS)
    return f'#include "types.h"\n{declared}{HELPERS}int main(void)\n{{\n{calls}\treturn 0;\n}}\n'


def events():
    return [(name_of(f), f.begin, f.end) for f in FUNCTIONS]
