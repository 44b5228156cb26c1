! SPDX-License-Identifier: BSD-3-Clause
! The two sweeps. Values below in x, y and z are new and those above are old, or the other way
! round, whatever the number of ranks: the pipeline hands one row per plane to the next rank.
module lu_sweep
	use lu_field
	implicit none
	real(dp), parameter :: lower = 1.1_dp, upper = 0.9_dp	! weights of neighbours: a drift

	interface
		subroutine lu_solve_block(a, r)
			import :: dp
			real(dp), intent(inout) :: a(5, 5), r(5)
		end subroutine
	end interface

contains

	! The weighted neighbours of a line in y and z; those in x change while it is relaxed.
	subroutine line_sums(s, y, z, total)
		type(slab_t), intent(in) :: s
		integer, intent(in) :: y, z
		real(dp), intent(out) :: total(fields, s%n)
		integer :: x

		do x = 1, s%n
			total(:, x) = lower * (s%u(:, x, y - 1, z) + s%u(:, x, y, z - 1)) &
				+ upper * (s%u(:, x, y + 1, z) + s%u(:, x, y, z + 1))
		end do
	end subroutine

	subroutine relax_line(s, y, z, from, to, step)
		type(slab_t), intent(inout) :: s
		integer, intent(in) :: y, z, from, to, step
		real(dp) :: a(fields, fields, s%n), total(fields, s%n), r(fields)
		integer :: x

		call line_blocks(s, y, z, a)
		call line_sums(s, y, z, total)
		do x = from, to, step
			r = total(:, x) + lower * s%u(:, x - 1, y, z) &
				+ upper * s%u(:, x + 1, y, z) + s%f(:, x, y, z)
			call lu_solve_block(a(:, :, x), r)
			s%u(:, x, y, z) = s%u(:, x, y, z) + omega * (r - s%u(:, x, y, z))
		end do
	end subroutine

	! Row `row` of plane z to rank `to`, and from rank `from`; missing ranks are skipped.
	subroutine give_row(s, row, z, to)
		type(slab_t), intent(in) :: s
		integer, intent(in) :: row, z, to
		integer :: status

		if (to < 0 .or. to >= s%ranks) return
		call MPI_Send(s%u(1, 0, row, z), fields * (s%n + 2), MPI_DOUBLE_PRECISION, to, z, &
			MPI_COMM_WORLD, status)
	end subroutine

	subroutine take_row(s, row, z, from)
		type(slab_t), intent(inout) :: s
		integer, intent(in) :: row, z, from
		integer :: status

		if (from < 0 .or. from >= s%ranks) return
		call MPI_Recv(s%u(1, 0, row, z), fields * (s%n + 2), MPI_DOUBLE_PRECISION, from, &
			z, MPI_COMM_WORLD, MPI_STATUS_IGNORE, status)
	end subroutine

	subroutine sweep_up(s)
		type(slab_t), intent(inout) :: s
		integer :: y, z

		do z = 1, s%n
			call take_row(s, 0, z, s%rank - 1)
			do y = 1, s%rows
				call relax_line(s, y, z, 1, s%n, 1)
			end do
			call give_row(s, s%rows, z, s%rank + 1)
		end do
	end subroutine

	subroutine sweep_down(s)
		type(slab_t), intent(inout) :: s
		integer :: y, z

		do z = s%n, 1, -1
			call take_row(s, s%rows + 1, z, s%rank + 1)
			do y = s%rows, 1, -1
				call relax_line(s, y, z, s%n, 1, -1)
			end do
			call give_row(s, 1, z, s%rank - 1)
		end do
	end subroutine
end module
