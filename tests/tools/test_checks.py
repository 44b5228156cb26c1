#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The checks of the tree must be able to fail: each gets a small tree with one fault."""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def write(root, files):
    for name, text in files.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


def run(*command, cwd=None):
    p = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    return p.returncode, p.stdout + p.stderr


def with_tools(root, *names):
    os.makedirs(os.path.join(root, "tools"), exist_ok=True)
    for name in names:
        shutil.copy(os.path.join(ROOT, "tools", name), os.path.join(root, "tools"))


LAYERS = {"tools/layers.txt": "low:\nplan: low\nhigh: low plan/ok.h\n", "src/low/low.h": "\n",
          "src/plan/ok.h": "\n", "src/plan/plan.h": "\n", "include/bobbin/a.h": "\n"}


def check_layers(root, extra, expect):
    shutil.rmtree(root)
    write(root, {**LAYERS, **extra})
    status, text = run(os.path.join(ROOT, "tools/check_layers.py"), root)
    if expect is None:
        assert status == 0, text
    else:
        assert status == 1 and expect in text, (expect, text)


def test_layers(root):
    check_layers(root, {
                        "src/high/x.c": '#include "low/low.h"\n#include "plan/ok.h"\n'
                        '#include "bobbin/a.h"\n'}, None)
    check_layers(root, {"src/high/x.c": '\n#include "plan/plan.h"\n'},
                 "src/high/x.c:2: high may not include plan/plan.h")
    check_layers(root, {"src/high/x.c": "#include <plan/plan.h>\n"},
                 "high may not include plan/plan.h")
    check_layers(root, {"src/low/x.c": '#include "high/h.h"\n', "src/high/h.h": "\n"},
                 "low may not include high/h.h")
    check_layers(root, {"src/low/x.c": '#include "../high/h.h"\n', "src/high/h.h": "\n"}, "climbs")
    check_layers(root, {"src/low/x.c": "#include <Zydis/Zydis.h>\n"}, "belongs to part plan alone")
    check_layers(root, {"src/other/x.c": "\n"}, "not in tools/layers.txt")
    check_layers(root, {"include/bobbin/b.h": '#include "low/low.h"\n'},
                 "an installed header may not include")
    check_layers(root, {"tools/layers.txt": "low: high\nplan:\nhigh: low\n", "src/high/h.h": "\n"},
                 "which is not below it")


def test_symbols(root):
    with_tools(root, "check_symbols.sh")
    write(root, {"a.c": "int bob_a(void);\nint bob_a(void) { return 1; }\n",
                 "b.c": "int stray(void);\nint stray(void) { return 1; }\n",
                 "agent.c": "int gone(void);\nint bob_x(void);\n"
                 "__attribute__((visibility(\"default\"))) int bob_x(void) { return gone(); }\n",
                 "src/agent/agent.map": "{ global: bob_x; local: *; };\n"})
    os.makedirs(os.path.join(root, "b/lib/bobbin"))
    for command in ("gcc -c a.c b.c", "ar rc b/lib/libbob_a.a a.o"):
        assert run(*command.split(), cwd=root)[0] == 0
    check = ("sh", "tools/check_symbols.sh", "b")
    status, text = run(*check, cwd=root)
    assert status == 0, text
    agent = "gcc -shared -fPIC -nostdlib -o b/lib/bobbin/libbobbin-agent.so agent.c"
    assert run(*agent.split(), cwd=root)[0] == 0
    status, text = run(*check, cwd=root)
    assert status == 1 and "leaves undefined gone" in text, text
    write(root, {"agent.c": "int bob_y(void);\nint bob_y(void) { return 1; }\n"})
    assert run(*agent.split(), cwd=root)[0] == 0
    status, text = run(*check, cwd=root)
    assert status == 1 and "exports: bob_y but its version script lists: bob_x" in text, text
    assert run(*agent.split(), "-Wl,--no-as-needed", "-lc", cwd=root)[0] == 0
    status, text = run(*check, cwd=root)
    assert status == 1 and "needs libc.so" in text, text
    assert run("ar", "rc", "b/lib/libbob_b.a", "b.o", cwd=root)[0] == 0
    status, text = run(*check, cwd=root)
    assert status == 1 and "defines stray" in text, text


