! Procedures that are called by other names: arguments, pointers, components, entries, USE.
! Each stores to its own element: the results are 1, 2, 3, ...
module reached
  implicit none
  abstract interface
    subroutine with_array(x)
      real(8) :: x(:)
    end subroutine
  end interface
  type operations
    procedure(with_array), pointer, nopass :: act => null()
  end type
  procedure(with_array), pointer :: first => by_initial
contains
  subroutine by_initial(x)
    real(8) :: x(:)
    x(5) = 1
  end subroutine
  subroutine by_constructor(x)
    real(8) :: x(:)
    x(6) = 1
  end subroutine
  subroutine by_pointer(x)
    real(8) :: x(:)
    x(7) = 1
  end subroutine
  subroutine by_component(x)
    real(8) :: x(:)
    x(8) = 1
  end subroutine
  subroutine by_dummy(x)
    real(8) :: x(:)
    x(9) = 1
  end subroutine
  subroutine by_another_name(x)
    real(8) :: x(:)
    x(10) = 1
  end subroutine
  subroutine called_otherwise(x)
    real(8) :: x(:)
    x(11) = 1
  end subroutine
  subroutine pass_on(act, v)
    procedure(with_array) :: act
    real(8) :: v(:)
    call act(v)
  end subroutine
end module

subroutine work(f, x)
  external f
  real(8) x(11)
  call f(x, 11)
end subroutine

subroutine work_implied(f, x)
  real(8) x(11)
  call f(x, 11)
end subroutine

subroutine work_function(g, x)
  real(8) x(11), g, y
  y = g(11, x)
  if (y /= 2) stop 2
end subroutine

subroutine body(x, n)
  integer n
  real(8) x(n)
  x(1) = 1
end subroutine

subroutine implied(x, n)
  integer n
  real(8) x(n)
  x(2) = 1
end subroutine

real(8) function gives(n, x)
  integer n
  real(8) x(n)
  x(3) = 1
  gives = 2
end function

subroutine never(n)
  integer n
  real(8) x(n)
  n = n + 1
  return
  entry entered(x, n)
  x(4) = 1
end subroutine

program main
  use reached, renamed => by_another_name, named => called_otherwise
  implicit none
  external body, implied, entered
  real(8), external :: gives
  real(8) :: t(11)
  procedure(with_array), pointer :: lp
  type(operations) :: made, set
  call work(body, t)
  call work_implied(implied, t)
  call work_function(gives, t)
  call work(entered, t)
  call first(t)
  made = operations(by_constructor)
  call made%act(t)
  lp => by_pointer
  call lp(t)
  set%act => by_component
  call set%act(t)
  call pass_on(by_dummy, t)
  call pass_on(renamed, t)
  call named(t)
  print '(11f3.0)', t
end program
