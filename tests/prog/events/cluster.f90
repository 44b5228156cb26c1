! SPDX-License-Identifier: BSD-3-Clause
! Ranks are compared while they run and print the results: rank 1 has probed before. argv: none.
program cluster
  use mpi
  use bobbin
  implicit none
  type(bob_cluster) :: c
  integer :: ierr, rank, i
  logical :: flag, known

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  do i = 1, 2
    if (rank == 1 .and. i == 2) call probe
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    known = bob_cluster_here(c)
    print '("rank ", i0, ".", i0, a, 7(" ", i0))', rank, i, &
      merge(" knows    ", " knows not", known), &
      c%comparison, c%rank, c%ranks, c%cluster, c%clusters, c%members, c%like
  end do
  call MPI_Finalize(ierr)
contains
  subroutine probe
    integer :: k
    do k = 1, 300
      call MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierr)
    end do
  end subroutine
end program
