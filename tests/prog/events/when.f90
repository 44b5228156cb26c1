! An event of which those are recorded that begin with more than 3.
program conditions
  use bobbin
  implicit none
  integer(bob_event_id) :: e
  integer :: n
  logical :: is_so
  e = bob_event_register("e", parameters="int n")
  is_so = bob_event_when(e, "n > 3")
  do n = 1, 10
    call bob_event_begin(e, 1, [bob_int(n)])
    call bob_event_end(e)
  end do
  print '(l1)', is_so
end program
