! SPDX-License-Identifier: BSD-3-Clause
! A triangular solve whose accesses are known: the test works them out from n, which is 30.
program mem_solve
  implicit none
  integer, parameter :: n = 30
  real(8), volatile :: l(n, n), x(n), b(n)
  common /arrays/ l, x, b
  character(200) :: path
  integer :: i, j
  do i = 1, n
    do j = 1, n
      l(i, j) = i + j
    end do
    b(i) = i
  end do
  call get_environment_variable("BOB_LOG", path)
  open (7, file=trim(path))
  write (7, '(i0)') loc(l), loc(x), loc(b)
  close (7)
  call solve()
  print '(a)', "ok"
contains
  subroutine solve()
    real(8) :: s
    do i = 1, n
      s = b(i)
      do j = 1, i - 1
        s = s - l(i, j) * x(j)
      end do
      x(i) = s / l(i, i)
    end do
  end subroutine
end program
