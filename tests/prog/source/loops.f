C     Loops in fixed form, with and without accesses that one probe can report. Prints its results.
      PROGRAM LOOPS
      INTEGER N, I, J, K, L, IDX(8)
      REAL*8 A(8,8), B(8,8), C(0:9), S
      COMMON /BLK/ A, N, IDX
      DATA B, C /74*0/
      N = 8
C     shared terminal: one nest of two loops
      DO 10 J = 1, N
      DO 10 I = 1, N
   10 A(I,J) = I * 10
     &   + J
C     downwards, by steps, from a member of the block
      DO 20, J = N, 1, -3
        DO 20 I = 2, N - 1, 2
          B(I,J) = A(I-1,J) + A(I+1,J)
     &      + A(J,I)
          A(I,9-J) = B(I,J) * 0.5D0
   20 CONTINUE
C     the inner bound depends on the outer loop: the inner loop alone
      DO 30 J = 1, N
      DO 30 I = J, N
   30 C(I) = A(I,J)
C     no trips
      DO 40 J = 1, N
      DO 40 I = 5, 4
   40 A(J,I) = -1
C     looked up, in what nothing changes; then in what the loop changes
      DO 50 I = 1, N
   50 IDX(I) = 9 - I
      DO 60 K = 1, 3
        DO 60 I = 1, N
   60 C(I) = C(I) + A(IDX(K),I)
      DO 70 I = 1, 7
        IDX(I+1) = I
   70 C(I) = A(IDX(I),I)
C     a jump out
      DO 80 I = 1, N
      IF (A(I,I) .LT. 0) GO TO 90
   80 C(I) = A(I,I)
   90 CONTINUE
C     a call
      DO 100 I = 1, 2
      CALL SUM(A(1,I), N, S)
  100 C(I) = S
C     subscripts that are not even, or change
      L = 1
      DO 110 I = 1, 3
        C(I*I) = A(I,L)
  110 L = L + I
C     something under a condition, which is not traced
      S = 0
      DO 120 J = 1, N
      DO 120 I = 1, N
      IF (A(I,J) .GT. 50) THEN
        S = S + 1
        L = J
      ELSE IF (I .EQ. J) THEN
        S = S - 1
      END IF
      IF (S .GT. 1D6) S = 0
  120 C(0) = C(0) + B(J,I)
C     and one that is: the condition is always read, what it guards is not
      DO 130 I = 1, N
      IF (A(I,1) .GT. 50) C(9) = C(9) + A(I,2)
  130 CONTINUE
C     a jump to the loop gives its label away
      K = 0
  140 DO 150 I = 1, 2
  150 C(I) = C(I) + A(I,3)
      K = K + 1
      IF (K .LT. 2) GO TO 140
      WRITE (*,200) A(3,4), B(2,5), C(0), C(3), C(9), S, L
  200 FORMAT (6F14.4, I4)
      END
C
      SUBROUTINE SUM(X, M, F)
      INTEGER M, I
      REAL*8 X(*), F
      F = 0
      DO 10 I = 1, M
   10 F = F + X(I)
      END
