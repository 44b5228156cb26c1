! SPDX-License-Identifier: BSD-3-Clause
! BT: five coupled advection-diffusion equations in a box, in time by approximate factorisation:
! block tridiagonal systems along every line. Slabs of z; for the lines along z everything is
! turned into slabs of y and back. This file: the slab, its exact solution, and the Jacobian.
module bt_field
	use frame
	implicit none
	integer, parameter :: fields = 5
	real(dp), parameter :: nu = 0.7_dp, time_step = 0.4_dp

	type :: slab_t
		integer :: n, planes, first, rank, ranks
		real(dp), allocatable :: u(:, :, :, :)		! (field, x, y, z), one ghost around
		real(dp), allocatable :: force(:, :, :, :), delta(:, :, :, :)
		real(dp), allocatable :: turned_u(:, :, :, :), turned_delta(:, :, :, :)
		real(dp), allocatable :: packed(:, :, :, :, :)	! (field, x, y, z, rank)
	end type

contains

	subroutine slab_create(s, n, planes, rank, ranks)
		type(slab_t), intent(out) :: s
		integer, intent(in) :: n, planes, rank, ranks

		s%n = n
		s%planes = planes
		s%first = rank * planes
		s%rank = rank
		s%ranks = ranks
		allocate (s%u(fields, 0:n + 1, 0:n + 1, 0:planes + 1))
		allocate (s%force(fields, n, n, planes), s%delta(fields, n, n, planes))
		allocate (s%turned_u(fields, n, planes, n), s%turned_delta(fields, n, planes, n))
		allocate (s%packed(fields, n, planes, planes, ranks))
	end subroutine

	pure function exact_at(s, x, y, z) result(v)
		type(slab_t), intent(in) :: s
		integer, intent(in) :: x, y, z
		real(dp) :: v(fields), h, p(3)
		integer :: m

		h = 1.0_dp / (s%n + 1)
		p = h * [x, y, z + s%first]
		do m = 1, fields
			v(m) = 1 + 0.1_dp * m + 0.5_dp * sin(m * p(1) + 2 * p(2) + p(3)) &
				+ p(1) * p(2) * p(3)
		end do
	end function

	subroutine set_exact(s)
		type(slab_t), intent(inout) :: s
		integer :: x, y, z

		do z = 0, s%planes + 1
			do y = 0, s%n + 1
				do x = 0, s%n + 1
					s%u(:, x, y, z) = exact_at(s, x, y, z)
				end do
			end do
		end do
	end subroutine

	pure real(dp) function bump(n, i)
		integer, intent(in) :: n, i

		bump = 4 * real(i, dp) / (n + 1) * (1 - real(i, dp) / (n + 1))
	end function

	! Zero at the walls, so the ghosts of neighbours agree with it.
	subroutine disturb(s)
		type(slab_t), intent(inout) :: s
		integer :: x, y, z

		do z = 0, s%planes + 1
			do y = 0, s%n + 1
				do x = 0, s%n + 1
					s%u(:, x, y, z) = s%u(:, x, y, z) + 0.3_dp * bump(s%n, x) &
						* bump(s%n, y) * bump(s%n, z + s%first)
				end do
			end do
		end do
	end subroutine
end module
