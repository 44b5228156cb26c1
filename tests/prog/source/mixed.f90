! SPDX-License-Identifier: BSD-3-Clause
! Components next to polymorphic ones, deferred-length text and procedure pointers; ASSOCIATE, WHERE
! and FORALL. test_instrument_components.py has the expected accesses.
module mixed
  implicit none
  type base
    character(:), allocatable :: name
    real(8), allocatable :: v(:,:)
    class(*), allocatable :: any
    procedure(go), pointer, nopass :: f => null()
    real(8), pointer :: p(:) => null()
  end type
  type(base), target :: b
  type(base) :: l(3)
contains
  subroutine go(x)
    type(base), intent(inout) :: x
    x%v(1,1) = x%v(2,1)
  end subroutine
end module
program main
  use mixed
  type(base) :: c
  integer :: i, k
  k = 2
  b%name = 'abc'
  b%f => go
  allocate(b%v(2,2), l(2)%v(2,2))
  b%v = 1
  call b%f(b)
  c = b
  c%v(1,1) = len(c%name)
  l(2)%v = 1
  b%p => b%v(:,2)
  associate (s => b%v(:,2), w => b%v, x => l(k), y => l(k)%v, z => l(k)%v(1,:), q => b%p(2:2))
    s(1) = 3
    w(2,1) = s(2)
    x%v(1,1) = 2
    y(2,1) = 3
    z(2) = y(2,2)
    q(1) = 4
  end associate
  b%v(:,1) = b%p
  where (b%v > 3) b%v = 2
  forall (i=1:2) b%v(i,i) = 9
  do concurrent (i=1:2)
    b%v(i,2) = i
  end do
  print '(8f5.1,2a4)', b%v, c%v, b%name, c%name
end program
