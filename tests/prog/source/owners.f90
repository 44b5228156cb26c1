! SPDX-License-Identifier: BSD-3-Clause
! Objects with procedures; allocatable and pointer components: test_instrument_components.py.
module owners
  implicit none
  type base
    integer, allocatable :: k(:)
  contains
    procedure :: init
  end type
  type, extends(base) :: more
    real(8), allocatable :: x(:)
  contains
    procedure :: fill
  end type
  type node
    integer :: n = 0
    type(node), pointer :: next => null()
    integer, allocatable :: v(:)
  end type
contains
  subroutine init(self, n)
    class(base), intent(inout) :: self
    integer, intent(in) :: n
    if (allocated(self%k)) deallocate(self%k)
    allocate(self%k(n))
    self%k(n) = n
  end subroutine
  subroutine fill(this, n)
    class(more), intent(inout) :: this
    integer, intent(in) :: n
    allocate(this%x(n))
    this%x(n) = this%k(n+1)
  end subroutine
end module
program main
  use owners
  type(more) :: o
  type(more), allocatable :: os(:)
  type(node), pointer :: head, p
  integer :: i
  call o%init(3)
  call o%fill(2)
  call o%init(2)
  o%k(1) = 1
  allocate(os(0:2))
  call os(2)%init(2)
  os(2)%k(1) = o%k(2)
  os(1) = o
  os(1)%k(2) = 5
  os(1)%x(2) = os(1)%k(2)
  deallocate(os)
  allocate(head)
  head%n = 7
  do i = 1, 3
    allocate(p)
    p%next => head%next
    head%next => p
    allocate(p%v(i))
    p%v(i) = i
  end do
  p => head%next
  do while (associated(p))
    p%v(1) = p%v(1) + p%n
    head%next => p%next
    deallocate(p)
    p => head%next
  end do
  allocate(p)
  allocate(p%v(2))
  p%v(1) = 2
  head%next => p
  p%v(2) = 2
  print '(4i4,f5.1)', o%k, head%n, head%next%v(2), o%x(2)
end program
