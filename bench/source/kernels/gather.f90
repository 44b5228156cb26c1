! SPDX-License-Identifier: BSD-3-Clause
! A sparse matrix times a vector, whose elements come in irregular order. gather TIMES
program gather
  implicit none
  integer, parameter :: n = 200, width = 20
  double precision :: x(n*n), y(n*n/width), value(n*n)
  integer :: at(n*n)
  common /vectors/ x, y, value, at
  integer :: k, time, times, seed
  character(len=20) :: text
  call get_command_argument(1, text)
  read (text, *) times
  seed = 12345
  do k = 1, n*n
     seed = mod(seed*221 + 2113, 65536)
     x(k) = mod(k - 1, 7)
     at(k) = 1 + mod(seed*7 + k, n*n)
     value(k) = mod(k - 1, 3)
  end do
  do time = 1, times
     call multiply
  end do
  print '(f0.6)', y(n/2)
end program

subroutine multiply
  implicit none
  integer, parameter :: n = 200, width = 20
  double precision :: x(n*n), y(n*n/width), value(n*n)
  integer :: at(n*n)
  common /vectors/ x, y, value, at
  integer :: i, k
  do i = 1, n*n/width
     y(i) = 0
     do k = (i - 1)*width + 1, i*width
        y(i) = y(i) + value(k)*x(at(k))
     end do
  end do
end subroutine
