! SPDX-License-Identifier: BSD-3-Clause
! Procedures that get one of two matrices, the first in one of 20 calls.
! calls TIMES
program calls
  implicit none
  integer, parameter :: n = 200
  double precision :: a(n, n), b(n, n), total
  integer :: order(n), i, j, time, times
  character(len=20) :: text
  call get_command_argument(1, text)
  read (text, *) times
  do j = 1, n
    order(j) = mod(j*37, n) + 1
    do i = 1, n
      a(i, j) = mod(i*j, 17)
      b(i, j) = mod(i + j, 13)
    end do
  end do
  total = 0
  do time = 1, times
    if (mod(time, 20) == 0) then
      call smooth(a)
      call gather(a, total)
    else
      call smooth(b)
      call gather(b, total)
    end if
  end do
  print '(3es24.16)', total, sum(a), sum(b)
contains
  ! loops with one probe
  subroutine smooth(x)
    double precision, intent(inout) :: x(n, n)
    integer :: i, j
    do j = 2, n - 1
      do i = 2, n - 1
        x(i, j) = 0.25d0*(x(i - 1, j) + x(i + 1, j) + x(i, j - 1) + x(i, j + 1))
      end do
    end do
  end subroutine
  ! an access at a time
  subroutine gather(x, s)
    double precision, intent(in) :: x(n, n)
    double precision, intent(inout) :: s
    integer :: i, j
    do j = 1, n
      do i = 1, n
        s = s + x(order(i), order(j))
      end do
    end do
  end subroutine
end program
