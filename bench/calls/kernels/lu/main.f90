! SPDX-License-Identifier: BSD-3-Clause
! Sizes, sweeps and checks of LU: norms of the residual and of the error.
program lu
	use lu_norm
	implicit none
	type(frame_t) :: f
	type(slab_t) :: s
	real(dp) :: residual, error, start, want(2)
	integer :: n, steps, i

	call frame_begin(f, 'lu')
	if (f%size == 'S') then
		n = 48
		steps = 50
		want = [5.365099384846504e-5_dp, 0.0004258336211872183_dp]
	else
		n = 64
		steps = 90
		want = [7.893404105657497e-7_dp, 7.315849753827139e-6_dp]
	end if
	call slab_create(s, n, frame_share(f, n), f%rank, f%ranks)
	call set_exact(s)
	call set_right_side(s)
	call set_start(s)
	call norms(s, residual, start)

	call frame_start(f)
	do i = 1, steps
		call sweep_up(s)
		call sweep_down(s)
	end do
	call frame_stop(f)

	call norms(s, residual, error)
	call frame_check(f, 'residual', residual, want(1), 1e-8_dp)
	call frame_check(f, 'error', error, want(2), 1e-8_dp)
	call frame_check_below(f, 'error_reduction', error / start, 0.5_dp)
	call frame_end(f)
end program
