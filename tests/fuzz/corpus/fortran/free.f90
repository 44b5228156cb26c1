module m
  use iso_c_binding, only: c_int, r => c_double
  implicit none
  integer, parameter :: n = 10, k = selected_real_kind(12)
  type, extends(base) :: t
    real(r), allocatable :: v(:,:)
    type(t), pointer :: next => null()
  contains
    procedure :: get => get_t
  end type t
contains
  pure elemental function f(x) result(y)
    real(r), intent(in) :: x; real(r) :: y
    y = x * 2 & ! why
      & + len("a & b")
  end function
  subroutine s(a, o)
    class(t), intent(inout) :: a(:)
    type(t), optional, target :: o
    outer: do i = 1, size(a)
      if (.not. allocated(a(i)%v)) cycle outer
      where (a(i)%v > 0) a(i)%v = -a(i)%v
      !$omp atomic
      a(i)%v(1, 2:) = [(j*1.0_r, j = 1, 3)] + f(a(i)%v(:, 1))
      a(i)%next => o
      select case (i)
      case (1:3); call p(a(i), x=o)
      case default; continue
      end select
    end do outer
#ifdef DEBUG
    print '(a)', 'it''s ' // &
      "here"
#endif
    read (5, *, iostat=i, end=10) (a(i)%v(1, 1), i = 1, 2)
10  continue
  end subroutine s
end module m
