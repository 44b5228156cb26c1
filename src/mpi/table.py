# SPDX-License-Identifier: BSD-3-Clause
"""Parser of functions.txt, whose opening comment defines the syntax and the order of words."""
import re

LARGE = 1024  # the number of a large-count variant is that of its base + LARGE

INTEGERS = ("count", "bytes", "disp", "index", "int")
HANDLES = ("comm", "group", "type", "op", "win", "file", "errh", "info", "request", "message",
           "session", "keyval")
CODES = ("order", "distribution", "typeclass", "combiner", "comparison", "split", "topology",
         "thread", "lock", "whence")
BITS = ("mode", "assertion")
TEXTS = ("string", "strings", "argvs")
ROLES = INTEGERS + HANDLES + TEXTS + CODES + BITS + (
    "buf", "rank", "root", "tag", "error", "flag", "function", "pointer", "weight", "status",
    "iostatus", "none")
LENGTHS = ("peers", "ranks", "sources", "destinations", "dims", "nodes", "edges", "neighbors",
           "integers", "addresses", "datatypes", "integers_c", "addresses_c", "large_counts_c",
           "datatypes_c", "sum", "last")
FUNCTION_MARKS = ("started", "finishing", "by_hand", "spawning")
PARAMETER_MARKS = ("receives", "pending")

PARAMETER = re.compile(r"(?P<direction><>|>|)(?P<name>\w+):(?P<role>\w+)(?:\((?P<of>[\w,]+)\))?"
                       r"(?:\[(?P<length>[^\]]+)\])?(?:@(?P<at>\w+))?(?:\?(?P<only>\*?\w+))?"
                       r"(?:!(?P<mark>\w+))?$")
TERM = re.compile(r"(\*?)(\w+)(?:\*(\d+))?$")
CALL = re.compile(r"(\w+)(~?)\(([\w,]+)\)$")


class Bad(Exception):
    """An error in functions.txt, or a header that does not fit it; a message of one line."""


class Parameter:
    def __init__(self, text, where):
        m = PARAMETER.match(text)
        if not m:
            raise Bad(f"{where}: what is {text!r}?")
        self.name, self.role = m["name"], m["role"]
        self.at, self.only, self.mark = m["at"], m["only"], m["mark"]
        self.goes_in = m["direction"] != ">"
        self.comes_out = m["direction"] != ""
        self.of = m["of"].split(",") if m["of"] else []
        self.length = m["length"]
        if self.role not in ROLES:
            raise Bad(f"{where}: no role is called {self.role!r}")
        if self.mark and self.mark not in PARAMETER_MARKS:
            raise Bad(f"{where}: no mark is called {self.mark!r}")
        self.is_text = self.role in TEXTS
        self.is_vector = self.is_text or self.length is not None
        self.rotated = self.length is not None and "~" in self.length

    # Whether the parameter has a word of its input value, and one of its output value.
    def has_in(self):
        return self.goes_in and self.role != "none"

    def has_out(self):
        return (self.comes_out and self.role != "none"
                and not (self.role == "request" and self.goes_in))


class Function:
    def __init__(self, number, name, kind, words):
        where = f"functions.txt: {name}"
        self.number, self.name, self.kind = number, name, kind
        if not kind:
            raise Bad(f"{where}: it is of no class")
        self.marks = [w[1:] for w in words if w.startswith("@")]
        self.parameters = [Parameter(w, where) for w in words if not w.startswith("@")]
        for mark in self.marks:
            if mark not in FUNCTION_MARKS:
                raise Bad(f"{where}: no mark is called {mark!r}")
        self.by_name = {p.name: p for p in self.parameters}
        if len(self.by_name) != len(self.parameters):
            raise Bad(f"{where}: two parameters of one name")
        for p in self.parameters:
            self.check_names(p, where)

    def check_names(self, p, where):
        names = p.of + ([p.at] if p.at else []) + ([p.only.lstrip("*")] if p.only else [])
        for term in terms(p.length, where) if p.length else ():
            names += term.names
        for name in names:
            if name not in self.by_name:
                raise Bad(f"{where}: {p.name} speaks of {name!r}, which is no parameter")

    def communicator(self):
        """The communicator in which a root is a rank: the first that is an input."""
        return next((p.name for p in self.parameters if p.role == "comm" and p.goes_in), None)

    def layout(self):
        """The fixed words in their order: (parameter, kind of word).

        The kinds are in, result, out, tag, bytes, size, members."""
        words = [(p, "in") for p in self.parameters if p.has_in()] + [(None, "result")]
        for p in self.parameters:
            if not p.has_out():
                continue
            words.append((p, "out"))
            if p.role == "status" and not p.is_vector:
                words += [(p, "tag"), (p, "bytes")]
            elif p.role == "type" and not p.is_vector and not p.goes_in:
                words.append((p, "size"))
            elif p.role == "comm" and not p.is_vector and not p.goes_in:
                words.append((p, "members"))
        return words


class Term:
    """A length: a parameter (times a factor, before or after the call), or a query of objects."""

    def __init__(self, text, where):
        term, call = TERM.match(text), CALL.match(text)
        if not term and not call or call and call[1] not in LENGTHS:
            raise Bad(f"{where}: what length is {text!r}?")
        self.question = call[1] if call else None
        self.names = call[3].split(",") if call else [term[2]]
        self.after = bool(term and term[1])
        self.factor = int(term[3] or 1) if term else 1


def terms(length, where=""):
    """The terms of a length, one or two; the length is the smallest of them."""
    m = re.match(r"min\((\w+),(.*)\)$", length)
    return [Term(t, where) for t in (m.groups() if m else (length,))]


class Table:
    def __init__(self, path):
        self.functions, self.skips, self.predefined = {}, [], []
        numbers, kind, of_class, name, words = set(), None, None, None, []

        def finish():
            if name:
                f = Function(number, name, of_class, words)
                if name in self.functions or number in numbers:
                    raise Bad(f"functions.txt: {name}: "
                              f"its name or its number {number} is there already")
                self.functions[name] = f
                numbers.add(number)

        with open(path, encoding="utf-8") as file:
            for line in file:
                w = line.split("#")[0].split()
                if not w:
                    continue
                if w[0] in ("skip", "predefined", "class") or w[0].isdigit():
                    finish()
                    name = None
                if w[0] == "skip":
                    self.skips.append(w[1])
                elif w[0] == "class":
                    of_class = w[1]
                elif w[0] == "predefined":
                    kind = w[1]
                    if kind not in HANDLES + CODES + BITS:
                        raise Bad(f"functions.txt: handles of what kind are {kind!r}?")
                elif w[0].isdigit() and kind:
                    self.predefined.append((kind, int(w[0]), w[1], int(w[2]) if len(w) > 2 else 0))
                elif w[0].isdigit():
                    number, name, words = int(w[0]), w[1], w[2:]
                elif name:
                    words += w
                else:
                    raise Bad(f"functions.txt: {line.strip()!r} belongs to no function")
            finish()

    def skipped(self, name):
        return any(re.fullmatch(s.replace("*", ".*"), name) for s in self.skips)

    def find(self, name):
        """(function, its number) for a name of the header without MPI_; None if it has no line."""
        if name in self.functions:
            f = self.functions[name]
            return f, f.number
        base = self.functions.get(name[:-2]) if name.endswith("_c") else None
        return (base, base.number + LARGE) if base else None
