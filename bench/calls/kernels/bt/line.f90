! SPDX-License-Identifier: BSD-3-Clause
! One block tridiagonal line: build, eliminate, substitute.
module bt_line
	use bt_field
	implicit none

	interface
		subroutine bt_jacobians(n, u, axis, a)
			import :: dp
			integer, intent(in) :: n, axis
			real(dp), intent(in) :: u(5, n)
			real(dp), intent(out) :: a(5, 5, n)
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

	! Blocks of a line: below, on, and above the diagonal.
	subroutine build_blocks(n, u, axis, a, b, c)
		integer, intent(in) :: n, axis
		real(dp), intent(in) :: u(fields, n)
		real(dp), intent(out), dimension(fields, fields, n) :: a, b, c
		integer :: i, m

		call bt_jacobians(n, u, axis, c)
		c = 0.5_dp * time_step * c
		a = -c
		b = 0
		do i = 1, n
			do m = 1, fields
				a(m, m, i) = a(m, m, i) - time_step * nu
				b(m, m, i) = 1 + 2 * time_step * nu
				c(m, m, i) = c(m, m, i) - time_step * nu
			end do
		end do
	end subroutine

	! r = (the system of the line)^-1 r; u are the states along the line.
	subroutine solve_line(n, u, axis, r)
		integer, intent(in) :: n, axis
		real(dp), intent(in) :: u(fields, n)
		real(dp), intent(inout) :: r(fields, n)
		real(dp), dimension(fields, fields, n) :: a, b, c
		integer :: i, k

		call build_blocks(n, u, axis, a, b, c)
		do i = 1, n
			if (i > 1) then
				call bt_vector_subtract(a(:, :, i), r(:, i - 1), r(:, i))
				call bt_matrix_subtract(a(:, :, i), c(:, :, i - 1), b(:, :, i))
			end if
			call bt_solve_block(b(:, :, i), c(:, :, i), r(:, i))
		end do
		do i = n - 1, 1, -1
			do k = 1, fields
				r(:, i) = r(:, i) - c(:, k, i) * r(k, i + 1)
			end do
		end do
	end subroutine
end module
