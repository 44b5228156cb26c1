! SPDX-License-Identifier: BSD-3-Clause
! Costs of probes: irregular addresses (one probe for each), short rows of nests; and additional
! costs of single probes: turns, ends of loops, irregular addresses. probe WHAT TIMES
module cells
  implicit none
  integer, parameter :: n = 2000
  integer, parameter :: width = 8
  integer :: wide = width ! a row's length that the text does not say: nothing is laid out
  double precision :: x(n), y(width, n/width), z(width, n/width)
  integer :: at(n)
  integer, parameter :: many_n = 40000, short = 3
  double precision :: many(many_n), half(many_n), in_turn(n, 4), total
  double precision :: alone(n/short), to(short, n/short), from(short, n/short), by(short, n/short)
  double precision :: cube(short, short, n/short)
  integer :: order(many_n), seed = 12345
contains
  integer function next()
    seed = int(iand(int(seed, 8)*1103515245_8 + 12345_8, 2147483647_8))
    next = mod(seed/256, many_n) + 1
  end function

  subroutine turns
    integer :: i
    do i = 1, n
       in_turn(i, 1) = in_turn(i, 2) + in_turn(i, 3)*in_turn(i, 4)
    end do
  end subroutine

  ! something comes between the short loops
  subroutine ends
    integer :: i, j
    do i = 1, n/short
       alone(i) = i
       do j = 1, short
          to(j, i) = from(j, i) + by(j, i)
       end do
    end do
  end subroutine

  ! one of them goes back for each i
  subroutine back
    integer :: m, i, j
    do m = 1, n/short
       do i = 1, short
          by(i, m) = m
          do j = 1, short
             cube(j, i, m) = from(j, m)
          end do
       end do
    end do
  end subroutine

  ! other places each time
  subroutine scattered
    integer :: i, k
    do i = 1, n
       k = next()
       many(k) = i
    end do
  end subroutine

  ! of `half` that is asked for; the same places each time
  subroutine chance
    integer :: i
    do i = 1, many_n
       total = total + many(i)*half(order(i))
    end do
  end subroutine

  subroutine each
    integer :: i
    do i = 1, n
       x(at(i)) = i
    end do
  end subroutine

  subroutine row
    integer :: i, j
    do i = 1, n/width
       do j = 1, wide
          y(j, i) = i
       end do
    end do
  end subroutine

  subroutine rows
    integer :: i, j
    do i = 1, n/width
       do j = 1, wide
          y(j, i) = y(j, i) + z(j, i) + z(width + 1 - j, i)
       end do
    end do
  end subroutine

  ! a nest for each row, at an irregular place
  subroutine lone
    integer :: i, j
    do i = 1, n/width
       do j = 1, wide
          y(j, at(i)) = i
       end do
    end do
  end subroutine

  subroutine lones
    integer :: i, j
    do i = 1, n/width
       do j = 1, wide
          y(j, at(i)) = y(j, at(i)) + z(j, at(i)) + z(width + 1 - j, at(i))
       end do
    end do
  end subroutine
end module

program probe
  use cells
  implicit none
  integer :: i, what, times
  character(len=20) :: text
  call get_command_argument(1, text)
  read (text, *) what
  call get_command_argument(2, text)
  read (text, *) times
  do i = 1, n
     at(i) = i
  end do
  do i = 1, many_n
     order(i) = next()
  end do
  total = 0
  do i = 1, times
     if (what == 0) call each
     if (what == 1) call row
     if (what == 2) call rows
     if (what == 3) call lone
     if (what == 4) call lones
     if (what == 6) call turns
     if (what == 7) call ends
     if (what == 8) call back
     if (what == 9) call scattered
     if (what == 10) call chance
  end do
  print *, x(n), y(1, 1), total
end program
