! SPDX-License-Identifier: BSD-3-Clause
! Loop bounds are components of objects that the loops write; test_instrument_components.py counts.
module bounds
  implicit none
  type field
    integer :: n = 4, next(4) = [2, 3, 4, 1]
    real(8), allocatable :: v(:,:)
    integer, allocatable :: k(:)
    integer, pointer :: p(:) => null()
  end type
contains
  subroutine fill(x)
    type(field), intent(inout), target :: x
    integer :: i, j
    do j = 1, x%n
      do i = 1, x%n
        x%v(i,j) = i + j
      end do
    end do
    do i = 1, x%n
      x%k(i) = i
    end do
    do i = 1, x%n
      x%v(x%next(2),i) = x%v(i,1)
    end do
    do i = 1, 3
      x%next(i) = x%next(i) + 1
      x%v(x%next(2),i) = 0
    end do
    do i = 1, 3
      x%p(i) = 2
      x%v(x%next(2),i) = 0
    end do
  end subroutine
end module
program main
  use bounds
  type(field), target :: f
  allocate(f%v(4,4), f%k(4))
  f%p => f%next(1:3)
  call fill(f)
  print '(8f5.1)', f%v
  print *, f%k, f%next
end program
