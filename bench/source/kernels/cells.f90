! SPDX-License-Identifier: BSD-3-Clause
! cells N: reallocates the array of one of N cells, 100,000 times; 20,000 calls with a local cell.
module grid
  implicit none
  type cell
    real(8), allocatable :: v(:)
    integer :: n = 0
  end type
  type(cell), allocatable :: c(:)
contains
  subroutine step(x, k)
    type(cell), intent(inout) :: x
    integer, intent(in) :: k
    if (allocated(x%v)) deallocate(x%v)
    allocate(x%v(1 + mod(k, 7)))
    x%v = k
    x%n = x%n + 1
  end subroutine
  real(8) function own(k)
    integer, intent(in) :: k
    type(cell) :: a
    allocate(a%v(3))
    a%v = k
    own = sum(a%v)
  end function
end module
program cells
  use grid
  character(20) :: text
  integer :: i, n, k
  real(8) :: s
  call get_command_argument(1, text)
  read(text, *) n
  allocate(c(n))
  do k = 1, 100000
    i = 1 + mod(k, n)
    call step(c(i), k)
  end do
  s = 0
  do i = 1, 20000
    s = s + own(i)
  end do
  print *, s, sum([(c(i)%n, i = 1, n)])
end program
