! Uses a module and procedures of other files, and a COMMON block with other variable names.
program driver
  use field, bounds => limits
  implicit none
  real(8) :: w(n), first, second
  type(cell) :: c(2)
  integer :: i
  common /blk/ first, second
  allocate (grid(n))
  do i = 1, n
    grid(i) = i
    w(i) = 2 * i
  end do
  first = 1
  second = bounds(2)
  call scale(w, n, grid)
  c(2) = cell(1, w(3))
  c(1) = c(2)
  call update(c(1)%value)
  print *, w, grid, first, second, c(1)%value
  deallocate (grid)
end program
