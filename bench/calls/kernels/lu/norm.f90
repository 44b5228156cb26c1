! SPDX-License-Identifier: BSD-3-Clause
! Start values, the right side of the known solution, and the norms.
module lu_norm
	use lu_sweep
	implicit none

contains

	subroutine set_exact(s)
		type(slab_t), intent(inout) :: s
		integer :: x, y, z

		do z = 0, s%n + 1
			do y = 0, s%rows + 1
				do x = 0, s%n + 1
					s%u(:, x, y, z) = exact_at(s, x, y, z)
				end do
			end do
		end do
	end subroutine

	logical function at_wall(s, x, y, z)
		type(slab_t), intent(in) :: s
		integer, intent(in) :: x, y, z

		at_wall = min(x, y + s%first, z) < 1 .or. max(x, y + s%first, z) > s%n
	end function

	subroutine set_start(s)
		type(slab_t), intent(inout) :: s
		integer :: x, y, z

		do z = 0, s%n + 1
			do y = 0, s%rows + 1
				do x = 0, s%n + 1
					if (.not. at_wall(s, x, y, z)) s%u(:, x, y, z) = 0
				end do
			end do
		end do
	end subroutine

	! A u along one line.
	subroutine apply_line(s, y, z, v)
		type(slab_t), intent(in) :: s
		integer, intent(in) :: y, z
		real(dp), intent(out) :: v(fields, s%n)
		real(dp) :: a(fields, fields, s%n), total(fields, s%n)
		integer :: x

		call line_blocks(s, y, z, a)
		call line_sums(s, y, z, total)
		do x = 1, s%n
			v(:, x) = matmul(a(:, :, x), s%u(:, x, y, z)) - total(:, x) &
				- lower * s%u(:, x - 1, y, z) - upper * s%u(:, x + 1, y, z)
		end do
	end subroutine

	subroutine set_right_side(s)
		type(slab_t), intent(inout) :: s
		integer :: y, z

		do z = 1, s%n
			do y = 1, s%rows
				call apply_line(s, y, z, s%f(:, :, y, z))
			end do
		end do
	end subroutine

	! After a downward sweep only the row below the slab is old.
	subroutine refresh_below(s)
		type(slab_t), intent(inout) :: s
		integer :: z

		do z = 1, s%n
			call give_row(s, s%rows, z, s%rank + 1)
			call take_row(s, 0, z, s%rank - 1)
		end do
	end subroutine

	subroutine norms(s, residual, error)
		type(slab_t), intent(inout) :: s
		real(dp), intent(out) :: residual, error
		real(dp) :: v(fields, s%n), points
		integer :: x, y, z

		residual = 0
		error = 0
		call refresh_below(s)
		do z = 1, s%n
			do y = 1, s%rows
				call apply_line(s, y, z, v)
				residual = residual + sum((s%f(:, :, y, z) - v)**2)
				do x = 1, s%n
					error = error &
						+ sum((s%u(:, x, y, z) - exact_at(s, x, y, z))**2)
				end do
			end do
		end do
		points = real(s%n, dp)**3 * fields
		residual = sqrt(frame_sum(residual) / points)
		error = sqrt(frame_sum(error) / points)
	end subroutine
end module
