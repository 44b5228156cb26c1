! SPDX-License-Identifier: BSD-3-Clause
! The 5x5 block operations, external subroutines as such codes have them.

! How the fields drive each other along an axis, at n states in a row.
subroutine bt_jacobians(n, u, axis, a)
	use frame, only: dp
	implicit none
	integer, intent(in) :: n, axis
	real(dp), intent(in) :: u(5, n)
	real(dp), intent(out) :: a(5, 5, n)
	integer :: i, j, m

	do m = 1, n
		do j = 1, 5
			do i = 1, 5
				a(i, j, m) = 0.02_dp * u(1 + mod(i + j + axis, 5), m)
			end do
			a(j, j, m) = a(j, j, m) + 0.2_dp + 0.1_dp * axis
		end do
	end do
end subroutine

! c = c - a b
subroutine bt_matrix_subtract(a, b, c)
	use frame, only: dp
	implicit none
	real(dp), intent(in) :: a(5, 5), b(5, 5)
	real(dp), intent(inout) :: c(5, 5)
	integer :: j, k

	do j = 1, 5
		do k = 1, 5
			c(:, j) = c(:, j) - a(:, k) * b(k, j)
		end do
	end do
end subroutine

! y = y - a x
subroutine bt_vector_subtract(a, x, y)
	use frame, only: dp
	implicit none
	real(dp), intent(in) :: a(5, 5), x(5)
	real(dp), intent(inout) :: y(5)
	integer :: k

	do k = 1, 5
		y = y - a(:, k) * x(k)
	end do
end subroutine

! c = d^-1 c, r = d^-1 r; d is used up. No pivoting: the blocks are dominated by their diagonal.
subroutine bt_solve_block(d, c, r)
	use frame, only: dp
	implicit none
	real(dp), intent(inout) :: d(5, 5), c(5, 5), r(5)
	real(dp) :: pivot, factor
	integer :: i, k

	do k = 1, 5
		pivot = 1 / d(k, k)
		d(k, k + 1:5) = d(k, k + 1:5) * pivot
		c(k, :) = c(k, :) * pivot
		r(k) = r(k) * pivot
		do i = 1, 5
			if (i == k) cycle
			factor = d(i, k)
			d(i, k + 1:5) = d(i, k + 1:5) - factor * d(k, k + 1:5)
			c(i, :) = c(i, :) - factor * c(k, :)
			r(i) = r(i) - factor * r(k)
		end do
	end do
end subroutine
