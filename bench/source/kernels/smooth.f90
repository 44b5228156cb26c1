! SPDX-License-Identifier: BSD-3-Clause
! Smoothing of an N x N array: the mean of each element and its four neighbours. smooth STEPS
program smoothing
  implicit none
  integer, parameter :: n = 200
  double precision :: a(n, n), b(n, n), total
  common /fields/ a, b
  integer :: i, j, step, steps
  character(len=20) :: text
  call get_command_argument(1, text)
  read (text, *) steps
  do j = 1, n
     do i = 1, n
        a(i, j) = mod((i - 1)*13 + (j - 1)*7, 101)
     end do
  end do
  do step = 1, steps
     call smooth
  end do
  total = 0
  do i = 1, n
     total = total + a(i, i)
  end do
  print '(f0.9)', total
end program

subroutine smooth
  implicit none
  integer, parameter :: n = 200
  double precision :: a(n, n), b(n, n)
  common /fields/ a, b
  integer :: i, j
  do j = 2, n - 1
     do i = 2, n - 1
        b(i, j) = (a(i, j) + a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))/5
     end do
  end do
  do j = 2, n - 1
     do i = 2, n - 1
        a(i, j) = b(i, j)
     end do
  end do
end subroutine
