# SPDX-License-Identifier: BSD-3-Clause
"""What the DejaGnu directives of a program of GCC's test suite ask for: to be run or not, options,
further sources, environment. `read` evaluates them for x86-64 Linux without a DejaGnu.

A directive is `{ dg-NAME words }` in a line, its words a Tcl list. A selector is a list of target
globs and effective targets, combined with !, && and ||. A selector or directive that is not known
here makes the program unfit, with the reason: programs are counted, none is dropped silently.
"""

import fnmatch
import functools
import pathlib
import re

TRIPLE = "x86_64-pc-linux-gnu"
DIRECTIVE = re.compile(r"\{[ \t]+(dg-[-a-z0-9]+)[ \t]+(.*)[ \t]+\}")

# Effective targets that hold for gcc 12 on x86-64 Linux with glibc, and those that do not.
TRUE = frozenset(
    """lp64 c c++ fpic pie pie_enabled nonpic static native run_expensive_tests int128 int32plus
    int32 stdint_types stdint_types_mbig_endian size32plus size20plus size24plus ptr32plus
    ptr_eq_long alloca trampolines label_values indirect_jumps untyped_assembly nonlocal_goto
    return_address exceptions exceptions_enabled tls tls_runtime tls_native pthread pthread_h mmap
    setrlimit signal fork sigsetjmp wchar wchar_t_char16_t_compatible init_priority
    global_constructor named_sections visibility weak alias ifunc weak_undefined gas fenv
    fenv_exceptions fenv_exceptions_dfp hard_float trapping inf inff c99_runtime 64bit double64
    double64plus double64_long_double large_double large_long_double float16 float16_runtime float32
    float32_runtime float64 float64_runtime float128 float128_runtime float32x float32x_runtime
    float64x float64x_runtime floatn_nx_runtime __float128 base_quadfloat_support xfloat80 dfp dfprt
    dfp_bid mempcpy stpcpy popcountl popcount popcountll sync_char_short sync_int_long
    sync_int_long_stack sync_long_long sync_long_long_runtime sse sse2 sse_runtime sse2_runtime
    sse2_available ssp fstack_protector fortran_real_10 fortran_real_16 fortran_large_real
    fortran_integer_16 fortran_large_int fortran_real_c_float128 fortran_largest_fp_has_sqrt
    fd_truncate issignaling libatomic_available scheduling lto gld non_bionic hostedlib ucontext_h
    error_h clone store_merge pcc_bitfield_type_matters fopenmp gomp fgraphite graphite
    profile_update_atomic supports_stack_clash_protection gc_sections freorder vect_int vect_float
    vect_double vect_intdouble_cvt vect_condition vect_shift vect_long vect_long_long vect_perm
    vect_unpack vect_int_mult vect_simd_clones cxa_atexit static_libgfortran cet c++_runtime
    size_t_8 le little_endian unwrapped inttypes_types non_strict_align hw_misalign
    builtin_eh_return stack_check symver iconv string_merging comdat_group arch_x86 alarm
    branch_cost natural_alignment_64 natural_alignment_32 elf mallinfo ieee word_mode_aligned ucn
    split_stack fileio longlong64 4byte_wchar_t cas_int pow10 cas_char""".split()
)
FALSE = frozenset(
    """ia32 ilp32 x32 ilp32_or_x32 int16 llp64 c++98_no avr default_packed short_enums
    vect_cmdline_needed sync_int_128_runtime hwaddress_exec offload_device offload_target_nvptx
    offload_device_nonshared_as offload_device_shared_as openacc_cuda openacc_cublas openacc_cudart
    openacc_nvidia_accel_selected openacc_nvidia_accel_configured
    openacc_radeon_accel_selected offload_target_amdgcn float128x_runtime float128x
    word_mode_unaligned longdouble128 long_double_64bit persistent noinit vxworks_kernel
    vxworks_rtp uclibc simulator nvptx newlib newlib_nano_io rtems strict_align
    keeps_null_pointer_checks big_endian be arm32 arm_neon arm_neon_hw arm_fp16_alternative_ok
    arm_v8_2a_fp16_neon_hw vsx_hw vmx_hw powerpc_altivec_ok powerpc_vsx_ok fixed_point
    mips_soft_float section_anchors aarch64_sve_hw arm_little_endian
    tiny omp_managedmem omp_low_lat split_stack_gold target_offload
    sjlj_exceptions freestanding short_eq_int vect_complex_add_double""".split()
)
# Standards of C++, oldest first, as selectors name them, and the one that g++ takes by default.
STANDARDS = ("98", "11", "14", "17", "20", "23")
ALIASES = {"0x": "11", "1y": "14", "1z": "17", "2a": "20", "2b": "23", "03": "98"}
DEFAULT = "17"
# Requirements that hold here, and directives that say nothing about how a program is run.
REQUIRED = frozenset(
    """weak visibility alias ifunc iconv fork cxa-atexit named-sections stack-size stack-check
    ascii-locale gc-sections weak-override linker-plugin profiling host-local support""".split()
)
NEUTRAL = frozenset(
    """dg-error dg-warning dg-message dg-bogus dg-note dg-final dg-output dg-prune-output
    dg-excess-errors dg-shouldfail dg-regexp dg-line dg-optimized dg-missed dg-locus
    dg-begin-multiline-output dg-end-multiline-output dg-enable-nn-line-numbers dg-xfail-if
    dg-xfail-run-if dg-timeout-factor dg-timeout dg-allow-blank-lines-in-output dg-output-file
    dg-lto-warning dg-lto-message dg-lto-note dg-function-on-line dg-test dg-runtest
    dg-save-unknown dg-final-use-not-autofdo""".split()
)
# What dg-add-options adds here; anything else adds options of other processors, or none.
ADDED = {"ieee": "-ffloat-store", "c99_runtime": "-std=c99"}
NO_RUN = re.compile(r"^-(?:m32|mx32|static|static-pie|S|c|E|fsyntax-only|r|shared)$")
SANITIZED = re.compile(r"^-f(?:sanitize|no-sanitize)")


