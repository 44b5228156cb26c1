! SPDX-License-Identifier: BSD-3-Clause
! Components that are allocatable or pointers; test_instrument_components.py says what is accessed.
module fields
  implicit none
  type part
    real(8), pointer :: p(:) => null()
    integer, allocatable :: one
  end type
  type field
    integer :: n = 0
    real(8), allocatable :: v(:,:)
    type(part) :: in
    real(8), allocatable :: w(:)
  end type
  type grid
    type(field), allocatable :: level(:)
    real(8), pointer :: now(:), old(:)
  end type
  type(field), target :: f
contains
  subroutine make(x, n)
    type(field), intent(inout) :: x
    integer, intent(in) :: n
    allocate(x%v(0:n-1,n))
    x%n = n
    x%v(0,1) = 1
  end subroutine
  subroutine scale(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    a(n) = 2 * a(1)
  end subroutine
  subroutine empty(x)
    type(field), intent(out) :: x
    x%n = 0
  end subroutine
  subroutine grow(a, n)
    real(8), allocatable, intent(inout) :: a(:)
    integer, intent(in) :: n
    if (allocated(a)) deallocate(a)
    allocate(a(n))
    a = 0
  end subroutine
  subroutine local(n)
    integer, intent(in) :: n
    type(field) :: own
    allocate(own%w(n))
    own%w(n) = n
    if (n > 2) own%w = [1d0, 2d0]
    own%w(1) = own%w(2)
  end subroutine
  subroutine swap(g)
    type(grid), intent(inout) :: g
    real(8), pointer :: t(:)
    t => g%old
    g%old => g%now
    g%now => t
  end subroutine
end module
program main
  use fields
  type(grid) :: g
  type(field) :: h
  real(8), allocatable :: t(:)
  real(8), target :: there(4)
  integer :: k
  call make(f, 3)
  f%v(2,3) = f%v(0,1)
  do k = 0, 2
    f%v(k,2) = k
  end do
  call scale(f%v, 9)
  f%w = [1d0, 2d0, 3d0]
  f%w(2) = f%w(3)
  f%w = f%w(1:2)
  call move_alloc(f%w, t)
  t(1) = 7
  call move_alloc(t, f%w)
  f%w(2) = 5
  call grow(f%w, 4)
  f%w(4) = 1
  allocate(f%in%one)
  f%in%one = 3
  f%in%p => there
  f%in%p(2) = 1
  there(3) = 1
  f%in%p => f%w
  f%in%p(1) = 3
  h = f
  h%v(1,1) = h%w(4)
  deallocate(f%v)
  call make(f, 2)
  associate (x => f%v)
    x(1,2) = 4
  end associate
  call empty(f)
  allocate(f%v(1,1))
  f%v = 6
  allocate(g%level(2))
  do k = 1, 2
    call make(g%level(k), k)
  end do
  g%level(2)%v(1,2) = g%level(1)%v(0,1)
  g%level(1) = g%level(2)
  g%level(1)%v(1,1) = 2
  allocate(g%now(2), g%old(3))
  g%now(1) = 0
  call swap(g)
  g%now(3) = 0
  g%old(2) = 1
  deallocate(g%now, g%old)
  deallocate(g%level)
  call local(2)
  call local(3)
  print '(9f6.1)', f%v, h%v(1,1), there(2:3)
end program
