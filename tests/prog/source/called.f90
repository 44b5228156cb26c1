! Names of procedures that match others: an ENTRY named like an external function, functions that
! return procedure pointers, undeclared targets, a module named like an intrinsic. Prints results.
module iso_fortran_env
  real :: unlike
end module iso_fortran_env

module called_of
  implicit integer (a-z)
contains
  integer function sibling(d)
    integer, intent(in) :: d
    sibling = late(d) * early(d)
  end function sibling
  integer function early(d)
    integer, intent(in) :: d
    integer :: late
    early = d + 1
    return
    entry late(d)
    late = d + 2
  end function early
  function which() result(found)
    procedure(integer), pointer :: found
    found => iabs
  end function which
end module called_of

integer function late(d)
  integer, intent(in) :: d
  late = 1000 * d
end function late

program called
  use, intrinsic :: iso_fortran_env
  use called_of
  implicit none
  procedure(integer), pointer :: f
  procedure(real), pointer :: g
  integer :: k(3)
  f => which()
  g => cos
  k(1) = sibling(3)
  k(2) = late(k(1))
  k(3) = f(-k(2))
  print *, k, output_unit, int(g(0.0))
end program called
