! Units that begin with OpenMP directives or preprocessor lines; collapsed loops; statements that
! must stay together. Prints its results.
program main
  implicit none
  integer, parameter :: n = 12
  real :: total
  integer :: seen
  total = 0
  call loops(n)
  call region(n)
  call conditional(n)
  call together(n)
  call guarded(n)
contains
  subroutine loops(n)
    integer, intent(in) :: n
    real :: a(n)
    integer :: i
    !$omp parallel do private(i)
    do i = 1, n
      a(i) = i
    end do
    !$omp paralleldo &
    !$omp & private(i) reduction(+: total)
    do i = 1, n
      total = total + a(i)
    end do
    !$omp endparalleldo
    print *, sum(a)
  end subroutine
  subroutine region(n)
    integer, intent(in) :: n
    real :: b(n)
    integer :: i
    !$omp parallel private(i)
    !$omp do
    do i = 1, n
      b(i) = i
    end do
    !$omp end do
    !$omp single
    b(1:3) = b(1:3) + 1
    !$omp end single
    !$omp end parallel
    !$omp parallel
    forall (i = 1:n) b(i) = 2
    !$omp end parallel
    print *, sum(b)
  end subroutine
  subroutine conditional(n)
    integer, intent(in) :: n
    real :: c(n)
#ifdef NEVER
    c = 1
#endif
    c = 3
    print *, sum(c)
  end subroutine
  subroutine together(n)
    integer, intent(in) :: n
    real :: d(n, n)
    integer :: i, j, workshares, bend
    !$omp declare reduction(plus: real &
    !$omp & : omp_out = omp_out + omp_in) initializer(omp_priv = 0)
    d = 0
    seen = 0
    !$omp parallel do collapse(2) ordered(2)
    do i = 1, n
      do j = 1, n
        d(i, j) = i
      end do
    end do
    !$omp parallel do private(workshares)
    do i = 1, n
      !$omp atomic capture
      j = seen
      seen = seen + 1
    end do
    !$omp parallel workshare shared(d, bend)
    d(1, :) = 5
    d(2, 2) = seen
    where (d > 5) d = 0
    !$omp end parallel workshare
    print *, sum(d), seen
  end subroutine
  subroutine guarded(n)
    integer, intent(in) :: n
    real :: e(n)
    integer :: i
#ifdef _OPENMP
    !$omp parallel do private(i) &
    !$omp & shared(e)
#endif
    do i = 1, n
      e(i) = i
    end do
#ifdef _OPENMP
    !$omp end parallel do
#else
    e(1) = 2
#endif
#ifdef _OPENMP
    !$omp parallel
    !$omp do
#endif
    do i = 1, n
      e(i) = e(i) + 1
    end do
#if defined(_OPENMP)
    !$omp end do
    !$omp single
#endif
#ifdef _OPENMP
    !$omp atomic
#endif
    e(2) = e(2) + 3
#ifdef _OPENMP
    !$omp end single
    !$omp end parallel
#endif
    print *, sum(e)
  end subroutine
end program
