! SPDX-License-Identifier: BSD-3-Clause
! Hooked procedures of Fortran: arrays, strings, functions in functions, recursion.
module h_mod
  implicit none
contains
  recursive function h_fib(n) result(r)
    integer, intent(in) :: n
    integer :: r
    if (n < 2) then
      r = n
    else
      r = h_fib(n - 1) + h_fib(n - 2)
    end if
  end function

  subroutine h_scale(a, x)
    real(8), intent(inout) :: a(:, :)
    real(8), intent(in) :: x
    a = a * x
  end subroutine

  function h_text(s) result(r)
    character(*), intent(in) :: s
    character(len(s) + 1) :: r
    r = s // '!'
  end function

  function h_vector(n) result(v)
    integer, intent(in) :: n
    real(8) :: v(n)
    integer :: i
    v = [(h_square(i), i=1, n)]
  contains
    function h_square(k) result(q)
      integer, intent(in) :: k
      real(8) :: q
      q = dble(k) * k + n
    end function
  end function
end module

program main
  use h_mod
  implicit none
  real(8) :: a(4, 5)
  a = 1.5d0
  call h_scale(a(1:3:2, :), 2d0)
  print '(i0, 2f10.4, 1x, a)', h_fib(12), sum(a), sum(h_vector(10)), h_text('text')
  stop 6
end program
