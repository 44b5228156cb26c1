! A module of its own: what it has is used by other files.
module field
  implicit none
  integer, parameter :: n = 4
  real(8), allocatable :: grid(:)
  real(8) :: limits(2) = [0d0, 9d0]
  type cell
    integer :: kind
    real(8) :: value
  end type
end module
