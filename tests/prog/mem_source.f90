! SPDX-License-Identifier: BSD-3-Clause
! Known variables: allocatable and fixed arrays of a module, COMMON, explicit and assumed shapes.
module store
  implicit none
  real(8), allocatable :: w(:,:)
  real(8) :: fixed(50)
end module

subroutine kernel(a, b, n)
  use store
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n, n)
  real(8), intent(inout) :: b(:,:)
  integer :: i, j
  real(8) :: x, y(30)
  common /block/ x, y
  do j = 1, n
    do i = 1, n
      b(i, j) = b(i, j) + a(j, i) * w(i, j)
    end do
  end do
  do i = 1, 30
    y(i) = i + x
  end do
  do i = 1, 50
    fixed(i) = fixed(i) + i
  end do
end subroutine

program main
  use store
  implicit none
  interface
    subroutine kernel(a, b, n)
      integer, intent(in) :: n
      real(8), intent(in) :: a(n, n)
      real(8), intent(inout) :: b(:,:)
    end subroutine
  end interface
  real(8), allocatable :: a(:,:), b(:,:)
  integer :: n
  n = 20
  allocate(a(n, n), b(n, n), w(n, n))
  a = 1
  b = 2
  w = 3
  fixed = 0
  call kernel(a, b, n)
  print *, sum(b), fixed(3)
end program
