! Names of intrinsics for variables, functions declared only by type, lengths, attributes, %VAL.
subroutine show(int, lbound, d)
  integer, intent(in) :: int, lbound
  character*4, pointer :: c
  character*4, dimension(2) :: d
  character*4, target :: e
  real :: hidden(2)
  e = 'abcd'
  c => e
  d = c
  d(2) = 'x'
  hidden = int
  print *, d, hidden(2), lbound
end subroutine
program main
  real :: f1, f2, f3
  character*4 d(2)
  integer :: k
  k = 2
  if (f1() + f2() > f3()) then
    print *, 'yes'
  end if
  if (k > 2) call f4(%val(k))
  call show(3, k, d)
  print *, d
end program
real function f1()
  f1 = 1
end
real function f2()
  f2 = 1
end
real function f3()
  f3 = 1
end
subroutine f4(k)
  integer :: k
end