class Unfit(Exception):
    """The program cannot be run here as it is; the text says why."""


@functools.cache
def processor():
    """Features of this machine's processor, as Linux names them."""
    m = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii"),
                  re.M)
    return frozenset(m[1].split() if m else ())


def tcl_words(text):
    """The words of a Tcl list; braces and quotes are taken off."""
    words, i, n = [], 0, len(text)
    while i < n:
        if text[i].isspace():
            i += 1
        elif text[i] in '{"':
            end = closing(text, i)
            words.append(text[i + 1 : end])
            i = end + 1
        else:
            m = re.compile(r"\S+").match(text, i)
            words.append(m[0])
            i = m.end()
    return [re.sub(r'\\(["\[\]$\\{}])', r"\1", w) for w in words]


def closing(text, i):
    """Where what begins at i, a brace or a quote, ends."""
    if text[i] == '"':
        m = re.compile(r'"(?:\\.|[^"\\])*"').match(text, i)
        return m.end() - 1 if m else len(text)
    depth = 0
    for j in range(i, len(text)):
        depth += (text[j] == "{") - (text[j] == "}")
        if not depth:
            return j
    return len(text)


def standard(word, now):
    """The truth of a selector such as c++14_only, c++17_down or c++20, or None if it is no such
    selector."""
    m = re.fullmatch(r"c\+\+(\w\w)(_only|_down)?", word)
    if not m or ALIASES.get(m[1], m[1]) not in STANDARDS:
        return None
    at, want = STANDARDS.index(now), STANDARDS.index(ALIASES.get(m[1], m[1]))
    return at == want if m[2] == "_only" else at <= want if m[2] == "_down" else at >= want


def holds(word, language):
    """Whether one target glob or effective target describes this machine."""
    if word in ("x86_64-*-*", "x86_64-*-linux*", "*-*-*"):
        return True
    said = standard(word, language[3:]) if language.startswith("c++") else None
    if said is not None:
        return said
    if word in ("c", "c++"):
        return word == language[: 3 if language.startswith("c++") else 1]
    if "-" in word or "*" in word:
        return fnmatch.fnmatch(TRIPLE, word)
    if word in TRUE or word in FALSE:
        return word in TRUE
    if re.match(r"(arm|aarch64|mips|powerpc|ppc|sparc|s390|riscv|vxworks)\w*_?", word):
        return False
    m = re.fullmatch(r"(avx\w*?|sse\w*?|bmi2?|fma|f16c|adx|lzcnt|aes)(?:_runtime|_hw)?", word)
    if m:
        return m[1].replace("sse4", "sse4_2") in processor()
    raise Unfit(f"unknown target {word}")


