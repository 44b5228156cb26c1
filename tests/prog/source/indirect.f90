! A traced array reached by pointers, components, ASSOCIATE and a conditional READ. Prints its sum.
program indirect
  implicit none
  type holder
    real, pointer :: of(:)
  end type holder
  real, target :: a(4)
  real, pointer :: p(:)
  type(holder) :: h
  character(8) :: text = '9'
  a = 1
  p => a(2:4)
  h%of => a
  p(1) = 2
  h%of(4) = 3
  associate (x => a(3))
    x = 4
  end associate
  associate (whole => a, some => a(2:3), twice => a([1, 1]), twofold => 2 * a(2:2))
    whole(4) = some(2)
    some = some - 1
    whole(1) = whole(1) + twice(2)
    if (twofold(1) == 4) whole(2) = 2
    where (whole > 3) whole = whole + 1
  end associate
  if (a(1) > 0) read (text, *) a(1)
  print *, sum(a)
end program indirect
