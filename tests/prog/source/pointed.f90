! Pointers as arguments: components, nested components, arguments, function results, parts of
! targets. Each place stores to its own element: of T 1, 2, 3, ..., then of D and C.
module pointed
  implicit none
  type box
    real(8), pointer :: p(:) => null()
  end type
  type boxes
    type(box) :: b(2)
  end type
  type pair
    real(8) :: x = 0, y = 0
  end type
contains
  subroutine first_of(q)
    real(8) :: q(:)
    q(1) = 1
  end subroutine
  subroutine last_of(q, n)
    integer :: n
    real(8) :: q(n)
    q(n) = 1
  end subroutine
  subroutine third_of(b)
    type(box) :: b
    b%p(3) = 1
    call first_of(b%p(4:))
  end subroutine
  subroutine point(q, at)
    real(8), pointer :: q(:)
    real(8), target :: at(:)
    q => at
  end subroutine
  function following(b, n) result(q)
    type(box) :: b
    integer :: n
    real(8), pointer :: q(:)
    q => b%p(n:)
  end function
  subroutine given(q)
    real(8) :: q(:)
    q(1) = 1
  end subroutine
  real(8) function gives(q)
    real(8) :: q(:)
    q(6) = 1
    gives = 1
  end function
end module

program main
  use pointed
  implicit none
  real(8), target :: t(9)
  type(pair), target :: d(3)
  complex(8), target :: c(3)
  real(8), pointer :: z(:), part(:)
  real(8) :: one
  type(box) :: keep
  type(boxes) :: more
  keep%p => t
  keep%p(1) = 1
  call first_of(keep%p(2:))
  call third_of(keep)
  more%b(2)%p => t
  call last_of(more%b(2)%p(2:), 4)
  one = gives(more%b(2)%p)
  call point(z, t)
  z(7) = one
  call first_of(z(8:))
  call given(following(keep, 9))
  part => d%y
  part(2) = 2
  part => c%im
  part(3) = 3
  print '(11f3.0)', t, d(2)%y, part(3)
end program
