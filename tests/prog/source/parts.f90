! Components of arrays: pointer, allocatable, polymorphic, nested; as a mask. Prints sums.
module parts_of
  implicit none
  type point
    integer :: k = 0
    integer :: n = 0
    logical :: is = .false.
  end type point
  type holder
    type(point), allocatable :: of(:)
  end type holder
contains
  subroutine through(c, p)
    class(point), pointer :: c(:)
    type(point) :: p(:)
    c%k = 2
    if (any(c%k /= 2)) stop 1
    p%n = p%k + c%n
  end subroutine through
end module parts_of

program parts
  use parts_of
  implicit none
  type(point), allocatable :: a(:)
  type(point), pointer :: p(:, :)
  class(point), pointer :: c(:)
  type(point), target :: t(3)
  type(holder) :: h
  integer :: b(3)
  allocate (a(3), p(2, 2), h%of(2))
  a%k = [1, 2, 3]
  a%n = a%k * 2
  p%n = 4
  h%of%n = 5
  b = 0
  a%is = a%n > 2
  where (a%is) b = a%k
  c => t
  call through(c, a)
  print *, a%k, a%n, p%n, h%of%n, b, t%k
  deallocate (a, p, h%of)
end program parts
