! SPDX-License-Identifier: BSD-3-Clause
! The textbook matrix product of N x N. matmul TIMES
program product
  implicit none
  integer, parameter :: n = 200
  double precision :: a(n, n), b(n, n), c(n, n), total
  common /matrices/ a, b, c
  integer :: i, j, time, times
  character(len=20) :: text
  call get_command_argument(1, text)
  read (text, *) times
  do j = 1, n
     do i = 1, n
        a(i, j) = mod(i - 1 + 2*(j - 1), 7)
        b(i, j) = mod(3*(i - 1) + j - 1, 5)
        c(i, j) = 0
     end do
  end do
  do time = 1, times
     call multiply
  end do
  total = 0
  do i = 1, n
     total = total + c(i, n + 1 - i)
  end do
  print '(f0.6)', total
end program

subroutine multiply
  implicit none
  integer, parameter :: n = 200
  double precision :: a(n, n), b(n, n), c(n, n)
  common /matrices/ a, b, c
  integer :: i, j, k
  do j = 1, n
     do i = 1, n
        do k = 1, n
           c(i, j) = c(i, j) + a(i, k)*b(k, j)
        end do
     end do
  end do
end subroutine
