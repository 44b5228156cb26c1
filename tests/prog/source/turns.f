C     As turns.f90, in fixed form: ELSEIF, continued and labelled; DO WHILE with labels, shared ends
      PROGRAM TURNSF
      INTEGER A(6), CALLS, I, K, M
      COMMON /COUNT/ CALLS
      INTEGER PICK
      EXTERNAL PICK
      DATA A /1, 2, 3, 4, 5, 6/, M /0/
      CALLS = 0
      DO 10 I = 1, 4
        IF (A(I) .EQ. 1) THEN
          M = M + 1
        ELSEIF (A(PICK(I)) .EQ. 2) THEN
          M = M + 10
   5    ELSE IF (A(5) .EQ. 5 .AND.
C     a comment between
     &           A(I) .EQ. 3) T
     &HEN
          GO TO 7
        ELSE
     &  IF (PICK(I) .EQ. 4) THEN
          M = M + 1000
#ifdef NOTHING
        ELSE IF (A(3) .EQ. 0) THEN
          M = -1
#endif
        ELSE IF (A(4) .EQ. 0) THEN
          M = -2
   7    END IF
   10 CONTINUE
      K = 0
      DO 30 WHILE (A(PICK(K + 1)) .LT. 6)
        K = K + 1
        IF (A(K) .EQ. 2) GO TO 30
        IF (A(K) .EQ. 4) GO TO 40
   30 CONTINUE
   40 DO 50, I = 1, 2
        DO 50 WHILE (A(I) .LT. 3)
   50 A(I) = A(I) + 1
      DO 60 I = PICK(1), PICK(2)
        A(I) = A(I) + 1
   60 CONTINUE
      PRINT *, A, M, K, CALLS
      END
      INTEGER FUNCTION PICK(N)
      INTEGER N, CALLS
      COMMON /COUNT/ CALLS
      CALLS = CALLS + 1
      PICK = N
      END
