! SPDX-License-Identifier: BSD-3-Clause
! Events after calls in which a jump (left_out.c) left a hooked function: it has ended by then.
program left
  use bobbin
  implicit none
  external :: leave
  integer(bob_event_id) :: bare, step, count
  integer :: i, total
  total = 0
  bare = bob_event_register("bare")
  step = bob_event_register("step", parameters="int n -> int total")
  count = bob_counter_register("count")
  do i = 1, 5
    call leave(i, total)
    call bob_event_begin(bare)
    call leave(i, total)
    call bob_event_end(bare)
    call leave(i, total)
    call bob_event_instant(bare)
    call leave(i, total)
    call bob_event_begin(step, 1, [bob_int(i)])
    call leave(i, total)
    call bob_event_end(step, 1, [bob_int(total)])
    call leave(i, total)
    call bob_event_instant(step, 1, [bob_int(i)])
    call leave(i, total)
    call bob_counter_set(count, 1d0)
  end do
  print '(i0)', total
end program
