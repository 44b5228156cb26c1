! Loops: allocatables, pointers, assumed shapes, components, sections, long counters. Prints sums.
module kept
  implicit none
  type point
    real(8) :: at(3) = 1
    integer :: n = 2
  end type point
  type list
    real(8), allocatable :: at(:)
  end type list
  real(8), allocatable :: grid(:, :)
  type(point), target :: points(5)
contains
  subroutine smooth(to, from, low)
    real(8), intent(out) :: to(:, :)
    real(8), intent(in) :: from(0:, :)
    integer, intent(in) :: low
    integer :: i, j
    do j = low, ubound(to, 2)
      do i = low, size(to, 1)
        to(i, j) = (from(i - 1, j) + from(i + 1, j)) / 2
      end do
    end do
  end subroutine smooth

  recursive subroutine turn(depth)
    integer, intent(in) :: depth
    real(8) :: own(4)
    integer :: i
    do i = 4, 1, -1
      own(i) = depth + i
    end do
    if (depth > 0) call turn(depth - 1)
    do i = 1, 3, 2
      own(i) = own(i) + own(i + 1)
    end do
    if (own(1) < 0) print *, own
  end subroutine turn
end module kept

program loops
  use kept
  implicit none
  integer, parameter :: n = 6
  integer(8) :: i
  integer(2) :: j
  integer :: k, m, step
  real(8), target :: a(n, n)
  real(8), pointer :: p(:, :), q(:)
  real(8) :: total
  type(list) :: lists(2)
  m = 3
  step = 2
  do j = 1, n
    do i = 1, n
      a(i, j) = i + j
    end do
  end do
  allocate (grid(0:n, n))
  p => a(::2, n:1:-1)
  do k = 1, m
    do j = 1_2, 2_2
      p(k, j) = p(k, j + 1) + a(2*k - 1, 4)
    end do
  end do
  do i = 0, n ! a row of each; what is between is not traced
    total = 0
    do k = 1, n
      grid(i, k) = k
      total = total + grid(i, k)
    end do
    if (total > 1e9) total = 0
  end do
  call smooth(p, grid, 1)
  call smooth(grid(:3, 2:5), a, 1)
  q => points(2)%at
  do k = 1, 5
    do m = 1, 3, step
      points(k)%at(m) = points(k)%at(m) + points(6 - k)%at(4 - m)
    end do
  end do
  m = 3
  do k = 1, 2
    allocate (lists(k)%at(4))
  end do
  do k = 1, 2 ! each has its own place
    do m = 1, 4
      lists(k)%at(m) = m
    end do
  end do
  call turn(2)
  do k = n, n ! one trip: the next would be outside
    total = total + a(k, k)
  end do
  do k = 1, n
    a(:, k) = grid(1:, k) + a(k, :)
  end do
  grid = grid * 2
  print '(8f10.3)', total, a(2, 3), grid(0, 2), points(3)%at, lists(2)%at(3), sum(a)
end program loops
