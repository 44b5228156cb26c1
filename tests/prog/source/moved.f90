! SPDX-License-Identifier: BSD-3-Clause
! Procedures allocate, free and move their arguments; test_instrument_moved.py has the accesses.
module moving
  implicit none
  interface get
    module procedure get_one, get_two
  end interface
contains
  subroutine setup(z, n)
    real(8), allocatable, intent(inout) :: z(:,:)
    integer, intent(in) :: n
    if (.not. allocated(z)) allocate(z(0:n-1,n))
    z(0,1) = 1
  end subroutine
  subroutine through(a, b)
    real(8), allocatable, intent(inout) :: a(:), b(:)
    call make(n=3, z=b)
    b(3) = 2
    call drop(a)
    call make(a, 5)
    a(5) = 3
  end subroutine
  subroutine make(z, n)
    real(8), allocatable, intent(out) :: z(:)
    integer, intent(in) :: n
    allocate(z(n))
    z(1) = n
  end subroutine
  subroutine drop(z)
    real(8), allocatable, intent(inout) :: z(:)
    if (allocated(z)) deallocate(z)
  end subroutine
  subroutine grow(z, n)
    real(8), allocatable, intent(inout) :: z(:)
    integer, intent(in) :: n
    real(8), allocatable :: t(:)
    allocate(t(n))
    t = 0
    t(1) = z(1)
    call move_alloc(t, z)
    z(n) = 4
  end subroutine
  subroutine assigned(z)
    real(8), allocatable, intent(inout) :: z(:)
    z = [5d0, 6d0, 7d0, 8d0, 9d0, 10d0, 11d0]
    z(7) = z(6)
  end subroutine
  subroutine take(p, n)
    real(8), pointer :: p(:)
    integer, intent(in) :: n
    allocate(p(n))
    p(2) = n
  end subroutine
  subroutine give(p)
    real(8), pointer :: p(:)
    p(2) = 0
    deallocate(p)
  end subroutine
  subroutine get_one(z)
    real(8), allocatable, intent(out) :: z(:)
    allocate(z(2))
  end subroutine
  subroutine get_two(z)
    real(8), allocatable, intent(out) :: z(:,:)
    allocate(z(2,2))
  end subroutine
  subroutine perhaps(z)
    real(8), allocatable, optional, intent(inout) :: z(:)
    if (present(z)) call drop(z)
  end subroutine
  subroutine local(n)
    integer, intent(in) :: n
    real(8), allocatable :: own(:)
    call make(own, n)
    own(2) = n
    if (n > 2) call grow(own, 2 * n)
    own(1) = own(2)
  end subroutine
  pure subroutine quiet(z)
    real(8), allocatable, intent(inout) :: z(:)
    if (allocated(z)) deallocate(z)
    allocate(z(6))
    z(6) = 1
  end subroutine
  subroutine plain(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    x(n) = 7
  end subroutine
end module
program moved
  use moving
  implicit none
  real(8), allocatable :: field(:,:), f(:), g(:), unnamed(:), unlisted(:,:)
  real(8), pointer :: p(:), q(:)
  integer :: i
  nullify(p)
  call setup(field, 4)
  field(1,1) = 2
  call setup(field, 4)
  call setup(unlisted, 4)
  do i = 1, 2
    call through(f, g)
    f(2) = g(1)
  end do
  call drop(f)
  call make(unnamed, 5)
  unnamed(5) = 1
  call perhaps(unnamed)
  call perhaps()
  call grow(g, 8)
  g(2) = 1
  call assigned(g)
  g(1) = g(7)
  call plain(g, 7)
  call get(f)
  f(1) = 1
  if (i == 3) call perhaps(f)
  call make(unnamed, 2)
  unnamed(1) = 9
  call take(p, 4)
  p(1) = 3
  call give(p)
  allocate(p(2:91))
  q => p
  q(3) = p(2)
  deallocate(q)
  call make(unnamed, 90)
  unnamed(7) = 1
  do i = 2, 3
    call local(i)
  end do
  call quiet(f)
  f(1) = f(6)
  nullify(p)
  print *, field(1,1), g(1), f(1)
end program
