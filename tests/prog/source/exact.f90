! Order and evaluation in expressions: test_instrument_exact.py has the expected records, by hand.
module shared
  implicit none
  integer :: n = 0, a(8) = [1, 2, 3, 4, 5, 6, 7, 8], idx(4) = [3, 1, 2, 4]
contains
  integer function bump(by)
    integer, intent(in) :: by
    n = n + by
    bump = n
  end function
  subroutine add(p, q)
    integer, intent(inout) :: p
    integer, intent(in) :: q
    p = p + q
  end subroutine
  logical function odd(p)
    integer, intent(in) :: p
    odd = mod(p, 2) == 1
  end function
end module

program exact
  use shared
  implicit none
  type point
    real(8) :: x(2)
    integer(8) :: k
  end type
  type(point) :: t(2)
  integer :: b(8), i
  logical :: l(4)
  complex :: z(2)
  character(len=3) :: c(2)
  b = 0; l = .true.; z = (1.0, 2.0); c = ['abc', 'def']
  t(1) = point([1d0, 2d0], 3); t(2) = t(1)
  b(2) = a(1) + bump(2) * a(3)
  a(bump(1)) = 7
  b(1) = a(bump(1)) + a(bump(-3))
  idx(idx(1)) = 4
  i = 5
  if (i <= 4 .and. l(i - 1)) b(1) = 0
  if (i > 4 .or. l(i - 1)) b(3) = a(2)
  if (odd(a(1)) .and. .not. l(1)) then
    b(4) = 1
  else if (a(bump(1)) > 90) then
    b(4) = 2
  else if (a(idx(2)) > 0 .and. l(2)) then
    b(4) = 3
  end if
  do while (a(bump(1)) < 100)
    if (n > 2) exit
  end do
  call add(a(idx(2)), a(6) + 1)
  print *, c(idx(2))//'x', (a(i) + bump(1), i = 2, 3)
  select case (a(bump(-2)))
  case (1:9)
    t(2)%x(idx(2)) = t(1)%x(2) + real(z(1) * z(2), 8)
  end select
  t(1)%k = t(2)%k + a(2)
  c(1)(bump(0):3) = c(2)(idx(2):2)
  do i = idx(2), a(2), bump(-1)
    b(i) = merge(a(i), a(i + 1), l(i))
  end do
  l(1) = a(1) > a(2) .neqv. l(2)
  print *, a, b, idx, n, l, t(1)%k, t(2)%x, c
  b(1) = most(1, 2)
contains
  integer function most(p, q, r)
    integer, intent(in) :: p, q
    integer, intent(in), optional :: r
    most = max(p, q, r)
  end function
end program
