! A traced array reached by a pointer, a component that is one, ASSOCIATE, and a READ under a condition. Prints its sum.
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
  if (a(1) > 0) read (text, *) a(1)
  print *, sum(a)
end program indirect