def test_library_symbols(root):
    with_tools(root, "check_symbols.sh")
    api = ("#define BOB_API __attribute__((visibility(\"default\")))\nBOB_API int\nbob_a(void);\n"
           "BOB_API char *bob_b(\nint x);\n")
    good = ('#include "include/bobbin/a.h"\nint bob_a(void) { return 1; }\n'
            'char *bob_b(int x) { return x ? 0 : "b"; }\n')
    write(root, {"include/bobbin/a.h": api})
    os.makedirs(os.path.join(root, "b/lib/bobbin"))
    os.makedirs(os.path.join(root, "b/bin"))

    def check(code, expect, soname="libbobbin.so.0.1", shared_code=None):
        write(root, {"a.c": code, "b.c": shared_code or code})
        for command in ("gcc -fPIC -fvisibility=hidden -c a.c b.c", "rm -f b/lib/libbobbin.a",
                        "ar rc b/lib/libbobbin.a a.o",
                        f"gcc -shared -Wl,-soname,{soname} -o b/lib/libbobbin.so b.o"):
            assert run(*command.split(), cwd=root)[0] == 0, command
        status, text = run("sh", "tools/check_symbols.sh", "b", cwd=root)
        assert (status == 1 and expect in text) if expect else status == 0, (expect, text)

    check(good, None)
    check(good.replace("bob_b(int", "bob_c(int"), "libbobbin.a lacks bob_b")
    check(good + "int bob_inner(void);\nint bob_inner(void) { return 1; }\n",
          "libbobbin.a has, and no header declares, bob_inner")
    check(good, "libbobbin.so has, and no header declares, bob_more",
          shared_code=good + "BOB_API int bob_more(void);\nint bob_more(void) { return 1; }\n")
    check(good.replace("return 1", "static int calls; return calls++"),
          "data that can change, in .bss")
    check(good, "has no SONAME", soname="other.so")


def test_paths(root):
    with_tools(root, "check_paths.sh")
    write(root, {"fine.txt": "/usr/lib/x and src/" + "work/y\n"})
    for command in ("git init -q .", "git add ."):
        assert run(*command.split(), cwd=root)[0] == 0
    status, text = run("sh", "tools/check_paths.sh", cwd=root)
    assert status == 0, text
    write(root, {"golden.bin": "\0\0/" + "home/someone/app\0"})
    run("git", "add", ".", cwd=root)
    status, text = run("sh", "tools/check_paths.sh", cwd=root)
    assert status == 1 and "golden.bin" in text, text


def test_format(root):
    with_tools(root, "check_format.py")
    shutil.copy(os.path.join(ROOT, ".clang-format"), root)
    head, opening = "/* SPDX-License-Identifier: BSD-3-Clause */\n", "/* Returns its argument. */\n"
    good = (head + opening + "int x;\t\t/* kept where it is */\n\n"
            "int f(int a)\n{\n\treturn a;\n}\n")
    write(root, {"src/a.c": good, "tests/b.c": head})
    for command in ("git init -q .", "git add ."):
        assert run(*command.split(), cwd=root)[0] == 0
    assert run("tools/check_format.py", cwd=root)[0] == 0
    bad = good.replace("\treturn", "    return").replace("int f(int a)\n{", "int f( int a ) {")
    write(root, {"src/a.c": bad})
    status, text = run("tools/check_format.py", cwd=root)
    assert status == 1 and "src/a.c" in text, text
    assert run("tools/check_format.py", "--fix", cwd=root)[0] == 0
    with open(os.path.join(root, "src/a.c"), encoding="utf-8") as f:
        assert f.read() == good
    for instead in ("", "#include <a.h>\n" + opening, "/* --- part --- */\n"):
        write(root, {"src/a.c": good.replace(opening, instead)})
        for command in (("tools/check_format.py",), ("tools/check_format.py", "--fix")):
            status, text = run(*command, cwd=root)
            assert status == 1 and "src/a.c:2: no opening comment" in text, text
    write(root, {"src/a.c": good})
    for name, before, line in (("src/a.c", good, "// " + "x" * 97),
                               ("cmake/a.cmake", "", "#" * 100),
                               ("b/CMakeLists.txt", "", "#" * 100),
                               ("a.py", "", "#" + "\t" * 12 + "xxxx")):
        number = before.count("\n") + 1
        for more, expect in (("", ""), ("x", f"{name}:{number}: more than 100 columns")):
            write(root, {name: f"{before}{line}{more}\n"})
            assert run("git", "add", ".", cwd=root)[0] == 0
            for fix in ((), ("--fix",)):
                status, text = run("tools/check_format.py", *fix, cwd=root)
                assert status == (1 if expect else 0) and expect in text, (name, text)
        write(root, {name: before})


