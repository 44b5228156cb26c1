#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write the Fortran module `bobbin` (share/bobbin/bobbin.f90).

    fortran.py events.h hooks.h bobbin.f90

Constants, tables of functions and struct bob_cluster come from bobbin/events.h and bobbin/hooks.h.
"""
import re
import sys

ENDS = {"begin": "in", "end": "out", "instant": "in"}


def constants(header):
    """Flags of events, and limits."""
    enum = re.search(r"enum bob_event_flag \{(.*?)\};", header, re.S).group(1)
    flags = re.findall(r"\b(BOB_EVENT_[A-Z_]+) = (\d+)", enum)
    limits = re.findall(r"^#define (BOB_EVENT_\w+_MAX) (\d+)u", header, re.M)
    if not flags or not limits:
        sys.exit("fortran.py: no constants in the header")
    return flags + limits


def body_of(header, name):
    """Declarations of a struct."""
    body = re.search(rf"struct {name} \{{(.*?)\n\}};", header, re.S).group(1)
    return re.sub(r"/\*.*?\*/", "", body, flags=re.S).split(";")


def table(header, kind, known):
    """Name, and members of the struct in order, which must have those that are used."""
    name = re.search(rf'#define BOB_{kind.upper()}_TABLE "(\w+)"', header).group(1)
    members = []
    for member in body_of(header, f"bob_{kind}_table"):
        found = re.search(r"uint32_t (\w+)|\(\*(\w+)\)", member)
        if found:
            members.append(("integer(c_int32_t)", found.group(1)) if found.group(1) else
                           ("type(c_funptr)", found.group(2)))
    if [m for _, m in members[:2]] != ["size", "reserved"] or not known <= {m for _, m in members}:
        sys.exit(f"fortran.py: the table of {kind} is not as it was")
    return name, members


def cluster(header):
    """Members of struct bob_cluster, all u32."""
    members = []
    for member in body_of(header, "bob_cluster"):
        if member.split():
            kind, names = member.split(None, 1)
            if kind != "uint32_t":
                sys.exit("fortran.py: struct bob_cluster is not as it was")
            members += [("integer(c_int32_t)", name.strip() + " = 0") for name in names.split(",")]
    return members


def struct(name, members, more=""):
    return [f"  type, bind(C){more} :: {name}"] + [
        f"    {kind} :: {member}" for kind, member in members] + ["  end type"]


def module(header, hooks):
    name, members = table(header, "events", {"event", "counter", "set", "when"})
    hooks_name, hooks_members = table(hooks, "hooks", {"posted"})
    phases = list(ENDS)
    procedures = members[:2] + [("type(c_funptr)", p) for p in phases] + [
        ("type(c_funptr)", p + "_with") for p in phases]
    out = TEMPLATE.split("\n")

    def fill(mark, lines):
        at = out.index(f"  !{mark}")
        out[at:at + 1] = lines
    fill("constants", [f"  integer(c_int32_t), parameter, public :: {n.lower()} = {v}"
                       for n, v in constants(header)])
    fill("types", struct("table", members) + struct("hooks_table", hooks_members) +
         struct("procedures", procedures) + struct("bob_cluster", cluster(hooks), ", public"))
    pointers = []
    for p in phases:
        pointers += [f"  procedure(bare), pointer :: {p}_bare => no_bare",
                     f"  procedure(with), pointer :: {p}_with => no_with",
                     f"  interface bob_event_{p}", f"    procedure {p}_bare, {p}_with",
                     "  end interface", f"  public :: bob_event_{p}"]
    fill("pointers", pointers)
    assign = []
    for p in phases:
        assign += [f"    call c_f_procpointer(own%{p}, {p}_bare)",
                   f"    call c_f_procpointer(own%{p}_with, {p}_with)"]
    fill("assign", assign)
    return "\n".join(out).replace("@TABLE@", name).replace("@HOOKS@", hooks_name)


TEMPLATE = """\
! SPDX-License-Identifier: BSD-3-Clause
! Records a program's own events in its trace. Generated from bobbin/events.h, which documents each
! procedure. Compile this file with your compiler, since the format of modules differs. It needs no
! library; without `bobbin record --events` registering returns 0, and events do nothing.
!
!     use bobbin
!     integer(bob_event_id) :: step
!     step = bob_event_register("step", parameters="int n, double dt, string file -> int cells")
!     call bob_event_begin(step, 3, [bob_int(n), bob_real(dt), bob_text(file)])
!     ...
!     call bob_event_end(step, 1, [bob_int(cells)])
!
! Events without parameters: call bob_event_begin(step). Register before the first event, and not in
! two threads at once. These are procedure pointers, so that the place of an event is a line of your
! program. bob_text takes a variable (not an expression: it must live until the event is recorded)
! and drops trailing blanks.
!
! `if (bob_cluster_here(c))` is true where ranks have been compared while they run (docs/hooks.md).
! type(bob_cluster) has rank, cluster, clusters, members, like, as in bobbin/hooks.h.
module bobbin
  use, intrinsic :: iso_c_binding
  implicit none
  private
  integer, parameter, public :: bob_event_id = c_int32_t
  !constants

  type, bind(C), public :: bob_arg
    private
    integer(c_int64_t) :: value = 0
    integer(c_int64_t) :: length = 0
  end type

  !types

  abstract interface
    subroutine bare(e) bind(C)
      import :: bob_event_id
      integer(bob_event_id), value :: e
    end subroutine
    subroutine with(e, count, args) bind(C)
      import :: bob_event_id, bob_arg, c_int32_t
      integer(bob_event_id), value :: e
      integer(c_int32_t), value :: count
      type(bob_arg), intent(in) :: args(*)
    end subroutine
    subroutine setting(e, value) bind(C)
      import :: bob_event_id, c_double
      integer(bob_event_id), value :: e
      real(c_double), value :: value
    end subroutine
    function registering(name, flags, parameters) bind(C) result(e)
      import :: bob_event_id, c_int32_t, c_char
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int32_t), value :: flags
      character(kind=c_char), intent(in) :: parameters(*)
      integer(bob_event_id) :: e
    end function
    function counting(name, flags) bind(C) result(e)
      import :: bob_event_id, c_int32_t, c_char
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int32_t), value :: flags
      integer(bob_event_id) :: e
    end function
    function conditioning(e, condition) bind(C) result(ok)
      import :: bob_event_id, c_char, c_int
      integer(bob_event_id), value :: e
      character(kind=c_char), intent(in) :: condition(*)
      integer(c_int) :: ok
    end function
    function posting(name, to, capacity) bind(C) result(length)
      import :: bob_cluster, c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      type(bob_cluster), intent(inout) :: to
      integer(c_size_t), value :: capacity
      integer(c_size_t) :: length
    end function
  end interface

  interface
    function dlsym(handle, name) bind(C, name="dlsym") result(found)
      import :: c_ptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: found
    end function
  end interface

  interface bob_int
    module procedure int_of_4, int_of_8
  end interface
  interface bob_real
    module procedure real_of_4, real_of_8
  end interface

  !pointers
  procedure(setting), pointer, public :: bob_counter_set => no_set
  procedure(registering), pointer :: event => no_event
  procedure(counting), pointer :: counter => no_counter
  procedure(conditioning), pointer :: when => no_when
  procedure(posting), pointer :: posted => no_posted
  logical :: asked = .false.

  public :: bob_event_register, bob_counter_register, bob_event_when
  public :: bob_int, bob_real, bob_text, bob_cluster_here

