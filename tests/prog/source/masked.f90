! Accesses of WHERE, FORALL, implied DO, substrings, optional arguments, PURE, DO CONCURRENT.
! test_instrument_fortran.py computes the accesses again.
module tools
  implicit none
contains
  pure integer function total(q, n)
    integer, intent(in) :: n, q(n)
    integer :: i
    total = 0
    do i = 1, n
      total = total + q(i)
    end do
  end function
  subroutine maybe(q, r)
    integer, optional :: q(:), r
    if (present(q)) q(2) = q(1)
    if (present(r) .and. size(q) > 2) r = q(3)
  end subroutine
  elemental integer function twice(x)
    integer, intent(in) :: x
    twice = 2 * x
  end function
end module

program masked
  use tools
  implicit none
  integer :: a(6), b(6), m(2, 3), i, j, k, n
  character(8) :: text
  character(30) :: line
  character(:), allocatable :: long
  a = 0; b = 1
  ! WHERE of one line, and a construct with branches and one inside
  where (a == 0) a = b
  a(2) = -5; a(4) = -7
  where (a > 0)
    b = a + 1
  elsewhere (a < -6)
    b = 0
  elsewhere
    b = -a
    where (a == -5) a = 9
  end where
  where (b > sum(b) / 100) b = 3
  ! FORALL, the first index fastest
  forall (i = 1:2, j = 1:3) m(i, j) = 10 * i + j
  forall (i = 1:3, a(i) > 0)
    a(i) = i
    b(i + 1) = a(i)
  end forall
  ! implied DO
  write (line, '(9i3)') (a(k), b(k), k = 1, 2), n_of(3)
  print '(8i4)', ((m(i, j), i = 1, 2), j = 1, 3)
  text = '2 7 8'
  read (text, *) n, (b(k), k = 1, n)
  ! parts of texts
  text(3:5) = 'abc'
  if (text(4:4) == 'b') text(1:1) = text(3:3)
  long = text(1:2)
  ! what .and. guards
  do k = 5, 7
    if (k <= 6 .and. a(min(k, 6)) > 0) n = n + 1
    if (k > 6 .or. a(b(3)) > 100) n = n + 1
  end do
  call maybe()
  call maybe(a)
  call maybe(q=b, r=n)
  do concurrent (i = 1:3, j = 1:1)
    a(i) = b(i) + j
  end do
  n = total(a, 3); a(1) = twice(a(2)); a(2:3) = twice(b(2:3))
  print *, a, b, m, n, text, line, long
contains
  integer function n_of(x)
    integer, intent(in) :: x
    n_of = x
  end function
end program
