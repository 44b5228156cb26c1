! SPDX-License-Identifier: BSD-3-Clause
! What a probe costs: places that no rule of the text tells (one probe for each), and short rows of nests. probe WHAT TIMES
module cells
  implicit none
  integer, parameter :: n = 2000
  integer, parameter :: width = 8
  double precision :: x(n), y(width, n/width), z(width, n/width)
  integer :: at(n)
contains
  subroutine each
    integer :: i
    do i = 1, n
       x(at(i)) = i
    end do
  end subroutine

  subroutine row
    integer :: i, j
    do i = 1, n/width
       do j = 1, width
          y(j, i) = i
       end do
    end do
  end subroutine

  subroutine rows
    integer :: i, j
    do i = 1, n/width
       do j = 1, width
          y(j, i) = y(j, i) + z(j, i) + z(width + 1 - j, i)
       end do
    end do
  end subroutine

  ! a nest for each row: where it is no rule of the text tells
  subroutine lone
    integer :: i, j
    do i = 1, n/width
       do j = 1, width
          y(j, at(i)) = i
       end do
    end do
  end subroutine

  subroutine lones
    integer :: i, j
    do i = 1, n/width
       do j = 1, width
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
  do i = 1, times
     if (what == 0) call each
     if (what == 1) call row
     if (what == 2) call rows
     if (what == 3) call lone
     if (what == 4) call lones
  end do
  print *, x(n), y(1, 1)
end program
