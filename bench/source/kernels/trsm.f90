! SPDX-License-Identifier: BSD-3-Clause
! X with A X = B, A an upper triangle, in place of B: the loops of BLAS DTRSM (left). trsm TIMES
program trsm
  implicit none
  integer, parameter :: n = 200
  double precision :: a(n, n), b(n, n)
  common /systems/ a, b
  integer :: i, j, time, times
  character(len=20) :: text
  call get_command_argument(1, text)
  read (text, *) times
  do j = 1, n
     do i = 1, n
        a(i, j) = 1d-3*mod(i + 2*j, 7)
        b(i, j) = mod(3*i + j, 5)
     end do
     a(j, j) = 1
  end do
  do time = 1, times
     call solve
  end do
  print *, b(n/2, n/2)
end program

subroutine solve
  implicit none
  integer, parameter :: n = 200
  double precision :: a(n, n), b(n, n)
  common /systems/ a, b
  integer :: i, j, k
  do j = 1, n
     do k = n, 1, -1
        if (b(k, j) /= 0) then
           b(k, j) = b(k, j)/a(k, k)
           do i = 1, k - 1
              b(i, j) = b(i, j) - b(k, j)*a(i, k)
           end do
        end if
     end do
  end do
end subroutine
