! SPDX-License-Identifier: BSD-3-Clause
! The right side N(u) and the exchanges.
module bt_change
	use bt_line
	implicit none

contains

	subroutine axis_change(below, at, above, axis, v)
		real(dp), intent(in) :: below(fields), at(fields), above(fields)
		integer, intent(in) :: axis
		real(dp), intent(inout) :: v(fields)
		real(dp) :: a(fields, fields), slope(fields)

		call bt_jacobian(at, axis, a)
		slope = 0.5_dp * (above - below)
		v = v + nu * (above - 2 * at + below)
		call bt_vector_subtract(a, slope, v)
	end subroutine

	! v = v - N(u) at one point.
	subroutine point_change(s, x, y, z, v)
		type(slab_t), intent(in) :: s
		integer, intent(in) :: x, y, z
		real(dp), intent(inout) :: v(fields)

		call axis_change(s%u(:, x - 1, y, z), s%u(:, x, y, z), s%u(:, x + 1, y, z), 1, v)
		call axis_change(s%u(:, x, y - 1, z), s%u(:, x, y, z), s%u(:, x, y + 1, z), 2, v)
		call axis_change(s%u(:, x, y, z - 1), s%u(:, x, y, z), s%u(:, x, y, z + 1), 3, v)
	end subroutine

	subroutine set_force(s)
		type(slab_t), intent(inout) :: s
		real(dp) :: v(fields)
		integer :: x, y, z

		do z = 1, s%planes
			do y = 1, s%n
				do x = 1, s%n
					v = 0
					call point_change(s, x, y, z, v)
					s%force(:, x, y, z) = -v
				end do
			end do
		end do
	end subroutine

	subroutine change(s)
		type(slab_t), intent(inout) :: s
		integer :: x, y, z

		do z = 1, s%planes
			do y = 1, s%n
				do x = 1, s%n
					s%delta(:, x, y, z) = s%force(:, x, y, z)
					call point_change(s, x, y, z, s%delta(:, x, y, z))
					s%delta(:, x, y, z) = time_step * s%delta(:, x, y, z)
				end do
			end do
		end do
	end subroutine

	subroutine fill_ghosts(s)
		type(slab_t), intent(inout) :: s
		integer :: up, down, count, status

		up = merge(s%rank + 1, MPI_PROC_NULL, s%rank + 1 < s%ranks)
		down = merge(s%rank - 1, MPI_PROC_NULL, s%rank > 0)
		count = fields * (s%n + 2)**2
		call MPI_Sendrecv(s%u(1, 0, 0, s%planes), count, MPI_DOUBLE_PRECISION, up, 1, &
			s%u(1, 0, 0, 0), count, MPI_DOUBLE_PRECISION, down, 1, &
			MPI_COMM_WORLD, MPI_STATUS_IGNORE, status)
		call MPI_Sendrecv(s%u(1, 0, 0, 1), count, MPI_DOUBLE_PRECISION, down, 2, &
			s%u(1, 0, 0, s%planes + 1), count, MPI_DOUBLE_PRECISION, up, 2, &
			MPI_COMM_WORLD, MPI_STATUS_IGNORE, status)
	end subroutine

	! The rows of rank `to` from slab to packed.
	subroutine pack(s, v, to)
		type(slab_t), intent(inout) :: s
		real(dp), intent(in) :: v(:, :, :, :)
		integer, intent(in) :: to

		s%packed(:, :, :, :, to) = v(:, :, (to - 1) * s%planes + 1:to * s%planes, :)
	end subroutine

	! Slabs of z in v to slabs of y in turned.
	subroutine turn(s, v, turned)
		type(slab_t), intent(inout) :: s
		real(dp), intent(in) :: v(fields, s%n, s%n, s%planes)
		real(dp), intent(out) :: turned(fields, s%n, s%planes, s%n)
		integer :: r, count, status

		do r = 1, s%ranks
			call pack(s, v, r)
		end do
		count = fields * s%n * s%planes**2
		call MPI_Alltoall(s%packed, count, MPI_DOUBLE_PRECISION, turned, count, &
			MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, status)
	end subroutine

	subroutine turn_back(s, turned, v)
		type(slab_t), intent(inout) :: s
		real(dp), intent(in) :: turned(fields, s%n, s%planes, s%n)
		real(dp), intent(out) :: v(fields, s%n, s%n, s%planes)
		integer :: r, count, status

		count = fields * s%n * s%planes**2
		call MPI_Alltoall(turned, count, MPI_DOUBLE_PRECISION, s%packed, count, &
			MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, status)
		do r = 1, s%ranks
			v(:, :, (r - 1) * s%planes + 1:r * s%planes, :) = s%packed(:, :, :, :, r)
		end do
	end subroutine
end module