def selected(text, language):
    """Whether a selector, as text, describes this machine: globs side by side mean or."""
    words = split_selector(text)
    if not words:
        return True
    for operator in ("||", "&&"):
        if operator in words:
            at = words.index(operator)
            left = selected(" ".join(words[:at]), language)
            right = selected(" ".join(words[at + 1 :]), language)
            return left or right if operator == "||" else left and right
    if words[0] == "!":
        return not selected(" ".join(words[1:]), language)
    return any(
        selected(w[1:-1], language) if w.startswith("{") else holds(w.strip('"'), language)
        for w in words
    )


def split_selector(text):
    """Words of a selector; a braced one stays whole, with its braces."""
    words, i = [], 0
    text = re.sub(r"(?<=[\s{])!(?=[^\s=])", "! ", " " + text)
    while i < len(text):
        if text[i].isspace():
            i += 1
            continue
        end = closing(text, i) + 1 if text[i] == "{" else re.compile(r"[^\s{]+").match(text,
                                                                                       i).end()
        words.append(text[i:end])
        i = end
    return words


def applies(words, language):
    """Whether a directive with these trailing words ({ target ... } or { xfail ... }) applies."""
    for word in words:
        kind, _, rest = word.strip().partition(" ")
        if kind == "target":
            rest = rest.strip()
            m = re.match(r"(.*?)\s+xfail\s", rest)
            rest = m[1] if m else rest
            if not selected(rest, language):
                return False
        elif kind not in ("xfail", ""):
            raise Unfit(f"unknown selector {word}")
    return True


def skips(words, options, language):
    """Whether `dg-skip-if comment { targets } { options } { other options }` says to leave it
    out."""
    if len(words) < 2 or not selected(words[1], language):
        return False

    def given(patterns):
        have = " " + " ".join(options) + " "
        return any(p == "*" or fnmatch.fnmatch(have, f"*{p}[ =]*") for p in patterns)

    if len(words) > 2 and not given(tcl_words(words[2]) or ["*"]):
        return False
    return not (len(words) > 3 and given(tcl_words(words[3])))


class Directives:
    """What a program asks for: options, sources (beside it), environment; `run` is None if it is
    not meant to be run, False if not on this machine."""

    def __init__(self):
        self.run, self.options, self.more = None, [], []
        self.sources, self.environment = [], {}


def apply(d, name, words, language):
    """Note one directive in d."""
    if name == "dg-do":
        if words[0] == "run":
            d.run = applies(words[1:], language) or bool(d.run)
    elif name in ("dg-options", "dg-additional-options"):
        if applies(words[1:], language):
            if name == "dg-options":
                d.options = words[0].split()
            else:
                d.more += words[0].split()
    elif name == "dg-add-options":
        d.more += [ADDED[w] for w in words[0].split() if w in ADDED]
    elif name == "dg-additional-sources":
        if applies(words[1:], language):
            d.sources += words[0].split()
    elif name == "dg-set-target-env-var":
        d.environment[words[0]] = words[1] if len(words) > 1 else ""
    elif name == "dg-require-effective-target":
        if applies(words[1:], language) and not selected(words[0], language):
            raise Unfit(f"needs {words[0]}")
    elif name.startswith("dg-require-"):
        if name[len("dg-require-") :] not in REQUIRED:
            raise Unfit(f"needs {name[len('dg-require-'):]}")
    elif name == "dg-skip-if":
        pass  # needs the options of the whole text: see read()
    elif name not in NEUTRAL:
        raise Unfit(f"directive {name}")


def read(text, language="c", level=()):
    """The Directives of a text; raises Unfit. `language`: c, f, or c++ and a standard (c++17)."""
    d, skip = Directives(), []
    for line in text.splitlines():
        m = DIRECTIVE.search(line)
        if not m:
            continue
        words = tcl_words(m[2])
        if m[1] == "dg-skip-if":
            skip.append(words)
        elif words:
            apply(d, m[1], words, language)
    for option in d.options + d.more:
        if SANITIZED.match(option):
            raise Unfit("sanitizer")
        if NO_RUN.match(option):
            raise Unfit(f"option {option}")
    if any(skips(words, [*d.options, *d.more, *level], language) for words in skip):
        raise Unfit("dg-skip-if")
    return d
