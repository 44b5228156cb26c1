! SPDX-License-Identifier: BSD-3-Clause
! Smoothing with a master that sends each slave its columns; slaves exchange borders in each step
! and return their columns. smooth_mpi STEPS; two ranks or more, N divisible by the number of slaves
program smoothing
  implicit none
  integer, parameter :: n = 200
  include 'mpif.h'
  integer :: rank, ranks, steps, ierr
  character(len=20) :: text
  call get_command_argument(1, text)
  read (text, *) steps
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  if (rank > 0) then
     call slave(rank, ranks - 1, steps)
  else
     call master(ranks - 1)
  end if
  call MPI_Finalize(ierr)
end program

subroutine smooth(columns)
  implicit none
  integer, parameter :: n = 200
  double precision :: a(n, 0:n + 1), b(n, 0:n + 1)
  common /fields/ a, b
  integer :: i, j, columns
  do j = 1, columns
     do i = 2, n - 1
        b(i, j) = (a(i, j) + a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))/5
     end do
  end do
  do j = 1, columns
     do i = 2, n - 1
        a(i, j) = b(i, j)
     end do
  end do
end subroutine

subroutine slave(rank, slaves, steps)
  implicit none
  integer, parameter :: n = 200
  include 'mpif.h'
  double precision :: a(n, 0:n + 1), b(n, 0:n + 1)
  common /fields/ a, b
  integer :: rank, slaves, steps, columns, step, left, right, ierr
  columns = n/slaves
  left = MPI_PROC_NULL
  right = MPI_PROC_NULL
  if (rank > 1) left = rank - 1
  if (rank < slaves) right = rank + 1
  call MPI_Recv(a(1, 1), columns*n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, &
       MPI_STATUS_IGNORE, ierr)
  do step = 1, steps
     call MPI_Sendrecv(a(1, 1), n, MPI_DOUBLE_PRECISION, left, 1, a(1, columns + 1), n, &
          MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
     call MPI_Sendrecv(a(1, columns), n, MPI_DOUBLE_PRECISION, right, 2, a(1, 0), n, &
          MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
     call smooth(columns)
  end do
  call MPI_Send(a(1, 1), columns*n, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_WORLD, ierr)
end subroutine

subroutine master(slaves)
  implicit none
  integer, parameter :: n = 200
  include 'mpif.h'
  double precision :: a(n, 0:n + 1), b(n, 0:n + 1), total
  common /fields/ a, b
  integer :: slaves, columns, i, j, s, ierr
  columns = n/slaves
  do j = 1, n
     do i = 1, n
        a(i, j) = mod((i - 1)*13 + (j - 1)*7, 101)
     end do
  end do
  do s = 0, slaves - 1
     call MPI_Send(a(1, s*columns + 1), columns*n, MPI_DOUBLE_PRECISION, s + 1, 0, &
          MPI_COMM_WORLD, ierr)
  end do
  do s = 0, slaves - 1
     call MPI_Recv(a(1, s*columns + 1), columns*n, MPI_DOUBLE_PRECISION, s + 1, 3, &
          MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end do
  total = 0
  do i = 1, n
     total = total + a(i, i)
  end do
  print '(f0.9)', total
end subroutine
