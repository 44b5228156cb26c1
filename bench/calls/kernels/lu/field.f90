! SPDX-License-Identifier: BSD-3-Clause
! LU: five coupled equations on a seven-point stencil, solved by symmetric successive
! over-relaxation. Slabs of y; a sweep runs through the planes of z as a pipeline over the ranks.
! This file: the slab, the operator at a point, and the 5x5 blocks.
module lu_field
	use frame
	implicit none
	integer, parameter :: fields = 5
	real(dp), parameter :: omega = 1.2_dp, shift = 0.05_dp

	type :: slab_t
		integer :: n, rows, first, rank, ranks	! points, own rows of y, rows before them
		real(dp), allocatable :: u(:, :, :, :)	! (field, x, y, z) with ghosts
		real(dp), allocatable :: f(:, :, :, :)
	end type

contains

	subroutine slab_create(s, n, rows, rank, ranks)
		type(slab_t), intent(out) :: s
		integer, intent(in) :: n, rows, rank, ranks

		s%n = n
		s%rows = rows
		s%first = rank * rows
		s%rank = rank
		s%ranks = ranks
		allocate (s%u(fields, 0:n + 1, 0:rows + 1, 0:n + 1))
		allocate (s%f(fields, n, rows, n))
	end subroutine

	pure function exact_at(s, x, y, z) result(v)
		type(slab_t), intent(in) :: s
		integer, intent(in) :: x, y, z
		real(dp) :: v(fields), h, p(3)
		integer :: m

		h = 1.0_dp / (s%n + 1)
		p = h * [x, y + s%first, z]
		do m = 1, fields
			v(m) = 1 + 0.1_dp * m + sin(p(1) + 2 * p(2) + m * p(3)) + p(1) * p(2) * p(3)
		end do
	end function

	! The diagonal blocks of a line: (6 + shift) I plus the coupling of the fields.
	pure subroutine line_blocks(s, y, z, b)
		type(slab_t), intent(in) :: s
		integer, intent(in) :: y, z
		real(dp), intent(out) :: b(fields, fields, s%n)
		real(dp) :: a
		integer :: i, j, x

		do x = 1, s%n
			a = 0.02_dp * (1 + mod(x + y + s%first + z, 7))
			do j = 1, fields
				do i = 1, fields
					b(i, j, x) = a / (1 + abs(i - j))
				end do
				b(j, j, x) = b(j, j, x) + 6 + shift
			end do
		end do
	end subroutine
end module
