C     Fixed form as it was written: shared terminals, arithmetic IF, COMMON seen in two ways,
C     EQUIVALENCE, arrays passed by an element. Prints what it computed.
      PROGRAM LEGACY
      INTEGER N
      PARAMETER (N = 6)
      REAL*8 A(N,N), B(N), S
      INTEGER I, J, K
      REAL FLAT(4)
      COMPLEX PAIR(2)
      EQUIVALENCE (FLAT, PAIR)
      COMMON /BLK/ A, K
      DO 10 I = 1, N
      DO 10 J = 1, N
   10 A(J,I) = I * 10
     &   + J
      S = 0
      DO 20 I = 1, N
        B(I) = A(I,I)
        IF (A(I,I) .GT. 30) S = S + B(I)
        IF (B(I) .LT. 20) THEN
          S = S - 1
        ELSE IF (B(I) .LT. 50 .OR. I .EQ. 6) THEN
          S = S + A(1,I)
        ELSE
          S = S - A(2,I)
        END IF
   20 CONTINUE
      K = 3
      IF (K - 3) 30, 40, 50
   30 S = -1
   40 S = S + A(K,1)
      GO TO 60
   50 S = -2
   60 A(1,1) = S
      CALL SCALE(A(1,2), N, 2.0D0)
      CALL OTHER(B, N)
      FLAT(3) = 7
      PAIR(1) = PAIR(2)
      WRITE (*,100) S, A(1,2), B(6), FLAT(1)
  100 FORMAT (4F10.3)
      END
C
      SUBROUTINE SCALE(X, M, F)
      INTEGER M
      REAL*8 X(M), F
      DO 10, I = 1, M
        IF (X(I) .LT. 0) RETURN
   10 X(I) = X(I) * F
      RETURN
      END
C
      SUBROUTINE OTHER(V, M)
      INTEGER M, L
      REAL*8 V(*), Q(36)
      COMMON /BLK/ Q, L
      V(1) = Q(8)
      V(M) = L
      END
