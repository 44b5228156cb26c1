C     As exact.f90, in fixed form: lines up to column 72, labels, jumps.
      PROGRAM FIXED
      INTEGER A(8), IDX(4), N, I, J, NEXT, VERYLONGNAMEOFANARRAYONE(8)
      COMMON /C/ N
      DATA A/1,2,3,4,5,6,7,8/, IDX/3,1,2,4/
      DOUBLE PRECISION X(4)
      EXTERNAL NEXT
      N = 0
      DO 5 I = 1, 4
    5 X(I) = I
      DO 10 I = 1, 2
        J = NEXT(0)
   10 A(I) = A(I + NEXT(1)) + 1
      IF (A(NEXT(1)) - 3) 20, 30, 30
   20 A(1) = 0
   30 GO TO (40, 50, 60), IDX(NEXT(-1))
   40 A(2) = 0
   50 X(IDX(2)) = X(IDX(3))*X(A(IDX(2)) - A(IDX(2)) + 1) + X(1) + X(2)*X
     $(3) - X(4)                                                        SEQUENCE
   60 CONTINUE
      VERYLONGNAMEOFANARRAYONE(1) = A(1) + A(2) + A(3) + A(4) + A(5) + A
     $(6) + A(7) + A(8) + A(1) + A(2) + A(3) + A(4) + A(5) + A(6) + A(7)
     $ + A(8)
      IF (A(1) .GT. 0 .AND. NEXT(0) .GT. 0 .AND. A(NEXT(0)) .GT. 0) X(1)
     $ = X(2)
      IF (A(NEXT(0)) .LT. 0) X(1) = X(3)
      IF (A(NEXT(1)) .GT. 0) A(NEXT(0)) = A(8)
      WRITE (*, '(8I4, F6.1, I5)') A, X(IDX(2)), (A(J), J = NEXT(0), 2)
      WRITE (*, '(I8)') VERYLONGNAMEOFANARRAYONE(1)
      END
      INTEGER FUNCTION NEXT(K)
      COMMON /C/ N
      N = N + K
      NEXT = N
      END
