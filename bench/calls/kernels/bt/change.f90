! SPDX-License-Identifier: BSD-3-Clause
! The right side N(u) and the exchanges.
module bt_change
	use bt_line
	implicit none

contains

	! v = v - N(u) along one axis, for a row of points and their neighbours along that axis.
	subroutine axis_change(n, below, at, above, axis, v)
		integer, intent(in) :: n, axis
		real(dp), intent(in), dimension(fields, n) :: below, at, above
		real(dp), intent(inout) :: v(fields, n)
		real(dp) :: a(fields, fields, n), slope(fields)
		integer :: i, k

		call bt_jacobians(n, at, axis, a)
		do i = 1, n
			slope = 0.5_dp * (above(:, i) - below(:, i))
			v(:, i) = v(:, i) + nu * (above(:, i) - 2 * at(:, i) + below(:, i))
			do k = 1, fields
				v(:, i) = v(:, i) - a(:, k, i) * slope(k)
			end do
		end do
	end subroutine

	! v = v - N(u) for one row of points.
	subroutine row_change(s, y, z, v)
		type(slab_t), intent(in) :: s
		integer, intent(in) :: y, z
		real(dp), intent(inout) :: v(fields, s%n)
		integer :: n

		n = s%n
		call axis_change(n, s%u(:, 0:n - 1, y, z), s%u(:, 1:n, y, z), &
			s%u(:, 2:n + 1, y, z), 1, v)
		call axis_change(n, s%u(:, 1:n, y - 1, z), s%u(:, 1:n, y, z), &
			s%u(:, 1:n, y + 1, z), 2, v)
		call axis_change(n, s%u(:, 1:n, y, z - 1), s%u(:, 1:n, y, z), &
			s%u(:, 1:n, y, z + 1), 3, v)
	end subroutine

	subroutine set_force(s)
		type(slab_t), intent(inout) :: s
		real(dp) :: v(fields, s%n)
		integer :: y, z

		do z = 1, s%planes
			do y = 1, s%n
				v = 0
				call row_change(s, y, z, v)
				s%force(:, :, y, z) = -v
			end do
		end do
	end subroutine

	subroutine change(s)
		type(slab_t), intent(inout) :: s
		integer :: y, z

		do z = 1, s%planes
			do y = 1, s%n
				s%delta(:, :, y, z) = s%force(:, :, y, z)
				call row_change(s, y, z, s%delta(:, :, y, z))
				s%delta(:, :, y, z) = time_step * s%delta(:, :, y, z)
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
