C SPDX-License-Identifier: BSD-3-Clause
C Symmetric successive over-relaxation: 5 unknowns per point of a cube, sweeps with 5 by 5 blocks,
C similar to LU of the NAS benchmarks. The right hand side is that of a chosen solution.
      PROGRAM LU
      IMPLICIT NONE
      INTEGER ISIZ, ITMAX
      PARAMETER (ISIZ = 10, ITMAX = 12)
      DOUBLE PRECISION U, RSD, FRCT
      COMMON /CVAR/ U(5,ISIZ,ISIZ,ISIZ), RSD(5,ISIZ,ISIZ,ISIZ),
     1              FRCT(5,ISIZ,ISIZ,ISIZ)
      DOUBLE PRECISION EXACT(5,ISIZ,ISIZ,ISIZ), ERRNM(5)
      INTEGER I, J, K, M, ISTEP
      LOGICAL OK
      EXTERNAL EXSOL
      DOUBLE PRECISION EXSOL
      DO 10 K = 1, ISIZ
      DO 10 J = 1, ISIZ
      DO 10 I = 1, ISIZ
      DO 10 M = 1, 5
         EXACT(M,I,J,K) = EXSOL(M,I,J,K)
         FRCT(M,I,J,K) = 0.0D0
   10    U(M,I,J,K) = EXACT(M,I,J,K)
      CALL RHS
      DO 20 K = 2, ISIZ-1
      DO 20 J = 2, ISIZ-1
      DO 20 I = 2, ISIZ-1
      DO 20 M = 1, 5
         FRCT(M,I,J,K) = -RSD(M,I,J,K)
   20    U(M,I,J,K) = 0.0D0
      DO 30 ISTEP = 1, ITMAX
         CALL RHS
         CALL BLTS
         CALL BUTS
         IF (MOD(ISTEP, 4) .EQ. 0) CALL ERROR(EXACT, ERRNM, ISTEP)
   30 CONTINUE
      OK = .TRUE.
      DO 40 M = 1, 5
         IF (.NOT. (ERRNM(M) .LT. 1.0D-6)) OK = .FALSE.
   40 CONTINUE
      WRITE (*, 9000) ISIZ, ITMAX
 9000 FORMAT (' POINTS', I4, ' STEPS', I4)
      IF (OK) THEN
         PRINT *, 'VERIFICATION SUCCESSFUL'
      ELSE
         PRINT *, 'VERIFICATION FAILED'
         STOP 1
      ENDIF
      END

      DOUBLE PRECISION FUNCTION EXSOL(M, I, J, K)
      INTEGER M, I, J, K
      EXSOL = 1.0D0 + M*0.1D0*I - 0.05D0*J*K + 0.01D0*MOD(I*J*K*M, 7)
      END

C Residual: RSD = FRCT - A U. Each unknown depends on six neighbours and the next unknown.
      SUBROUTINE RHS
      IMPLICIT NONE
      INTEGER ISIZ
      PARAMETER (ISIZ = 10)
      DOUBLE PRECISION U, RSD, FRCT
      COMMON /CVAR/ U(5,ISIZ,ISIZ,ISIZ), RSD(5,ISIZ,ISIZ,ISIZ),
     1              FRCT(5,ISIZ,ISIZ,ISIZ)
      INTEGER I, J, K, M, NEXT(5)
      DATA NEXT /2, 3, 4, 5, 1/
      DO 30 K = 2, ISIZ-1
         DO 20 J = 2, ISIZ-1
            DO 10 I = 2, ISIZ-1
               DO 5 M = 1, 5
                  RSD(M,I,J,K) = FRCT(M,I,J,K) - (8.0D0*U(M,I,J,K)
     1               - U(M,I-1,J,K) - U(M,I+1,J,K) - U(M,I,J-1,K)
     2               - U(M,I,J+1,K) - U(M,I,J,K-1) - U(M,I,J,K+1)
     3               + 0.5D0*U(NEXT(M),I,J,K))
    5          CONTINUE
   10       CONTINUE
   20    CONTINUE
   30 CONTINUE
      RETURN
      END

