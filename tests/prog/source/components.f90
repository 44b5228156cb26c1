! Components that ASSOCIATE gives names, and those of what CLASS passes. Prints what it computed.
module shapes
  type point
    integer :: i = 1
    integer :: v(4) = [1, 2, 3, 4]
  end type
  type, extends(point) :: wide
    type(point) :: at(2)
  end type
contains
  subroutine step(x)
    class(point), intent(inout) :: x
    x%i = x%v(2)
  end subroutine
end module
program components
  use shapes
  type(wide) :: b
  integer :: k
  associate (w => b%v, e => b%i, some => b%at(2)%v(2:3), column => b%at%i, one => b%at(1))
    w(1) = e
    do k = 1, 2
      some(k) = w(k + 2)
    end do
    column(2) = some(1)
    one%v(4) = column(1)
    associate (inner => one%v)
      inner(3) = e
    end associate
  end associate
  call step(b)
  call step(b%at(2))
  print *, b%i, b%v, b%at(1)%i, b%at(1)%v, b%at(2)%i, b%at(2)%v
end program
