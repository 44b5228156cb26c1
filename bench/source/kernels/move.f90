! SPDX-License-Identifier: BSD-3-Clause
! The path of a point in space: N movements, each a random rotation and a step; all places are
! kept. move TIMES
program movements
  implicit none
  integer, parameter :: n = 200
  double precision :: turn(3, 3, n), step(3, n), place(3, 0:n)
  common /way/ turn, step, place
  integer :: m, time, times
  character(len=20) :: text
  call get_command_argument(1, text)
  read (text, *) times
  do m = 1, n
     call prepare(m)
  end do
  place(:, 0) = [1, 0, 0]
  do time = 1, times
     call move
  end do
  print '(3f12.8)', place(:, n)
end program

double precision function next()
  integer, save :: seed = 12345
  seed = mod(seed*221 + 2113, 65536)
  next = seed/65536.0d0
end function

! Rodrigues: around an axis by an angle.
subroutine prepare(m)
  implicit none
  integer, parameter :: n = 200
  double precision :: turn(3, 3, n), step(3, n), place(3, 0:n)
  common /way/ turn, step, place
  integer :: m, i, j, k
  double precision :: v(3), angle, c, s, next
  external next
  angle = 6.28318530717958648d0*next()
  c = cos(angle)
  s = sin(angle)
  do i = 1, 3
     v(i) = next() - 0.5d0
     step(i, m) = next() - 0.5d0
  end do
  v = v/sqrt(sum(v**2))
  do i = 1, 3
     do j = 1, 3
        turn(j, i, m) = (1 - c)*v(i)*v(j)
     end do
     turn(i, i, m) = turn(i, i, m) + c
  end do
  do i = 1, 3
     j = mod(i, 3) + 1
     k = mod(j, 3) + 1
     turn(k, j, m) = turn(k, j, m) - s*v(i)
     turn(j, k, m) = turn(j, k, m) + s*v(i)
  end do
end subroutine

subroutine move
  implicit none
  integer, parameter :: n = 200
  double precision :: turn(3, 3, n), step(3, n), place(3, 0:n)
  common /way/ turn, step, place
  integer :: m, i, j
  do m = 1, n
     do i = 1, 3
        place(i, m) = step(i, m)
        do j = 1, 3
           place(i, m) = place(i, m) + turn(j, i, m)*place(j, m - 1)
        end do
     end do
  end do
end subroutine
