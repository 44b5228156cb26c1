! Objects: variables of types with own and inherited procedures, passed by type-bound calls, generic
! names and operators. Prints their contents.
module counters
  implicit none
  type counter
    integer :: n = 0
    integer :: last(2) = 0
  contains
    procedure :: add => add_to
    procedure :: clear
    procedure, nopass :: twice
    generic :: put => add, clear
  end type counter
  type, extends(counter) :: named
    type(counter) :: inner
  end type named
  interface operator(+)
    module procedure sum_of
  end interface
  interface bump
    module procedure bump_one, bump_all
  end interface
contains
  subroutine add_to(this, k)
    class(counter), intent(inout) :: this
    integer, intent(in) :: k
    this%n = this%n + k
    this%last(2) = this%last(1)
    this%last(1) = k
  end subroutine add_to
  pure subroutine clear(it)
    class(counter), intent(inout) :: it
    it%n = 0
  end subroutine clear
  integer function twice(k)
    integer, intent(in) :: k(:)
    twice = 2 * k(1)
  end function twice
  type(counter) function sum_of(a, b)
    type(counter), intent(in) :: a, b
    sum_of%n = a%n + b%n
  end function sum_of
  subroutine bump_one(k)
    integer, intent(inout) :: k
    k = k + 1
  end subroutine bump_one
  subroutine bump_all(k)
    integer, intent(inout) :: k(:)
    k(2) = k(2) + 1
  end subroutine bump_all
end module counters

program objects
  use counters
  implicit none
  type(counter) :: a, b(3), c
  type(counter), allocatable :: h(:)
  type(named) :: w
  integer :: k(2) = [4, 5]
  call a%add(k(1))
  call b(2)%add(2)
  call a%put()
  call w%put(3)
  call w%inner%add(1)
  allocate (h(0:1))
  call h(1)%add(6)
  h(0)%n = a%twice(k)
  call bump(k)
  call bump(k(1))
  c = a + b(2)
  w%inner = c
  call some(b(1:3:2))
  print *, a%n, b%n, c%n, h%n, w%n, w%inner%n, k
  deallocate (h)
contains
  subroutine some(x)
    type(counter) :: x(:)
    x(2)%n = 9
  end subroutine some
end program objects
