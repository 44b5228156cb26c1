# SPDX-License-Identifier: BSD-3-Clause
"""Write the wrappers of one MPI in C, from the table and the header's prototypes.

Each function gets a body, with the function to call as an additional parameter, and two callers of
it, MPI_X and PMPI_X. The body has three parts:

    before the call   lengths of input vectors; words of inputs; copies of what the call may change;
                      elements of input vectors, in case the call never returns
    the call
    after the call    the result; words of outputs; elements of all vectors

The body's own names end in an underscore; no parameter's name does."""
from header import HANDLE_TYPES, WIDE, type_of
from table import BITS, CODES, HANDLES, INTEGERS, terms

WORD = {"rank": "rank", "root": "rank", "tag": "tag", "flag": "flag", "function": "function",
        "pointer": "pointer", "buf": "buf", **{h: h for h in HANDLES}}
# Handles that have 32 bits in some MPI.
NARROW = {t for t in HANDLE_TYPES.values() if t.startswith("MPI_")} - {"MPI_File"}
FIXED_WORDS = 32  # events/recorder.h


def word(p, value, verb=""):
    """The word of a value of p's role; verb is new_ for a handle that the call created."""
    if p.role in CODES + BITS:
        return (f"bob_mpi_{'bits' if p.role in BITS else 'code'}"
                f"(BOB_MPI_ROLE_{p.role.upper()}, {value})")
    if p.role in INTEGERS or p.role in ("error", "weight"):
        return f"bob_mpi_int({value})"
    if p.role == "session":
        value = f"(uint64_t){value}"
    if p.role == "function":
        value = f"(const void *){value}"
    if p.role == "request" and verb:
        return f"bob_mpi_new_request({value}, {'true' if p.mark == 'receives' else 'false'})"
    if p.role == "comm" and verb:
        return f"bob_mpi_new_comm(&c_, {value})"
    return f"bob_mpi_{verb if p.role in HANDLES else ''}{WORD[p.role]}({value})"


