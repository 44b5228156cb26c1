! SPDX-License-Identifier: BSD-3-Clause
! Conjugate gradients on a sparse random matrix, similar to CG of the NAS benchmarks, in fixed form.
! The matrix is diagonally dominant, so the chosen solution must result. Prints operation counts.
      program cg
      implicit double precision (a-h, o-z)
      parameter (n = 300, nz = 6, maxnz = n*(2*nz + 1), nit = 4)
      parameter (maxit = 60, tol = 1.0d-13)
      common /matrix/ a(maxnz), colidx(maxnz), rowstr(n+1)
      integer colidx, rowstr
      common /vectors/ x(n), z(n), p(n), q(n), r(n)
      common /count/ mults
      dimension want(n)
      logical ok
      call makea(nnz)
      mults = 0
      ok = .true.
      do 30 it = 1, nit
         do 10 i = 1, n
            want(i) = dble(mod(i*it, 17)) - 8.0d0
   10    continue
         call matvec(n, want, x)
         call conjgd(rnorm, steps)
         err = 0.0d0
         do 20 i = 1, n
   20       err = max(err, abs(z(i) - want(i)))
         if (err .gt. 1.0d-9 .or. rnorm .gt. 1.0d-9) ok = .false.
         write (*, '(a,i3,a,i3,a,1pe22.15)') ' iteration', it, ' steps',
     &      int(steps), ' z(1)', z(1)
   30 continue
      write (*, '(a,i8,a,i5,a,i5)') ' nonzeros', nnz, ' products',
     &   mults, ' rows', n
      if (ok) then
         print '(a)', ' VERIFICATION SUCCESSFUL'
      else
         print '(a)', ' VERIFICATION FAILED'
         stop 1
      end if
      end

! Rows of a symmetric matrix: places at random, sorted by row.
      subroutine makea(nnz)
      implicit double precision (a-h, o-z)
      parameter (n = 300, nz = 6, maxnz = n*(2*nz + 1))
      common /matrix/ a(maxnz), colidx(maxnz), rowstr(n+1)
      integer colidx, rowstr
      integer iarow(n*nz), iacol(n*nz)
      dimension value(n*nz), diag(n)
      integer seed
      seed = 314159
      do 10 k = 1, n*nz
         seed = mod(seed*221 + 2113, 65536)
         iarow(k) = 1 + mod(seed, n)
         seed = mod(seed*221 + 2113, 65536)
         iacol(k) = 1 + mod(seed, n)
         value(k) = dble(seed)/65536.0d0 - 0.5d0
   10 continue
      do 20 i = 1, n
   20    diag(i) = 1.0d0
      do 30 k = 1, n*nz
         if (iarow(k) .eq. iacol(k)) go to 30
         diag(iarow(k)) = diag(iarow(k)) + abs(value(k))
         diag(iacol(k)) = diag(iacol(k)) + abs(value(k))
   30 continue
      nnz = 0
      do 50 i = 1, n
         rowstr(i) = nnz + 1
         nnz = nnz + 1
         a(nnz) = diag(i)
         colidx(nnz) = i
         do 40 k = 1, n*nz
            if (iarow(k) .eq. iacol(k)) goto 40
            if (iarow(k) .eq. i) then
               nnz = nnz + 1
               a(nnz) = value(k)
               colidx(nnz) = iacol(k)
            else if (iacol(k) .eq. i) then
               nnz = nnz + 1
               a(nnz) = value(k)
               colidx(nnz) = iarow(k)
            end if
   40    continue
   50 continue
      rowstr(n+1) = nnz + 1
      return
      end

! w = A v
      subroutine matvec(n, v, w)
      implicit double precision (a-h, o-z)
      dimension v(n), w(*)
      parameter (nm = 300, nz = 6, maxnz = nm*(2*nz + 1))
      common /matrix/ a(maxnz), colidx(maxnz), rowstr(nm+1)
      integer colidx, rowstr
      common /count/ mults
      do 20 j = 1, n
         sum = 0.0d0
         do 10 k = rowstr(j), rowstr(j+1) - 1
            sum = sum + a(k)*v(colidx(k))
   10    continue
         w(j) = sum
   20 continue
      mults = mults + 1
      end

      subroutine conjgd(rnorm, steps)
      implicit double precision (a-h, o-z)
      parameter (n = 300, maxit = 60, tol = 1.0d-13)
      common /vectors/ x(n), z(n), p(n), q(n), r(n)
      rho = 0.0d0
      do 10 j = 1, n
         q(j) = 0.0d0
         z(j) = 0.0d0
         r(j) = x(j)
         p(j) = r(j)
         rho = rho + r(j)*r(j)
   10 continue
      first = rho
      do 50 it = 1, maxit
         steps = it
         call matvec(n, p, q)
         d = 0.0d0
         do 20 j = 1, n
   20       d = d + p(j)*q(j)
         alpha = rho/d
         rho0 = rho
         rho = 0.0d0
         do 30 j = 1, n
            z(j) = z(j) + alpha*p(j)
            r(j) = r(j) - alpha*q(j)
            rho = rho + r(j)*r(j)
   30    continue
         if (rho .le. tol*tol*first) go to 60
         beta = rho/rho0
         do 40 j = 1, n
   40       p(j) = r(j) + beta*p(j)
   50 continue
   60 call matvec(n, z, r)
      rnorm = 0.0d0
      do 70 j = 1, n
         rnorm = rnorm + (x(j) - r(j))**2
   70 continue
      rnorm = sqrt(rnorm)
      end