C The block of a point: 8 on the diagonal, 0.5 beside it; solved by elimination.
      SUBROUTINE BLOCK(T, B)
      IMPLICIT NONE
      DOUBLE PRECISION T(5,5), B(5), PIVOT
      INTEGER I, J, L
      DO 10 J = 1, 5
      DO 10 I = 1, 5
         T(I,J) = 0.0D0
         IF (I .EQ. J) T(I,J) = 8.0D0
   10    IF (J .EQ. MOD(I,5)+1) T(I,J) = 0.5D0
      DO 40 L = 1, 4
         DO 30 I = L+1, 5
            IF (T(I,L) .EQ. 0.0D0) GO TO 30
            PIVOT = T(I,L)/T(L,L)
            DO 20 J = L, 5
   20          T(I,J) = T(I,J) - PIVOT*T(L,J)
            B(I) = B(I) - PIVOT*B(L)
   30    CONTINUE
   40 CONTINUE
      DO 60 I = 5, 1, -1
         DO 50 J = I+1, 5
   50       B(I) = B(I) - T(I,J)*B(J)
         B(I) = B(I)/T(I,I)
   60 CONTINUE
      END

      SUBROUTINE BLTS
      IMPLICIT NONE
      INTEGER ISIZ
      DOUBLE PRECISION OMEGA
      PARAMETER (ISIZ = 10, OMEGA = 1.2D0)
      DOUBLE PRECISION U, RSD, FRCT
      COMMON /CVAR/ U(5,ISIZ,ISIZ,ISIZ), RSD(5,ISIZ,ISIZ,ISIZ),
     1              FRCT(5,ISIZ,ISIZ,ISIZ)
      DOUBLE PRECISION T(5,5), B(5)
      INTEGER I, J, K, M
      DO 30 K = 2, ISIZ-1
      DO 30 J = 2, ISIZ-1
      DO 30 I = 2, ISIZ-1
         DO 10 M = 1, 5
            B(M) = RSD(M,I,J,K)
            IF (K .GT. 2) B(M) = B(M) + OMEGA*RSD(M,I,J,K-1)
            IF (J .GT. 2) B(M) = B(M) + OMEGA*RSD(M,I,J-1,K)
            IF (I .GT. 2) B(M) = B(M) + OMEGA*RSD(M,I-1,J,K)
   10    CONTINUE
         CALL BLOCK(T, B)
         DO 20 M = 1, 5
   20       RSD(M,I,J,K) = B(M)
   30 CONTINUE
      END

      SUBROUTINE BUTS
      IMPLICIT NONE
      INTEGER ISIZ
      DOUBLE PRECISION OMEGA
      PARAMETER (ISIZ = 10, OMEGA = 1.2D0)
      DOUBLE PRECISION U, RSD, FRCT
      COMMON /CVAR/ U(5,ISIZ,ISIZ,ISIZ), RSD(5,ISIZ,ISIZ,ISIZ),
     1              FRCT(5,ISIZ,ISIZ,ISIZ)
      DOUBLE PRECISION T(5,5), B(5)
      INTEGER I, J, K, M
      DO 30 K = ISIZ-1, 2, -1
      DO 30 J = ISIZ-1, 2, -1
      DO 30 I = ISIZ-1, 2, -1
         DO 10 M = 1, 5
            B(M) = 0.0D0
            IF (K .LT. ISIZ-1) B(M) = B(M) + OMEGA*RSD(M,I,J,K+1)
            IF (J .LT. ISIZ-1) B(M) = B(M) + OMEGA*RSD(M,I,J+1,K)
            IF (I .LT. ISIZ-1) B(M) = B(M) + OMEGA*RSD(M,I+1,J,K)
   10    CONTINUE
         CALL BLOCK(T, B)
         DO 20 M = 1, 5
            RSD(M,I,J,K) = RSD(M,I,J,K) + B(M)
   20       U(M,I,J,K) = U(M,I,J,K) + OMEGA*(2.0D0-OMEGA)*RSD(M,I,J,K)
   30 CONTINUE
      END

      SUBROUTINE ERROR(EXACT, ERRNM, ISTEP)
      IMPLICIT NONE
      INTEGER ISIZ
      PARAMETER (ISIZ = 10)
      DOUBLE PRECISION U, RSD, FRCT
      COMMON /CVAR/ U(5,ISIZ,ISIZ,ISIZ), RSD(5,ISIZ,ISIZ,ISIZ),
     1              FRCT(5,ISIZ,ISIZ,ISIZ)
      DOUBLE PRECISION EXACT(5,ISIZ,ISIZ,*), ERRNM(5)
      INTEGER I, J, K, M, ISTEP
      DO 10 M = 1, 5
   10    ERRNM(M) = 0.0D0
      DO 20 K = 2, ISIZ-1
      DO 20 J = 2, ISIZ-1
      DO 20 I = 2, ISIZ-1
      DO 20 M = 1, 5
   20    ERRNM(M) = ERRNM(M) + (U(M,I,J,K) - EXACT(M,I,J,K))**2
      DO 30 M = 1, 5
   30    ERRNM(M) = SQRT(ERRNM(M))
      WRITE (*, 9000) ISTEP, ERRNM
 9000 FORMAT (' STEP', I4, 1P, 5E23.15)
      END
