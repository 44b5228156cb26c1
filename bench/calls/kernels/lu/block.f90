! SPDX-License-Identifier: BSD-3-Clause
! Solves one 5x5 system in place, by elimination without pivoting: the blocks are dominated by
! their diagonal. An external subroutine, as such codes have them.
subroutine lu_solve_block(a, r)
	use frame, only: dp
	implicit none
	real(dp), intent(inout) :: a(5, 5), r(5)
	real(dp) :: pivot, factor
	integer :: i, j, k

	do k = 1, 5
		pivot = 1 / a(k, k)
		do i = k + 1, 5
			factor = a(i, k) * pivot
			do j = k + 1, 5
				a(i, j) = a(i, j) - factor * a(k, j)
			end do
			r(i) = r(i) - factor * r(k)
		end do
	end do
	do k = 5, 1, -1
		do j = k + 1, 5
			r(k) = r(k) - a(k, j) * r(j)
		end do
		r(k) = r(k) / a(k, k)
	end do
end subroutine
