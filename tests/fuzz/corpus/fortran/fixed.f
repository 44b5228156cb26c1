C     fixed form: labels, shared terminals, continuation, Hollerith
      SUBROUTINE S(A, N, *)
      IMPLICIT REAL*8 (A-H,O-Z)
      PARAMETER (M = 2*3+1, L = M**2)
      DIMENSION A(N,*), B(0:M,L)
      COMMON /BLK/ C(10), K
      EQUIVALENCE (B(1,1), D), (C(2), E)
      DATA B /49*0.D0/, T /4HABCD/
      F(X) = X**2 + A(1,1)
      DO 10 I = 1, N
      DO 10 J = 1, 1. E1
      IF (A(I,J) .GT. 0) GOTO 10
      A(I,J) = F(B(K,I)) +
C between
     &   C(I) ! end
   10 A(J,I) = A(J,I) + 1
      WRITE (6, 20, ERR=30) (A(I,1), I = 1, N)
   20 FORMAT (5HI ') , 3(1X,I5))
   30 RETURN 1
      END
