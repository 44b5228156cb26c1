! SPDX-License-Identifier: BSD-3-Clause
! BT: one time step (right side, block tridiagonal solves along x, y and z), and the main program.
module bt_step
	use bt_change
	implicit none

contains

	subroutine solve_x(s)
		type(slab_t), intent(inout) :: s
		integer :: y, z

		do z = 1, s%planes
			do y = 1, s%n
				call solve_line(s%n, s%u(:, 1:s%n, y, z), 1, s%delta(:, :, y, z))
			end do
		end do
	end subroutine

	subroutine solve_y(s)
		type(slab_t), intent(inout) :: s
		real(dp) :: line(fields, s%n)
		integer :: x, z

		do z = 1, s%planes
			do x = 1, s%n
				line = s%delta(:, x, :, z)
				call solve_line(s%n, s%u(:, x, 1:s%n, z), 2, line)
				s%delta(:, x, :, z) = line
			end do
		end do
	end subroutine

	subroutine solve_z(s)
		type(slab_t), intent(inout) :: s
		real(dp) :: line(fields, s%n)
		integer :: x, y

		call turn(s, s%u(:, 1:s%n, 1:s%n, 1:s%planes), s%turned_u)
		call turn(s, s%delta, s%turned_delta)
		do y = 1, s%planes
			do x = 1, s%n
				line = s%turned_delta(:, x, y, :)
				call solve_line(s%n, s%turned_u(:, x, y, :), 3, line)
				s%turned_delta(:, x, y, :) = line
			end do
		end do
		call turn_back(s, s%turned_delta, s%delta)
	end subroutine

	subroutine add(s)
		type(slab_t), intent(inout) :: s

		s%u(:, 1:s%n, 1:s%n, 1:s%planes) = s%u(:, 1:s%n, 1:s%n, 1:s%planes) + s%delta
	end subroutine

	real(dp) function error_norm(s)
		type(slab_t), intent(in) :: s
		integer :: x, y, z

		error_norm = 0
		do z = 1, s%planes
			do y = 1, s%n
				do x = 1, s%n
					error_norm = error_norm &
						+ sum((s%u(:, x, y, z) - exact_at(s, x, y, z))**2)
				end do
			end do
		end do
		error_norm = sqrt(frame_sum(error_norm) / (real(s%n, dp)**3 * fields))
	end function
end module

program bt
	use bt_step
	implicit none
	type(frame_t) :: f
	type(slab_t) :: s
	real(dp) :: start, change_norm, want(2)
	integer :: n, steps, i

	call frame_begin(f, 'bt')
	if (f%size == 'S') then
		n = 32
		steps = 20
		want = [0.100208248201044_dp, 0.002805183082550379_dp]
	else
		n = 64
		steps = 20
		want = [0.1143581930040605_dp, 0.001791249038279662_dp]
	end if
	call slab_create(s, n, frame_share(f, n), f%rank, f%ranks)
	call set_exact(s)
	call set_force(s)
	call disturb(s)
	start = error_norm(s)

	call frame_start(f)
	do i = 1, steps
		call fill_ghosts(s)
		call change(s)
		call solve_x(s)
		call solve_y(s)
		call solve_z(s)
		call add(s)
	end do
	call frame_stop(f)

	change_norm = sqrt(frame_sum(sum(s%delta**2)) / (real(n, dp)**3 * fields))
	call frame_check(f, 'error', error_norm(s), want(1), 1e-8_dp)
	call frame_check(f, 'change', change_norm, want(2), 1e-8_dp)
	call frame_check_below(f, 'error_reduction', error_norm(s) / start, 0.99_dp)
	call frame_end(f)
end program
