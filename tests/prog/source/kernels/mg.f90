! SPDX-License-Identifier: BSD-3-Clause
! Multigrid (V-cycles) for Poisson's equation on a cube with zero walls, similar to MG of NAS.
! The solution is chosen: the error must fall by a factor with each cycle, to rounding errors.
module grids
  implicit none
  integer, parameter :: levels = 3, cycles = 8, dp = kind(1.0d0)
  type level
     integer :: n = 0
     real(dp) :: h = 0
  end type
  type(level) :: lv(levels)
  ! all levels one after the other; ir is where each begins
  real(dp), allocatable :: u(:), r(:), v(:)
  integer :: ir(levels + 1)
  integer :: smooths = 0, points = 0
contains
  subroutine setup
    integer :: k
    ir(1) = 1
    do k = 1, levels
       lv(k)%n = 2**(k + 1)
       lv(k)%h = 1.0_dp/lv(k)%n
       ir(k + 1) = ir(k) + (lv(k)%n + 1)**3
    end do
    allocate (u(ir(levels + 1) - 1), r(ir(levels + 1) - 1), v(ir(levels + 1) - 1))
    u = 0
    r = 0
    v = 0
  end subroutine

  ! red-black Gauss-Seidel
  subroutine smooth(u, f, n, h)
    integer, intent(in) :: n
    real(dp), intent(inout) :: u(0:n, 0:n, 0:n)
    real(dp), intent(in) :: f(0:n, 0:n, 0:n), h
    integer :: i, j, k, color
    do color = 0, 1
       do k = 1, n - 1
          do j = 1, n - 1
             do i = 1 + mod(j + k + color, 2), n - 1, 2
                u(i, j, k) = (u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k) &
                     + u(i, j, k - 1) + u(i, j, k + 1) + h*h*f(i, j, k))/6
                points = points + 1
             end do
          end do
       end do
    end do
    smooths = smooths + 1
  end subroutine

  subroutine residual(r, u, f, n, h)
    integer, intent(in) :: n
    real(dp), intent(out) :: r(0:n, 0:n, 0:n)
    real(dp), intent(in) :: u(0:n, 0:n, 0:n), f(0:n, 0:n, 0:n), h
    integer :: i, j, k
    r = 0
    do k = 1, n - 1
       do j = 1, n - 1
          do i = 1, n - 1
             r(i, j, k) = f(i, j, k) - (6*u(i, j, k) - u(i - 1, j, k) - u(i + 1, j, k) - u(i, j - 1, k) &
                  - u(i, j + 1, k) - u(i, j, k - 1) - u(i, j, k + 1))/(h*h)
          end do
       end do
    end do
  end subroutine

  ! full weighting from r, of twice as many points, to f
  subroutine restrict(f, n, r, m)
    integer, intent(in) :: n, m
    real(dp), intent(out) :: f(0:n, 0:n, 0:n)
    real(dp), intent(in) :: r(0:m, 0:m, 0:m)
    integer :: i, j, k, a, b, c
    real(dp) :: s, w(-1:1)
    w = [0.25_dp, 0.5_dp, 0.25_dp]
    f = 0
    do k = 1, n - 1
       do j = 1, n - 1
          do i = 1, n - 1
             s = 0
             do c = -1, 1
                do b = -1, 1
                   do a = -1, 1
                      s = s + w(a)*w(b)*w(c)*r(2*i + a, 2*j + b, 2*k + c)
                   end do
                end do
             end do
             f(i, j, k) = s
          end do
       end do
    end do
  end subroutine

  ! u = u + what e, of half as many points, is between its points
  subroutine interpolate(u, m, e, n)
    integer, intent(in) :: n, m
    real(dp), intent(inout) :: u(0:m, 0:m, 0:m)
    real(dp), intent(in) :: e(0:n, 0:n, 0:n)
    integer :: i, j, k
    real(dp) :: s
    do k = 1, m - 1
       do j = 1, m - 1
          do i = 1, m - 1
             s = e(i/2, j/2, k/2) + e((i + 1)/2, j/2, k/2) + e(i/2, (j + 1)/2, k/2) + e((i + 1)/2, (j + 1)/2, k/2) &
                  + e(i/2, j/2, (k + 1)/2) + e((i + 1)/2, j/2, (k + 1)/2) + e(i/2, (j + 1)/2, (k + 1)/2) &
                  + e((i + 1)/2, (j + 1)/2, (k + 1)/2)
             u(i, j, k) = u(i, j, k) + s/8
          end do
       end do
    end do
  end subroutine

  recursive subroutine cycle_down(k)
    integer, intent(in) :: k
    integer :: i
    if (k == 1) then
       do i = 1, 30
          call smooth(u(ir(1)), v(ir(1)), lv(1)%n, lv(1)%h)
       end do
       return
    end if
    call smooth(u(ir(k)), v(ir(k)), lv(k)%n, lv(k)%h)
    call smooth(u(ir(k)), v(ir(k)), lv(k)%n, lv(k)%h)
    call residual(r(ir(k)), u(ir(k)), v(ir(k)), lv(k)%n, lv(k)%h)
    call restrict(v(ir(k - 1)), lv(k - 1)%n, r(ir(k)), lv(k)%n)
    u(ir(k - 1):ir(k) - 1) = 0
    call cycle_down(k - 1)
    call interpolate(u(ir(k)), lv(k)%n, u(ir(k - 1)), lv(k - 1)%n)
    call smooth(u(ir(k)), v(ir(k)), lv(k)%n, lv(k)%h)
    call smooth(u(ir(k)), v(ir(k)), lv(k)%n, lv(k)%h)
  end subroutine
end module

program mg
  use grids
  implicit none
  real(dp), allocatable :: exact(:)
  real(dp) :: before, norm
  integer :: i, j, k, n, it, at
  logical :: ok
  call setup
  n = lv(levels)%n
  allocate (exact((n + 1)**3))
  exact = 0
  do k = 1, n - 1
     do j = 1, n - 1
        do i = 1, n - 1
           at = 1 + i + (n + 1)*(j + (n + 1)*k)
           exact(at) = real(mod(i*7 + j*11 + k*13, 31), dp)/31
        end do
     end do
  end do
  ! f = A exact: what is left of nothing, with the sign changed
  v(ir(levels):) = 0
  call residual(r(ir(levels)), exact, v(ir(levels)), n, lv(levels)%h)
  v(ir(levels):) = -r(ir(levels):)
  ok = .true.
  before = sqrt(sum(exact**2))
  do it = 1, cycles
     call cycle_down(levels)
     norm = sqrt(sum((u(ir(levels):) - exact)**2))
     print '(a,i3,a,es22.15)', ' cycle', it, ' error', norm
     ok = ok .and. (norm < before/3 .or. norm < 1.0e-10_dp)
     before = norm
  end do
  ok = ok .and. norm < 1.0e-4_dp
  print '(a,i6,a,i9)', ' smooths', smooths, ' points', points
  deallocate (exact)
  if (.not. ok) error stop ' VERIFICATION FAILED'
  print '(a)', ' VERIFICATION SUCCESSFUL'
end program