contains

  function bob_event_register(name, flags, parameters) result(e)
    character(len=*), intent(in) :: name
    integer, intent(in), optional :: flags
    character(len=*), intent(in), optional :: parameters
    integer(bob_event_id) :: e

    call ask
    if (present(parameters)) then
      e = event(trim(name) // c_null_char, flags_of(flags), trim(parameters) // c_null_char)
    else
      e = event(trim(name) // c_null_char, flags_of(flags), c_null_char)
    end if
  end function

  function bob_counter_register(name, flags) result(e)
    character(len=*), intent(in) :: name
    integer, intent(in), optional :: flags
    integer(bob_event_id) :: e

    call ask
    e = counter(trim(name) // c_null_char, flags_of(flags))
  end function

  function bob_event_when(e, condition) result(is_so)
    integer(bob_event_id), intent(in) :: e
    character(len=*), intent(in) :: condition
    logical :: is_so

    call ask
    is_so = when(e, trim(condition) // c_null_char) /= 0
  end function

  function bob_cluster_here(c) result(is_known)
    type(bob_cluster), intent(out) :: c
    logical :: is_known
    type(bob_cluster) :: found

    call ask
    is_known = posted("cluster" // c_null_char, found, c_sizeof(found)) == c_sizeof(found)
    if (is_known) c = found
  end function

  pure function flags_of(flags) result(f)
    integer, intent(in), optional :: flags
    integer(c_int32_t) :: f

    f = 0
    if (present(flags)) f = int(flags, c_int32_t)
  end function

  elemental function int_of_4(i) result(a)
    integer(c_int32_t), intent(in) :: i
    type(bob_arg) :: a

    a%value = int(i, c_int64_t)
  end function

  elemental function int_of_8(i) result(a)
    integer(c_int64_t), intent(in) :: i
    type(bob_arg) :: a

    a%value = i
  end function

  elemental function real_of_4(x) result(a)
    real(c_float), intent(in) :: x
    type(bob_arg) :: a

    a%value = transfer(real(x, c_double), a%value)
  end function

  elemental function real_of_8(x) result(a)
    real(c_double), intent(in) :: x
    type(bob_arg) :: a

    a%value = transfer(x, a%value)
  end function

  function bob_text(s) result(a)
    character(len=*, kind=c_char), target, intent(in) :: s
    type(bob_arg) :: a

    a%value = transfer(c_loc(s), a%value)
    a%length = len_trim(s, kind=c_int64_t)
  end function

  subroutine ask
    type(c_ptr) :: found, found_own, found_hooks
    type(table), pointer :: t
    type(procedures), pointer :: own
    type(hooks_table), pointer :: h

    if (asked) return
    asked = .true.
    found = dlsym(c_null_ptr, "@TABLE@" // c_null_char)
    found_own = dlsym(c_null_ptr, "bobbin_fortran_1" // c_null_char)
    if (.not. c_associated(found) .or. .not. c_associated(found_own)) return
    call c_f_pointer(found, t)
    call c_f_pointer(found_own, own)
    if (t%size < c_sizeof(t) .or. own%size < c_sizeof(own)) return
    call c_f_procpointer(t%event, event)
    call c_f_procpointer(t%counter, counter)
    call c_f_procpointer(t%set, bob_counter_set)
    call c_f_procpointer(t%when, when)
  !assign
    found_hooks = dlsym(c_null_ptr, "@HOOKS@" // c_null_char)
    if (.not. c_associated(found_hooks)) return
    call c_f_pointer(found_hooks, h)
    if (h%size >= c_sizeof(h)) call c_f_procpointer(h%posted, posted)
  end subroutine

  ! Without a recorder.

  subroutine no_bare(e) bind(C, name="")
    integer(bob_event_id), value :: e
    if (.false.) print *, e
  end subroutine

  subroutine no_with(e, count, args) bind(C, name="")
    integer(bob_event_id), value :: e
    integer(c_int32_t), value :: count
    type(bob_arg), intent(in) :: args(*)
    if (.false.) print *, e, count, args(1)%value
  end subroutine

  subroutine no_set(e, value) bind(C, name="")
    integer(bob_event_id), value :: e
    real(c_double), value :: value
    if (.false.) print *, e, value
  end subroutine

  function no_event(name, flags, parameters) bind(C, name="") result(e)
    character(kind=c_char), intent(in) :: name(*)
    integer(c_int32_t), value :: flags
    character(kind=c_char), intent(in) :: parameters(*)
    integer(bob_event_id) :: e
    e = 0
    if (.false.) print *, name(1), flags, parameters(1)
  end function

  function no_counter(name, flags) bind(C, name="") result(e)
    character(kind=c_char), intent(in) :: name(*)
    integer(c_int32_t), value :: flags
    integer(bob_event_id) :: e
    e = 0
    if (.false.) print *, name(1), flags
  end function

  function no_when(e, condition) bind(C, name="") result(ok)
    integer(bob_event_id), value :: e
    character(kind=c_char), intent(in) :: condition(*)
    integer(c_int) :: ok
    ok = 0
    if (.false.) print *, e, condition(1)
  end function

  function no_posted(name, to, capacity) bind(C, name="") result(length)
    character(kind=c_char), intent(in) :: name(*)
    type(bob_cluster), intent(inout) :: to
    integer(c_size_t), value :: capacity
    integer(c_size_t) :: length
    length = 0
    if (.false.) print *, name(1), to%rank, capacity
  end function
end module bobbin
"""


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: fortran.py events.h hooks.h bobbin.f90")
    with open(sys.argv[1], encoding="utf-8") as events:
        with open(sys.argv[2], encoding="utf-8") as hooks:
            text = module(events.read(), hooks.read())
    with open(sys.argv[3], "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    main()