def test_docs(root):
    good = {"README.md": "# Top\n\nSee [a](docs/a.md) and [below](#top).\n",
            "docs/a.md": "# A `b` (c), d\n\n[b](b.md#x_y-z-1) [here](#a-b-c-d)\n",
            "docs/b.md": "## X_Y: z\n\n    # not a heading\n\n## x_y z\n",
            "docs/man/x.1": ".SH NAME\n"}

    def check(extra, *expect):
        shutil.rmtree(root)
        with_tools(root, "check_docs.py")
        write(root, {**good, **extra})
        status, text = run(os.path.join(root, "tools/check_docs.py"))
        assert status == (1 if expect else 0), text
        assert not expect or len(text.splitlines()) == len(expect), text
        assert all(e in text for e in expect), (expect, text)

    long = "word " * 21
    check({})
    check({"docs/b.md": "## X_Y: z\n"},
          "docs/a.md:3: link to b.md#x_y-z-1, but docs/b.md has no such heading")
    check({"docs/b.md": good["docs/b.md"] + "\n[not](#not-a-heading)\n"},
          "docs/b.md:7: link to #not-a-heading")
    check({"README.md": good["README.md"] + "[c](docs/c.md)\n"},
          "README.md:4: link to docs/c.md, which does not exist")
    check({"docs/c.md": "[itself](c.md)\n"}, "docs/c.md: no links lead there from README.md")
    check({"docs/b.md": good["docs/b.md"] + "`src/none.c`\n"}, "docs/b.md:6: names src/none.c")
    for exempt in (f"| {long} |\n", f"\n    {long}\n", f"```\n{long}\n```\n", f"{long} http://x\n"):
        check({"docs/b.md": good["docs/b.md"] + exempt})
    for line in (f"{long}\n", f"* a\n  * b\n    {long}\n", f"```\n```\n{long}\n"):
        check({"docs/b.md": good["docs/b.md"] + line}, "more than 100 columns")
    check({"docs/man/x.1": f".nf\n{long}\n"}, "docs/man/x.1:2: more than 100 columns")


WORDS = {"tools/words.txt": "# comment\nzorg, zorgs,\n  is zorg | a thing |\n\tZORG LTD\n"}


def check_words(root, extra, *expect):
    """The tree with these files fails with exactly these lines; without any it passes."""
    shutil.rmtree(root)
    write(root, {**WORDS, **extra})
    for command in ("git init -q .", "git add ."):
        assert run(*command.split(), cwd=root)[0] == 0
    status, text = run(os.path.join(ROOT, "tools/check_words.py"), root)
    assert status == (1 if expect else 0), text
    if expect:
        lines = text.splitlines()
        assert len(lines) == len(expect) and all(line.startswith(e)
                                                 for line, e in zip(lines, expect)), text


