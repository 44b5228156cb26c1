! Variables of a module, of COMMON and of a procedure, accessed several times. Prints their sum.
module grid
  real(8) :: x(100) = 0
  integer :: n = 40
end module grid

subroutine work(k)
  use grid
  implicit none
  integer, intent(in) :: k
  integer, save :: last(40) = 0
  real(8) :: y(100)
  common /blk/ y
  integer :: i
  do i = 1, n
    x(i) = i * k
    y(i) = y(i) + x(i)
    last(i) = last(41 - i) + k
  end do
  n = n + merge(0, 1, last(1) > 0)
end subroutine work

program mem_only
  use grid
  implicit none
  real(8) :: y(100)
  common /blk/ y
  integer :: k
  y = 0
  do k = 1, 20
    call work(k)
  end do
  print *, sum(x), sum(y), n
end program mem_only
