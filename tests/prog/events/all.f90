! SPDX-License-Identifier: BSD-3-Clause
! Events of a Fortran program, and what it says of them (say.h). argv: folder, rounds.
program all
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use bobbin
  implicit none
  integer(bob_event_id) :: step, leaf, note, bare, residual, nowhere, deep
  character(len=512) :: folder, text
  character(len=12) :: file
  character(len=1100), save :: long
  integer :: out, i, j, rounds

  call get_command_argument(1, folder)
  call get_command_argument(2, text)
  read (text, *) rounds
  open (newunit=out, file=trim(folder) // "/0", status="new", action="write", recl=4000)
  step = bob_event_register("step", parameters="int n, string file -> int cells, double x")
  leaf = bob_event_register("leaf", 0, "int a, double x")
  note = bob_event_register("note", parameters="string before -> string after")
  bare = bob_event_register("bare")
  residual = bob_counter_register("residual")
  nowhere = bob_event_register("inner", bob_event_no_signature)
  deep = bob_event_register("deep", parameters="int n")
  if (bob_event_register("bad", parameters="float x") /= 0) stop 3
  if (bob_event_register("step", parameters="int n") /= 0) stop 4

  do i = 1, rounds
    write (file, "('mesh ', i0)") i
    call say("B step", int(i, int64), text=file)
    call bob_event_begin(step, 2, [bob_int(i), bob_text(file)])
    do j = 1, 2
      call say("B leaf", int(j, int64), half(j))
      call bob_event_begin(leaf, 2, [bob_int(int(j, int64)), bob_real(j + 0.5)])
      call bob_event_end(leaf)
      call say("E leaf")
    end do
    call say("I residual", x=half(-i))
    call bob_counter_set(residual, -i + 0.5_real64)
    call bob_event_end(step, 2, [bob_int(-i), bob_real(i + 0.5_real64)])
    call say("E step", int(-i, int64), half(i))
    call say("I bare")
    call bob_event_instant(bare)
    call say("I inner")
    call bob_event_instant(nowhere)
    call recurse(mod(i, 4))
  end do
  long = repeat("x", 1100)
  call say("B note", text=long(:1024))
  call bob_event_begin(note, 1, [bob_text(long)])
  call bob_event_end(note, 1, [bob_text(file)])
  call say("E note", text=file)
  print *, "done", step > 0 .eqv. residual > 0
contains
  recursive subroutine recurse(n)
    integer, intent(in) :: n

    call say("B deep", int(n, int64))
    call bob_event_begin(deep, 1, [bob_int(n)])
    if (n > 0) call recurse(n - 1)
    call bob_event_end(deep)
    call say("E deep")
  end subroutine

  ! Of -12: -11.5
  function half(n) result(x)
    integer, intent(in) :: n
    character(len=16) :: x

    write (x, "(i0, '.5')") merge(n, n + 1, n >= 0)
    if (n == -1) x = "-0.5"
  end function

  subroutine say(what, n, x, text)
    character(len=*), intent(in) :: what
    integer(int64), intent(in), optional :: n
    character(len=*), intent(in), optional :: x, text
    character(len=20) :: number

    write (out, "(a)", advance="no") what
    if (present(n)) then
      write (number, "(i0)") n
      write (out, "(a)", advance="no") achar(9) // trim(number)
    end if
    if (present(x)) write (out, "(a)", advance="no") achar(9) // trim(x)
    if (present(text)) write (out, "(a)", advance="no") achar(9) // '"' // trim(text) // '"'
    write (out, *)
    flush (out)
  end subroutine
end program
