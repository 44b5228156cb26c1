C     Procedures that are passed what other files have.
      SUBROUTINE SCALE(X, N, G)
      INTEGER N, I
      REAL*8 X(N), G(*), P(2)
      COMMON /BLK/ P
      DO 10 I = 1, N
         X(I) = X(I) * P(1)
   10 CONTINUE
      G(N) = P(2)
      CALL INNER(X(2))
      END
      SUBROUTINE INNER(Y)
      REAL*8 Y
      Y = Y + 1
      END
      SUBROUTINE UPDATE(Z)
      REAL*8 Z
      Z = Z + 1
      END
