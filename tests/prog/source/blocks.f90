! Names that BLOCK declares, which hide others, and blocks that are left in all ways.
program main
  implicit none
  integer :: i, j, n
  real :: a(4), s
  a = 1
  s = 0
  n = 3
  do i = 1, 4
    block
      integer :: a(2, 2), k
      real, allocatable :: t(:)
      a = i
      k = a(1, 2)
      allocate (t(k))
      t = 2
      s = s + t(1)
      if (i == 2) cycle
      do j = 1, 2
        if (j == 2) exit
        a(j, j) = 7
      end do
      if (i == 3) exit
      s = s + a(1, 1)
    end block
    a(i) = s
  end do
  call f(n)
  named: block
    real, save :: kept = 3
    real :: q(n)
    q(2) = kept
    kept = q(2) + 1
    if (kept > 0) exit named
    q(3) = 4
  end block named
  a(1) = s
  print *, a(1), s
contains
  subroutine f(m)
    integer, intent(in) :: m
    integer :: r
    r = m
    block
      integer :: r
      r = 5
      if (m == 3) return
      r = 6
    end block
    r = 1
  end subroutine
end program
