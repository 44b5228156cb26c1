! SPDX-License-Identifier: BSD-3-Clause
! Fortran: recursion, arrays with descriptors, procedure arguments, an internal procedure as a
! callback (a trampoline on the stack), optional arguments, character results. The log is kept by
! plain stores, as truth.h does it for C; its file has the same form.
module truth
  implicit none
  integer, parameter :: cap = 100000
  integer :: n = 0, depth = 0
  integer :: fun(cap), dep(cap)
  character(len=12), parameter :: names(9) = [character(len=12) :: 't_leaf', 't_fact', 't_apply', &
    't_inner', 't_outer', 't_stats', 't_text', 't_optional', 't_many']
end module truth

module work
  use truth
  use, intrinsic :: iso_c_binding
  implicit none
  abstract interface
    integer function callback(k)
      integer, intent(in) :: k
    end function callback
  end interface
contains
  integer function leaf(k) bind(c, name='t_leaf')
    integer, intent(in) :: k
    n = n + 1; fun(n) = 1; dep(n) = depth; depth = depth + 1
    leaf = k
    depth = depth - 1
  end function leaf

  recursive integer function fact(k) result(r) bind(c, name='t_fact')
    integer, intent(in) :: k
    integer :: below
    n = n + 1; fun(n) = 2; dep(n) = depth; depth = depth + 1
    if (k <= 1) then
      r = leaf(1)
    else
      below = k - 1
      r = k * fact(below)
    end if
    depth = depth - 1
  end function fact

  integer function t_apply(f, k)
    procedure(callback) :: f
    integer, intent(in) :: k
    n = n + 1; fun(n) = 3; dep(n) = depth; depth = depth + 1
    t_apply = f(k) + leaf(k)
    depth = depth - 1
  end function t_apply

  integer function t_outer(k)
    integer, intent(in) :: k
    integer :: seen
    n = n + 1; fun(n) = 5; dep(n) = depth; depth = depth + 1
    seen = 0
    t_outer = t_apply(t_inner, k) + t_inner(k)
    t_outer = t_outer + seen
    depth = depth - 1
  contains
    integer function t_inner(j)
      integer, intent(in) :: j
      n = n + 1; fun(n) = 4; dep(n) = depth; depth = depth + 1
      seen = seen + 1
      t_inner = leaf(j) + k
      depth = depth - 1
    end function t_inner
  end function t_outer

  real function t_stats(a)
    real, intent(in) :: a(:, :)
    real :: copy(size(a, 1), size(a, 2))
    n = n + 1; fun(n) = 6; dep(n) = depth; depth = depth + 1
    copy = a * 2.0
    t_stats = sum(copy) + real(leaf(1))
    depth = depth - 1
  end function t_stats

  function t_text(k) result(s)
    integer, intent(in) :: k
    character(len=8) :: s
    n = n + 1; fun(n) = 7; dep(n) = depth; depth = depth + 1
    write (s, '(i8)') leaf(k)
    depth = depth - 1
  end function t_text

  integer function t_optional(a, b, c)
    integer, intent(in) :: a
    integer, intent(in), optional :: b, c
    n = n + 1; fun(n) = 8; dep(n) = depth; depth = depth + 1
    t_optional = a
    if (present(b)) t_optional = t_optional + leaf(b)
    if (present(c)) t_optional = t_optional + leaf(c)
    depth = depth - 1
  end function t_optional

  integer function t_many(a, b, c, d, e, f, g, h, i)
    integer, intent(in) :: a, b, c, d, e, f, g, h, i
    n = n + 1; fun(n) = 9; dep(n) = depth; depth = depth + 1
    t_many = leaf(a) + b + c + d + e + f + g + h + leaf(i)
    depth = depth - 1
  end function t_many
end module work

program depth_fortran
  use truth
  use work
  implicit none
  real :: a(7, 5)
  integer :: i, total, unit, status
  character(len=8) :: s
  character(len=4096) :: path
  total = 0
  a = 1.0
  do i = 1, 12
    total = total + fact(i) / fact(i)
    total = total + t_outer(i)
    total = total + int(t_stats(a(1:7:2, :)))
    s = t_text(i)
    total = total + len_trim(adjustl(s))
    total = total + t_optional(i) + t_optional(i, 1) + t_optional(i, c=2)
    total = total + t_many(1, 2, 3, 4, 5, 6, 7, 8, leaf(i))
  end do
  call get_environment_variable('BOB_LOG', path, status=status)
  if (status == 0) then
    open (newunit=unit, file=trim(path), status='replace', action='write')
    write (unit, '(a)') 'mode exact'
    write (unit, '(a)') 'thread 0'
    do i = 1, n
      write (unit, '(i0,a,a)') dep(i), ' 0 ', trim(names(fun(i)))
    end do
    close (unit)
  end if
  if (depth /= 0 .or. n /= 420 .or. total /= 1713) then
    print '(a,3(1x,i0))', 'BAD:', depth, n, total
    stop 1
  end if
  print '(a,i0,a)', 'ok: ', n, ' entries'
end program depth_fortran
