! SPDX-License-Identifier: BSD-3-Clause
! A matrix product and an intrinsic of the run-time library, for the tests of memory tracing.
program mem_fortran
  implicit none
  integer, parameter :: n=30
  real(8) :: a(n,n), b(n,n), c(n,n)
  integer :: i,j,k
  do i=1,n; do j=1,n; a(i,j)=i*j; b(i,j)=i-j; end do; end do
  c=0
  do j=1,n; do k=1,n; do i=1,n
    c(i,j)=c(i,j)+a(i,k)*b(k,j)
  end do; end do; end do
  print *, sum(c), matmul(a,b)
end program
