# SPDX-License-Identifier: BSD-3-Clause
"""Parse the prototypes of an mpi.h, and check the table's roles against their types."""
import os
import re
import subprocess
import tempfile

from table import Bad, HANDLES, INTEGERS

HANDLE_TYPES = {"comm": "MPI_Comm", "group": "MPI_Group", "type": "MPI_Datatype", "op": "MPI_Op",
                "win": "MPI_Win", "file": "MPI_File", "errh": "MPI_Errhandler", "info": "MPI_Info",
                "request": "MPI_Request", "message": "MPI_Message", "session": "MPI_Session",
                "keyval": "int"}
WIDE = ("MPI_Aint", "MPI_Count", "MPI_Offset")  # integers of 64 bits


class Prototype:
    def __init__(self, name, result, parameters):
        self.name, self.result = name, result
        self.parameters = [] if parameters == ["void"] else parameters

    def text(self):
        return f"{self.result} MPI_{self.name}({', '.join(self.parameters) or 'void'})"


def preprocess(compiler, text):
    """Preprocess `text`. Uses a file, because Open MPI's compiler does not read from a pipe."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "header.c")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        p = subprocess.run([*compiler, "-E", path], capture_output=True, text=True)
    if p.returncode:
        raise Bad(f"{' '.join(compiler)} -E: {(p.stderr.strip() or 'failed').splitlines()[-1]}")
    return p.stdout


def without_attributes(text):
    inner = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*"
    return re.sub(r"__attribute__\s*\(\(" + inner + r"\)\)", " ", text)


def prototypes(text):
    """{name without MPI_: Prototype} of preprocessed text."""
    text = without_attributes(re.sub(r"^#.*$", "", text, flags=re.M))
    while "{" in text:
        shorter = re.sub(r"\{[^{}]*\}", ";", text)
        if shorter == text:
            raise Bad("mpi.h: braces that do not match")
        text = shorter
    found = {}
    for statement in re.sub(r"\s+", " ", text).split(";"):
        m = re.match(r"\s*(?:extern )?(?!typedef )((?:\w+[ *]+)+)MPI_(\w+) ?\((.*)\)\s*$",
                     statement)
        if m:
            found[m[2]] = Prototype(m[2], m[1].strip(), [p.strip() for p in m[3].split(",")])
    return found


def type_of(parameter):
    """The type of a parameter without const, name and spaces.

    `const int ranges[][3]` gives int[][3], `void *buf` gives void*."""
    text = re.sub(r"\bconst\b", " ", parameter)
    arrays = "".join(re.findall(r"\[\s*\d*\s*\]", text)).replace(" ", "")
    text = re.sub(r"\[\s*\d*\s*\]", "", text).strip()
    base = re.match(r"((?:unsigned |long |struct )*\w+)\s*(\**)",
                    text.replace(" *", "*").replace("* ", "*"))
    return base[1] + base[2] + ("*" if arrays == "[]" else arrays)


def takes(p):
    """The types that parameter p of the table can have."""
    points = "*" if p.comes_out or p.length else ""
    if p.role in INTEGERS:
        return [t + points for t in ("int", *WIDE)] + (
            ["int[][3]"] if p.length and p.length.endswith("*3") else [])
    if p.role in HANDLES:
        t = HANDLE_TYPES[p.role]
        return [t + "*"] if points or p.role == "keyval" and points else [t] + (
            [t + "*"] if p.role != "keyval" else [])
    return {"buf": ["void*", "MPI_Aint*"] if p.comes_out else ["void*", "MPI_Status*"],
            "pointer": ["void*"], "string": ["char*"], "strings": ["char**"], "argvs": ["char***"],
            "status": ["MPI_Status*"], "iostatus": ["MPI_Status*"],
            "none": None, "function": None}.get(p.role, ["int" + points])


def check(function, prototype):
    """Raises Bad if the table's line does not fit the header's prototype."""
    where = f"functions.txt: {function.name} does not fit mpi.h's {prototype.text()}"
    if len(function.parameters) != len(prototype.parameters):
        raise Bad(f"{where}: it has {len(function.parameters)} parameters")
    for p, text in zip(function.parameters, prototype.parameters):
        types, has = takes(p), type_of(text)
        if p.role == "function":
            fits = re.fullmatch(r"MPI_\w*function(_c)?\*", has)
        else:
            fits = types is None or has in types
        if not fits or p.comes_out and re.match(r"const\b", text):
            raise Bad(f"{where}: {p.name} cannot be a {p.role}"
                      f"{' that comes out' if p.comes_out else ''}")
