! Free form: modules, allocatables, types, sections, DO WHILE, recursion. Prints its results.
module state
  implicit none
  type cell
    integer :: n = 0
    real :: w(3) = 0
  end type cell
  real, allocatable :: grid(:, :)
  type(cell) :: cells(4)
contains
  subroutine fill(n)
    integer, intent(in) :: n
    integer :: i, j
    allocate (grid(0:n, n))
    do j = 1, n
      do i = 0, n
        grid(i, j) = real(i) &
          + j ! a comment in between
      end do
    end do
  end subroutine fill

  recursive subroutine down(depth)
    integer, intent(in) :: depth
    integer :: local(2)
    local(1) = depth
    if (depth > 0) call down(depth - 1)
    local(2) = local(1) + 1
    cells(depth + 1)%n = local(2)
    cells(depth + 1)%w(2) = 0.5
  end subroutine down
end module state

program modern
  use state
  implicit none
  integer :: k
  real :: total
  call fill(3)
  grid(:, 2) = grid(:, 1)
  k = 0
  total = 0
  do while (total < 5 .and. k < 3)
    k = k + 1
    total = total + grid(k, k)
  end do
  call down(2)
  select case (cells(1)%n)
  case (1)
    total = total + 1
  case default
    total = total - 1
  end select
  print *, total, grid(0, 2), cells(3)%n
  deallocate (grid)
end program modern
