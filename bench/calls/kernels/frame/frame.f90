! SPDX-License-Identifier: BSD-3-Clause
! What the Fortran kernels share; the same contract as frame.h.
module frame
	use mpi
	implicit none
	integer, parameter :: dp = kind(1d0)

	type :: frame_t
		character(len=2) :: name
		character(len=1) :: size
		integer :: rank, ranks, failed_count
		real(dp) :: started_s, elapsed_s
	end type

contains

	subroutine frame_begin(f, name)
		type(frame_t), intent(out) :: f
		character(len=2), intent(in) :: name
		character(len=8) :: word
		integer :: status

		call MPI_Init(status)
		call MPI_Comm_rank(MPI_COMM_WORLD, f%rank, status)
		call MPI_Comm_size(MPI_COMM_WORLD, f%ranks, status)
		f%name = name
		f%failed_count = 0
		f%elapsed_s = 0
		call get_command_argument(1, word)
		f%size = word(1:1)
		if (command_argument_count() /= 1 .or. (word /= 'S' .and. word /= 'L')) &
			call stop_with(f, 'usage: one argument, the problem size S or L')
	end subroutine

	subroutine stop_with(f, text)
		type(frame_t), intent(in) :: f
		character(len=*), intent(in) :: text
		integer :: status

		if (f%rank == 0) write (0, '(3a)') f%name, ': ', text
		call MPI_Finalize(status)
		stop 2
	end subroutine

	integer function frame_share(f, n)
		type(frame_t), intent(in) :: f
		integer, intent(in) :: n

		if (mod(n, f%ranks) /= 0) call stop_with(f, &
			'the number of ranks must divide the problem (use a power of two)')
		frame_share = n / f%ranks
	end function

	subroutine frame_start(f)
		type(frame_t), intent(inout) :: f
		integer :: status

		call MPI_Barrier(MPI_COMM_WORLD, status)
		f%started_s = MPI_Wtime()
	end subroutine

	subroutine frame_stop(f)
		type(frame_t), intent(inout) :: f
		integer :: status

		call MPI_Barrier(MPI_COMM_WORLD, status)
		f%elapsed_s = MPI_Wtime() - f%started_s
	end subroutine

	subroutine frame_check(f, what, value, want, tol)
		type(frame_t), intent(inout) :: f
		character(len=*), intent(in) :: what
		real(dp), intent(in) :: value, want, tol
		logical :: good

		good = abs(value - want) <= tol * max(abs(want), 1d-300)
		if (.not. good) f%failed_count = f%failed_count + 1
		if (f%rank /= 0) return
		if (good) then
			write (*, '(6a,es14.7,a)') f%name, ' ', f%size, ' ', what, ' ', want, ' ok'
		else
			write (*, '(6a,es23.15,a,es23.15)') f%name, ' ', f%size, ' ', what, ' ', &
				value, ' WRONG, expected', want
		end if
	end subroutine

	subroutine frame_check_below(f, what, value, limit)
		type(frame_t), intent(inout) :: f
		character(len=*), intent(in) :: what
		real(dp), intent(in) :: value, limit
		logical :: good

		good = value <= limit
		if (.not. good) f%failed_count = f%failed_count + 1
		if (f%rank /= 0) return
		if (good) then
			write (*, '(5a,es8.1,a)') f%name, ' ', f%size, ' ', what // ' below', &
				limit, ' ok'
		else
			write (*, '(5a,es14.6,a,es8.1)') f%name, ' ', f%size, ' ', what, value, &
				' WRONG, limit', limit
		end if
	end subroutine

	real(dp) function frame_sum(x)
		real(dp), intent(in) :: x
		integer :: status

		call MPI_Allreduce(x, frame_sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
			MPI_COMM_WORLD, status)
	end function

	subroutine frame_end(f)
		type(frame_t), intent(inout) :: f
		integer :: failed, status

		call MPI_Allreduce(f%failed_count, failed, 1, MPI_INTEGER, MPI_SUM, &
			MPI_COMM_WORLD, status)
		if (f%rank == 0) then
			write (*, '(4a)') f%name, ' ', f%size, &
				merge(' FAILED  ', ' verified', failed /= 0)
			write (0, '(a,f0.6)') 'time_s ', f%elapsed_s
		end if
		call MPI_Finalize(status)
		if (failed /= 0) stop 1
	end subroutine
end module
