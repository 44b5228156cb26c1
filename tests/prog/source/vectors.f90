! Subscripts that are arrays.
program main
  implicit none
  integer :: idx(0:2), jdx(2), k, kdx(3) = [2, 3, 1]
  real :: a(6), b(4, 5), c(3)
  character(3) :: line = '1 2'
  idx = [5, 1, 3]
  jdx = [2, 4]
  k = 2
  a = 1
  b = 2
  c = a(idx)
  a(idx) = c + 1
  b(k, idx) = a(idx)
  b(jdx, idx) = 7
  c(1:2) = b(jdx, k)
  if (k == 2 .and. a(1) > 0) a(jdx) = 0
  print *, a(idx), c
  read (line, *) a(jdx)
  if (k == 3) print *, a(idx(0:1)), b(jdx + 1, 1)
  b(jdx, jdx(1)) = 5
  b(jdx, jdx) = 6
  kdx(kdx) = 4
  where (c > 100) c = a(idx)
  print *, a
end program
