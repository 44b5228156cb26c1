! Functions in expressions and subscripts: each is called as often as the program says, and no more.
program functions
  implicit none
  integer :: a(4) = [1, 2, 3, 4], calls = 0, i
  real :: t
  real, external :: half
  integer :: twice, x
  twice(x) = 2 * x + nothing(x)
  a(pick(2)) = a(pick(1)) + pick(3)
  do i = 1, 2
    a(i) = pick(i) + pick(i + 1) * int(half(4.0))
  end do
  call take(a(pick(3)), pick(4), pick(pick(1)))
  t = half(3.0)
  print *, a, pick(1), t, twice(3)
  if (pick(2) > 1 .and. pick(3) > 1) a(4) = 0
  print *, a, calls
contains
  integer function pick(n)
    integer, intent(in) :: n
    calls = calls + 1
    pick = n
  end function
  integer function nothing(n)
    integer, intent(in) :: n
    nothing = 0 * n
  end function
  subroutine take(p, q, r)
    integer, intent(inout) :: p
    integer, intent(in) :: q, r
    p = p + q + r
  end subroutine
end program

real function half(x)
  real, intent(in) :: x
  half = x / 2
end function
