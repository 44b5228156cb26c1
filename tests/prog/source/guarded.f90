! What .and. keeps from being looked up must not be looked up for a probe. Prints how often.
program guarded
  implicit none
  type list
    integer, allocatable :: v(:)
    type(list), pointer :: next => null()
  end type list
  type(list), target :: first
  type(list), pointer :: p
  integer :: a(3), map(3), i, n
  a = [1, 2, 3]
  map = [3, 2, 1]
  allocate (first%v(2))
  first%v = 1
  p => first
  n = 0
  do i = 1, 3
    if (i <= 2 .and. a(i) > 1) n = n + 1
    if (i <= 2 .and. a(map(i)) > 1) n = n + 1
    if (associated(p) .and. p%v(1) > 0) n = n + 1
  end do
  print *, n
end program guarded
