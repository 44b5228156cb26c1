! SPDX-License-Identifier: BSD-3-Clause
! One block tridiagonal line: build, eliminate, substitute.
module bt_line
	use bt_field
	implicit none

	interface
		subroutine bt_jacobian(u, axis, a)
			import :: dp
			real(dp), intent(in) :: u(5)
			integer, intent(in) :: axis
			real(dp), intent(out) :: a(5, 5)
		end subroutine
		subroutine bt_matrix_subtract(a, b, c)
			import :: dp
			real(dp), intent(in) :: a(5, 5), b(5, 5)
			real(dp), intent(inout) :: c(5, 5)
		end subroutine
		subroutine bt_vector_subtract(a, x, y)
			import :: dp
			real(dp), intent(in) :: a(5, 5), x(5)
			real(dp), intent(inout) :: y(5)
		end subroutine
		subroutine bt_solve_block(d, c, r)
			import :: dp
			real(dp), intent(inout) :: d(5, 5), c(5, 5), r(5)
		end subroutine
	end interface

contains

	! Blocks of a point: below, on, and above the diagonal.
	subroutine build_blocks(u, axis, a, b, c)
		real(dp), intent(in) :: u(fields)
		integer, intent(in) :: axis
		real(dp), intent(out) :: a(fields, fields), b(fields, fields), c(fields, fields)
		integer :: m

		call bt_jacobian(u, axis, c)
		c = 0.5_dp * time_step * c
		a = -c
		b = 0
		do m = 1, fields
			a(m, m) = a(m, m) - time_step * nu
			b(m, m) = 1 + 2 * time_step * nu
			c(m, m) = c(m, m) - time_step * nu
		end do
	end subroutine

	! r = (the system of the line)^-1 r; u are the states along the line.
	subroutine solve_line(n, u, axis, r)
		integer, intent(in) :: n, axis
		real(dp), intent(in) :: u(fields, n)
		real(dp), intent(inout) :: r(fields, n)
		real(dp) :: a(fields, fields), b(fields, fields), c(fields, fields, n)
		integer :: i

		do i = 1, n
			call build_blocks(u(:, i), axis, a, b, c(:, :, i))
			if (i > 1) then
				call bt_vector_subtract(a, r(:, i - 1), r(:, i))
				call bt_matrix_subtract(a, c(:, :, i - 1), b)
			end if
			call bt_solve_block(b, c(:, :, i), r(:, i))
		end do
		do i = n - 1, 1, -1
			call bt_vector_subtract(c(:, :, i), r(:, i + 1), r(:, i))
		end do
	end subroutine
end module