def test_words(root):
    found = 'retired word "zorg"; write: a thing'
    check_words(root, {"a.c": "int zorgling;\n/* ZORG LTD made it: a borzorg */\n"})
    check_words(root, {"a.c": "/* zorg ltd */\n"}, f"a.c:1: {found}")
    check_words(root, {"a.c": "\nint a_zorg;\n"}, f"a.c:2: {found}")
    check_words(root, {"a.c": "int aZorg, zorgLike, ZORG_MAX, zorg2;\n"}, *[f"a.c:1: {found}"] * 4)
    check_words(root, {"a.c": 'f("a\\nzorgs");\n'}, 'a.c:1: retired word "zorgs"')
    check_words(root, {"a.c": "/* What is\n * zorg */\n"}, 'a.c:1: retired word "is zorg"')
    check_words(root, {"docs/p.md": "Zorg.\n", "a.bin": "\0zorg"}, "a.bin:1", "docs/p.md:1")
    check_words(root, {"zorg.c": "\n"}, "zorg.c:0")
    check_words(root, {"tests/golden/zorg.txt": "zorg\n", "tests/fuzz/corpus/zorg": "zorg\n"})
    check_words(root, {"docs/GLOSSARY.md": 'Retired: "is\nzorg".\n\nclean\n'})
    check_words(root, {"docs/GLOSSARY.md": 'Retired: "unknown".\n\nzorg\n'},
                'docs/GLOSSARY.md: retires "unknown", which is not in', "docs/GLOSSARY.md:3")
    for line, why in (("zorg", "not `spellings"),
                      ("zorg | thing\nzorg | thing", "zorg is in the list twice")):
        write(root, {"tools/words.txt": line + "\n"})
        status, text = run(os.path.join(ROOT, "tools/check_words.py"), root)
        assert status == 1 and why in text, text


def test_literals(root):
    def check(text, expect):
        write(root, {"src/a.c": f"/* not a literal; \\n */\nstatic const char code[] =\n{text};\n"})
        status, said = run(os.path.join(ROOT, "tools/check_literals.py"), root)
        assert (status, expect in said) == (1 if "src/a.c" in expect else 0, True), (text, said)

    def lines(*texts):
        return "\n".join(f'\t"{t}\\n"' for t in texts)

    c = ("static int f(void)", "{", "\tint a = 1;", "\tint b = 2;", "", "\treturn a + b;", "}", "")
    check(lines(*c), "src/a.c:3: 8 lines of code")
    check(lines(*c[:7]), "1 files without")
    check(lines(*c).replace('\n\t"{', ' MACRO\n\t"{', 1), "src/a.c:3: 8 lines of code")
    check(lines(*c).replace("\\n", ""), "src/a.c:3: 8 lines of code")
    check(lines("subroutine s", *["call f"] * 5, "end subroutine", "end"),
          "src/a.c:3: 8 lines of code")
    check(lines(*["a word; and another one {or more}, of help"] * 12), "1 files without")
    check("\tf(" + ",\n\t".join(f'"{t}\\n"' for t in c) + ")", "1 files without")


def test_count(root):
    case = '<testcase name="{}" status="{}">{}</testcase>'
    skipped = '<skipped message="SKIP_RETURN_CODE=77"/><system-out>no tmpfs here</system-out>'
    xml = "".join([case.format("a", "run", ""), case.format("b", "fail", "<failure/>"),
                   case.format("c", "notrun", skipped), case.format("d", "notrun", skipped)])
    write(root, {"r.xml": f"<testsuite>{xml}</testsuite>",
                 "skips.txt": "# reasons\nc # needs a tmpfs\n"})
    status, text = run(os.path.join(ROOT, "tools/count_tests.py"), "r.xml", "skips.txt", cwd=root)
    assert status == 0 and text.splitlines()[0] == "1 2 1", text
    assert "FAILED b" in text and "FAILED d: unexpected skip: no tmpfs here" in text, text
    assert "not run" not in text, text
    cases = "<system-out>ok one\nskip two: no tmpfs\n" + "skip three: why\n" * 6 + "</system-out>"
    write(root, {"r.xml": f"<testsuite>{case.format('a', 'run', cases)}</testsuite>"})
    status, text = run(os.path.join(ROOT, "tools/count_tests.py"), "r.xml", "skips.txt", cwd=root)
    assert status == 0 and text.splitlines()[0] == "1 0 0", text
    assert "not run a: two: no tmpfs\n" in text and text.rstrip().endswith(
                                                                           "not run a: 2 more "
                                                                           "cases"), text


def main():
    for test in (test_layers, test_symbols, test_library_symbols, test_paths, test_format,
                 test_docs, test_words, test_literals, test_count):
        root = tempfile.mkdtemp(prefix="bobbin-checks-")
        try:
            test(root)
        finally:
            shutil.rmtree(root, ignore_errors=True)
        print("ok", test.__name__)


if __name__ == "__main__":
    sys.exit(main())
