! Conditions, bounds and selectors call functions, each exactly as often as without probes.
program turns
  implicit none
  integer :: a(6) = [1, 2, 3, 4, 5, 6], calls = 0, i, k, m = 0
  integer, allocatable :: b(:)
  do i = 1, 4
    if (a(i) == 1) then
      m = m + 1
    else if (a(pick(i)) == 2) then
      m = m + 10
    else if (a(5) == 5 .and. a(i) == 3) then
      m = m + 100
    else if (pick(i) == 4) then; m = m + 1000
    end if
  end do
  which: do i = 2, 6, 2
    branch: if (a(i) == 2) then
      cycle which
    else if (a(i) == 4) then branch
      m = m + a(1)
      if (a(2) == 2) exit branch
      m = -1
    else if (pick(6) == 6) then branch
      m = m + a(2)
    else branch
      m = -2
    end if branch
  end do which
  k = 0
  outer: do while (a(pick(k + 1)) < 6)
    k = k + 1
    if (a(k) == 2) cycle
    if (a(k) == 4) exit outer
  end do outer
  do 10 while (a(k) > 1)
    k = k - 1
    if (k == 3) goto 10
    if (k == 2) goto 20
    a(6) = a(6) + k
10 continue
20 do while (k < 3 &
    ! a comment between
    .or. a(4) == 0)
    do while (a(3) == 3); a(3) = 0; end do
    k = k + 1
  end do
  if (a(1) == 0) then
    m = -3
  else if (pick(2) == 1) &
    then
    m = -4
  else
    if (a(1) == 1) then
      m = m + 1
    else if (a(1) == 2) then
      m = -5
    end if
  end if
  select case (pick(k))
  case (3)
    m = m + a(4)
  case default
    m = -6
  end select
  select case (a(pick(2)))
  case (2); m = m + 1
  end select
  do i = pick(2), pick(3) + 1, pick(1)
    a(i) = a(i) + i
  end do
  do 40 i = 1, pick(2)
    do 40 k = 1, pick(1)
40    a(k) = a(k) + 1
  allocate (b(pick(4)))
  b = 1
  go to (50, 60), pick(2)
50 m = -7
60 if (pick(1) == 2) go to 50
  print *, a, m, k, size(b), calls
contains
  integer function pick(n)
    integer, intent(in) :: n
    calls = calls + 1
    pick = n
  end function
end program
