! SELECT TYPE: with and without an associate name, derived and intrinsic types, arrays, nested, left
! by EXIT and RETURN. Prints its results.
module selected_of
  implicit none
  type base
    integer :: k = 1
    integer :: v(3) = 0
  end type base
  type, extends(base) :: wide
    real(8) :: w(2) = 0
  end type wide
contains
  subroutine typed(x)
    class(base), intent(inout) :: x
    select type (x)
    type is (base)
      x%v(2) = x%k
    class is (wide)
      x%w(1) = x%k
      if (x%w(1) > 5) return
      x%w = x%w + 1
    end select
  end subroutine typed
  subroutine any_of(x)
    class(*), intent(inout) :: x(:)
    outer: select type (y => x)
    type is (integer)
      y(2) = y(1)
      if (y(2) > 5) exit outer
      y = y + 1
    type is (character(*))
      y(1) = 'abc'
    class is (base)
      select type (z => y(2))
      class is (wide)
        z%w(2) = z%v(3)
      class default
        z%v(1) = 2
      end select
    end select outer
  end subroutine any_of
end module selected_of

program selected
  use selected_of
  implicit none
  type(base) :: a
  type(wide) :: b, c(2)
  integer :: i(2) = [5, 6]
  character(4) :: t(2) = 'xyz'
  call typed(a)
  call typed(b)
  b%k = 6
  call typed(b)
  call any_of(i)
  call any_of(i)
  call any_of(t)
  call any_of(c)
  print *, a%v, b%w, i, t, c(2)%w
end program selected