class Body:
    def __init__(self, function, number, prototype):
        self.f, self.number, self.prototype = function, number, prototype
        self.types = {p.name: type_of(t)
                      for p, t in zip(function.parameters, prototype.parameters)}
        self.declared, self.before, self.after, self.elements, self.after_all = [], [], [], [], []
        self.argument = {p.name: p.name for p in function.parameters}

    # --- pieces of C ---

    def is_wide(self, p):
        return self.types[p.name].rstrip("*") in WIDE

    def value(self, p):
        """The input value of a parameter that is no vector."""
        if (p.comes_out and p.role not in ("none",)
                or p.role in HANDLES and self.types[p.name].endswith("*")):
            return f"*{p.name}"
        return p.name

    def came_out(self, p):
        """The output value of a parameter that is no vector."""
        if p.role in ("buf", "pointer") and self.types[p.name] == "void*":
            return f"*(void **){p.name}"
        if p.role == "buf":
            return f"(const void *)*{p.name}"
        return f"*{p.name}"

    def conditions(self, p, out):
        c = ["ok_"] if out else []
        if p.at:
            self.declare("const bool at_{0} = bob_mpi_at({1}, {0});".format(
                p.at, self.f.communicator()))
            c.append(f"at_{p.at}")
        if p.only and p.only.startswith("*"):
            c.append(p.only)
        elif p.only:
            c.append(f"{p.only} != MPI_IN_PLACE")
        return c

    def declare(self, line):
        if line not in self.declared:
            self.declared.append(line)

    def length(self, p):
        found = [self.term(t) for t in terms(p.length)]
        return found[0] if len(found) == 1 else f"bob_mpi_min({', '.join(found)})"

    def term(self, t):
        if t.question in ("sum", "last"):
            v = t.names[0]
            return f"bob_mpi_{t.question}({v}, n_{v})"
        if t.question:
            return f"bob_mpi_{t.question}({', '.join(t.names)})"
        p = self.f.by_name[t.names[0]]
        if p.goes_in and p.comes_out:
            return f"bob_mpi_count(was_{p.name})"
        value = f"*{p.name}" if t.after else p.name
        return f"bob_mpi_count({value})" + (f" * {t.factor}" if t.factor > 1 else "")

    def put(self, lines, conditions, expression):
        word_ = f"{self.all_of(conditions)} ? {expression} : 0" if conditions else expression
        lines.append(f"bob_mpi_fix(&c_, {word_});")

    @staticmethod
    def all_of(conditions):
        return " && ".join(conditions)

    def put_elements(self, p, out):
        """The call that puts the elements of vector p, n_p of them."""
        n = f"n_{p.name}"
        first = f"bob_mpi_me({terms(p.length)[0].names[0]})" if p.rotated else "0"
        if p.role in ("string",):
            return f"bob_mpi_put_text(&c_, {p.name}, {n});"
        if p.role == "strings":
            return f"bob_mpi_put_texts(&c_, {p.name}, {self.text_count(p)});"
        if p.role == "argvs":
            return f"bob_mpi_put_argvs(&c_, {p.name}, {self.text_count(p)});"
        if p.role in HANDLES and p.role != "keyval":
            return f"bob_mpi_put_{'new_' if out else ''}{p.role}s(&c_, {p.name}, {n}, {first});"
        if p.role in ("rank", "flag"):
            return f"bob_mpi_put_{p.role}s(&c_, {p.name}, {n}, {first});"
        if p.role in CODES:
            return f"bob_mpi_put_codes(&c_, {p.name}, {n}, BOB_MPI_ROLE_{p.role.upper()});"
        values = f"(const int *){p.name}" if "[" in self.types[p.name] else p.name
        put = "wides" if self.is_wide(p) else "ints"
        return f"bob_mpi_put_{put}(&c_, {values}, {n}, {first});"

    def text_count(self, p):
        return self.length(p) if p.length else "BOB_MPI_TO_NULL"

    def length_word(self, p, n, out):
        """The word of a vector's length. --mpi-vectors shortens those that no word depends on."""
        may = (p.role in INTEGERS + CODES + ("rank", "flag", "error", "weight")
               or p.role == "type" and not out)
        return f"bob_mpi_fix(&c_, {f'bob_mpi_length({n})' if may else n});"

    # --- what goes in ---

    def text_in(self, p):
        c = [p.name] + self.conditions(p, False)
        measure = {"string": "bob_mpi_text({0})", "strings": "bob_mpi_texts({0}, {1})",
                   "argvs": "bob_mpi_argvs({0}, {1})"}[p.role].format(p.name, self.text_count(p))
        return f"const uint64_t n_{p.name} = {self.all_of(c)} ? {measure} : 0;"

    def vector_in(self, p):
        if p.is_text:
            self.before.append(self.text_in(p))
        elif p.goes_in and p.comes_out:
            kind = "requests" if p.role == "request" else "ints"
            t = "struct bob_mpi_was" if p.role == "request" else "uint64_t"
            self.before.append(f"{t} *const was_{p.name} = "
                               f"bob_mpi_keep_{kind}(&c_, {p.name}, {self.length(p)});")
            self.before.append(f"const uint64_t n_{p.name} = was_{p.name} ? {self.length(p)} : 0;")
        else:
            c = [p.name] + self.conditions(p, False)
            if p.role == "weight":
                c.append(f"bob_mpi_weighted({p.name})")
            self.before.append(
                f"const uint64_t n_{p.name} = {self.all_of(c)} ? {self.length(p)} : 0;")
        whole = p.goes_in and p.comes_out
        self.before.append(f"bob_mpi_fix(&c_, n_{p.name});" if whole else
                           self.length_word(p, f"n_{p.name}", False))
        if not (p.goes_in and p.comes_out):
            self.elements.append((f"if (n_{p.name})\n\t\t" if p.is_text else "")
                                 + self.put_elements(p, False))
        elif p.role == "request":
            self.elements.append(f"bob_mpi_put_was(&c_, was_{p.name}, n_{p.name});")
            self.after_all.append(f"bob_mpi_left_requests(was_{p.name}, {p.name}, n_{p.name});")
        else:
            self.elements.append(f"bob_mpi_put_words(&c_, was_{p.name}, n_{p.name});")

    def scalar_in(self, p):
        value = self.value(p)
        if p.comes_out and p.role == "request":
            self.before.append(
                f"const struct bob_mpi_was was_{p.name} = bob_mpi_take_request({value});")
            self.before.append(f"bob_mpi_fix(&c_, was_{p.name}.word);")
            return
        if p.comes_out:
            t = self.types[p.name][:-1]
            self.before.append(f"const {t} was_{p.name} = {value};")
            value = f"was_{p.name}"
        if p.comes_out and p.role in HANDLES:
            self.before.append(f"const uint64_t word_{p.name} = {word(p, value)};")
            self.before.append(f"bob_mpi_fix(&c_, word_{p.name});")
            return
        self.put(self.before, self.conditions(p, False), word(p, value))

    # --- what comes out ---

    def status_place(self, p):
        """Before the call: the program's status, or the wrapper's own if the program ignores it."""
        if p.is_vector:
            requests = self.f.by_name[p.of[0]]
            self.before.append("MPI_Status *const s_ = "
                               f"bob_mpi_statuses(&c_, {p.name}, n_{requests.name});")
        else:
            self.before.append("MPI_Status own_;")
            self.before.append(
                f"MPI_Status *const s_ = {p.name} == MPI_STATUS_IGNORE ? &own_ : {p.name};")
            if p.of and not self.f.by_name[p.of[0]].is_vector:
                r = self.f.by_name[p.of[0]]
                self.before.append(
                    f"const bool receives_ = was_{r.name}.receives;" if r.comes_out else
                    f"const bool receives_ = bob_mpi_receives({self.value(r)});")
        self.argument[p.name] = "s_"

    def status_out(self, p):
        c = self.conditions(p, True)
        if p.role == "iostatus":
            self.put(self.after, c, "bob_mpi_status_bytes(s_)")
            return
        requests = (f"was_{p.of[0]}, n_{p.of[0]}"
                    if p.of and self.f.by_name[p.of[0]].is_vector else None)
        if p.is_vector:
            c.append("s_ != MPI_STATUSES_IGNORE")
            self.after.append(
                f"const uint64_t n_{p.name} = {self.all_of(c)} ? {self.length(p)} : 0;")
            self.after.append(f"bob_mpi_fix(&c_, n_{p.name});")
            indices = p.of[1] if len(p.of) > 1 else "NULL"
            self.elements.append(
                f"bob_mpi_put_statuses(&c_, s_, n_{p.name}, {requests}, {indices});")
            return
        if requests:
            c.append(f"bob_mpi_was_receives({requests}, *{p.of[1]})")
        elif p.of:
            c.append("receives_")
        self.after.append(
            f"bob_mpi_{'request_' if p.of else ''}status(&c_, s_, {self.all_of(c)});")

    def text_out(self, p):
        c = self.conditions(p, True) + [p.name]
        capacity = self.length(p) if p.length else "BOB_MPI_TO_NULL"
        return (f"const uint64_t n_{p.name} = "
                f"{self.all_of(c)} ? bob_mpi_text_within({p.name}, {capacity}) : 0;")

    def vector_out(self, p):
        if p.is_text:
            self.after.append(self.text_out(p))
            name = p.name
        else:
            c = self.conditions(p, True) + [p.name]
            if p.role == "weight":
                c.append(f"bob_mpi_weighted({p.name})")
            name = p.name if not p.goes_in else f"{p.name}_out"
            self.after.append(
                f"const uint64_t n_{name} = {self.all_of(c)} ? {self.length(p)} : 0;")
        self.after.append(self.length_word(p, f"n_{name}", True))
        self.elements.append(self.put_elements(p, True).replace(f"n_{p.name}", f"n_{name}"))

    def scalar_out(self, p):
        value = self.came_out(p)
        if p.goes_in:
            if p.role == "request":
                self.after_all.append(f"bob_mpi_left_request(&was_{p.name}, {value});")
            else:
                cast = "(uint64_t)" if p.role == "session" else ""
                verb = f"bob_mpi_left_{p.role}({cast}was_{p.name}, {cast}{value}, word_{p.name})"
                self.put(self.after, [], verb if p.role in HANDLES else word(p, value))
            return
        c = self.conditions(p, True)
        self.put(self.after, c, word(p, value, "new_" if p.role in HANDLES else ""))
        if p.role == "type":
            self.put(self.after, c, f"bob_mpi_type_size({value})")
        elif p.role == "comm" and p.mark == "pending":
            self.after.append("bob_mpi_fix(&c_, 0);")
        elif p.role == "comm":
            n = f"n_{p.name}"
            self.after.append(
                f"const uint64_t {n} = {self.all_of(c)} ? bob_mpi_members(&c_, {value}) : 0;")
            self.after.append(f"bob_mpi_fix(&c_, {n});")
            self.elements.append(f"if ({n})\n\t\tbob_mpi_put_members(&c_, *{p.name});")

    # --- the whole ---

    def build(self):
        for p in self.f.parameters:
            if p.has_in() and p.is_vector:
                self.vector_in(p)
            elif p.has_in():
                self.scalar_in(p)
        self.ahead = list(self.elements)
        for p in self.f.parameters:
            if p.role in ("status", "iostatus"):
                self.status_place(p)
        self.after.append("bob_mpi_fix(&c_, bob_mpi_int(r_));")
        for p in self.f.parameters:
            if p.role in ("status", "iostatus"):
                self.status_out(p)
            elif p.has_out() and p.is_vector:
                self.vector_out(p)
            elif p.has_out() or p.comes_out and p.goes_in:
                self.scalar_out(p) if not p.is_vector else None
        return self

    def parameters(self):
        """The parameters as the header declares them, with the table's names."""
        out = []
        for p, text in zip(self.f.parameters, self.prototype.parameters):
            const = "const " if text.startswith("const ") else ""
            t = self.types[p.name]
            if "[][" in t:
                out.append(f"{t.split('[')[0]} {p.name}[][3]")
                continue
            stars = t[len(t.rstrip("*")):]
            base = f"BOB_MPI_WHOLE({t})" if t in NARROW else t.rstrip("*")
            out.append(f"{const}{base} {stars}{p.name}")
        return out

    def call(self, arguments, call):
        """The call of MPI's function, and the shim's actions at functions with marks."""
        lines = ["bob_mpi_starting();"] if "started" in self.f.marks else []
        lines += [f"bob_mpi_finishing({call});"] if "finishing" in self.f.marks else []
        if "spawning" in self.f.marks:
            return lines + self.spawning(arguments)
        lines += [f"r_ = next_({arguments});"]
        return lines + (["bob_mpi_started(r_);"] if "started" in self.f.marks else [])

    @staticmethod
    def spawning(arguments):
        """A call that may replace commands and arguments: one of each, or arrays of them."""
        a = arguments.split(", ")
        if a[0] == "command":
            begin = "1, (char *const *)&command, &argv, (const MPI_Info *)&info"
            passed = ["spawn_.command ? spawn_.command[0] : command",
                      "spawn_.command ? spawn_.argv[0] : argv"] + a[2:]
        else:
            begin = f"{a[0]}, {a[1]}, (char **const *){a[2]}, {a[4]}"
            passed = [a[0], f"spawn_.command ? spawn_.command : {a[1]}",
                      f"spawn_.command ? spawn_.argv : {a[2]}"] + a[3:]
        return ["struct bob_mpi_spawn spawn_;", "",
                f"bob_mpi_spawning(&spawn_, {begin}, root, comm);",
                f"r_ = next_({', '.join(passed)});", "bob_mpi_spawned(&spawn_, r_, *intercomm);"]

    def unrecorded(self, arguments):
        """The path of a call that is not recorded."""
        return [f"if (!bob_mpi_enter(&c_, {self.number}u, caller_, cfa_)) {{",
                *("\t" + x for x in self.call(arguments, "NULL")),
                "\tbob_mpi_passed(&c_);", "\treturn r_;", "}"]

    def begin(self):
        """The last lines before the call.

        They write input vectors after the space of all fixed words, so that the event of a call
        that never returns has them."""
        if not self.ahead:
            return ["bob_mpi_before(&c_);"]
        return [f"const uint32_t in_ = bob_mpi_ahead(&c_, {len(self.f.layout())}u);", *self.ahead,
                "bob_mpi_before(&c_);", "bob_mpi_back(&c_, in_);"]

    def text(self):
        self.build()
        if len(self.f.layout()) > FIXED_WORDS:
            raise AssertionError(f"{self.f.name}: more words than BOB_EV_FIXED_WORDS")
        parameters, name = self.parameters(), self.prototype.name
        listed = ", ".join(parameters) or "void"
        types = [x.replace("*" + p.name, "*").replace(" " + p.name, "")
                 for x, p in zip(parameters, self.f.parameters)]
        plain = ", ".join(p.name for p in self.f.parameters)
        given = ", ".join(self.argument[p.name] for p in self.f.parameters)
        lines = ["struct bob_mpi_call c_;", "int r_;", ""]
        lines += self.unrecorded(plain)
        lines += self.declared + self.before + self.begin()
        lines += self.call(given, "&c_") + ["bob_mpi_after(&c_, r_);"]
        if any("ok_" in x for x in self.after):
            lines.append("const bool ok_ = r_ == MPI_SUCCESS;")
        lines += self.after + self.elements + self.after_all + ["bob_mpi_leave(&c_);", "return r_;"]
        more = "".join(", " + p for p in parameters)
        out = [f"/* {name} */", f"typedef int next_{name}({', '.join(types) or 'void'});",
               f"static int body_{name}"
               f"(next_{name} *next_, const void *caller_, const void *cfa_{more})", "{",
               *("\t" + x if x else "" for x in lines), "}", ""]
        for prefix in ("MPI_", "PMPI_"):
            own = f"BOB_MPI_EXPORT int own_{prefix}{name}({listed})"
            out += [f'{own} __asm__("{prefix}{name}");', own, "{",
                    f"\tstatic next_{name} *next_;", "",
                    f'\treturn body_{name}(BOB_MPI_NEXT(next_, "{prefix}{name}"), '
                    f'BOB_MPI_HERE{", " + plain if plain else ""});',
                    "}", ""]
        return "\n".join(out)


def wrappers(functions):
    """The whole file. functions: (Function, number, Prototype)."""
    head = ["/* Written by src/mpi/generate.py from functions.txt and mpi.h. */",
            "#define OMPI_OMIT_MPI1_COMPAT_DECLS 0 /* MPI-1's functions, too */",
            '#include "mpi/argument_words.h"', "",
            '#pragma GCC diagnostic ignored "-Wconversion" '
            '/* a whole handle becomes one of this MPI */', ""]
    return "\n".join(head + [Body(*f).text() for f in functions])
