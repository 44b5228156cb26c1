! What main.c calls, and what calls it again.
module state
   use iso_c_binding
   implicit none
   integer(c_int), bind(c) :: counter = 1
   integer :: level = 0
   real(c_double), bind(c, name='given') :: result(3)
   abstract interface
      subroutine of_two(v)
         import c_double
         real(c_double), intent(inout) :: v(2)
      end subroutine
   end interface
   procedure(of_two), pointer :: later => called_later
contains
   subroutine called_later(v)
      real(c_double), intent(inout) :: v(2)
      v(2) = v(1)
   end subroutine
   subroutine called_back(v)
      real(c_double), intent(inout) :: v(2)
      v(2) = v(1) + v(2)
   end subroutine
   subroutine scale(v, n, by) bind(c)
      integer(c_int), value :: n
      real(c_double), value :: by
      real(c_double), intent(inout) :: v(n)
      integer :: i
      do i = 1, n
         v(i) = v(i) * by
      end do
   end subroutine
   subroutine through_pointer(p, n) bind(c)
      type(c_ptr), value :: p
      integer(c_int), value :: n
      real(c_double), pointer :: v(:)
      call c_f_pointer(p, v, [n])
      v(2) = v(2) + 40
      result(3) = v(2)
   end subroutine
end module

subroutine fill(v, n)
   integer :: n
   real(8) :: v(n), w(3)
   integer :: i
   do i = 1, n
      v(i) = i
   end do
   w = 1
   call half(w, 3)
   v(1) = w(1)
   call inner(v, n)
end subroutine

subroutine inner(v, n)
   integer :: n
   real(8) :: v(n)
   v(n) = v(1)
end subroutine

subroutine start
   use state
   implicit none
   common /shared/ x, n
   real(8) :: x(4)
   integer :: n
   interface
      subroutine c_twice(v, n) bind(c)
         import c_double, c_int
         real(c_double) :: v(*)
         integer(c_int) :: n
      end subroutine
      subroutine with_callback(f) bind(c)
         import c_funptr
         type(c_funptr), value :: f
      end subroutine
      subroutine keep(f) bind(c)
         import c_funptr
         type(c_funptr), value :: f
      end subroutine
   end interface
   real(8) :: local(3)
   x = 3
   n = 4
   local = 5
   call c_twice(local, 3)
   x(1) = local(3)
   counter = counter + 1
   level = level + 1
   call keep(c_funloc(later))
   call with_callback(c_funloc(called_back))
   result(2) = result(1)
end subroutine
