C     ENTRY; one-line IFs that call, read, return, allocate: functions in conditions run once only.
      PROGRAM MAIN
      INTEGER A(3), I, K, CALLS
      LOGICAL ASK
      CHARACTER*8 LINE
      COMMON /COUNT/ CALLS
      INTEGER, ALLOCATABLE :: Q(:)
      DATA A /3*0/
      CALLS = 0
      DO 10 I = 1, 3
         A(I) = I
         IF (ASK(I)) CALL EARLY(A, 2)
   10 CONTINUE
      CALL LATER(A)
      LINE = '42 43'
      IF (A(1) .GT. 0) READ (LINE, *) A(1), (A(K), K = 3, 3)
      IF (ASK(7)) A(2) = A(1)
      IF (A(3) .EQ. 43) ALLOCATE (Q(2))
      Q(1) = 5
      Q(2) = 6
      IF (ALLOCATED(Q)) Q = (/ 7, 8, 9 /)
      PRINT *, A, Q, CALLS
      IF (ALLOCATED(Q)) DEALLOCATE (Q)
      END
      LOGICAL FUNCTION ASK(N)
      INTEGER N, CALLS
      COMMON /COUNT/ CALLS
      CALLS = CALLS + 1
      ASK = MOD(N, 2) .EQ. 1
      END
      SUBROUTINE EARLY(X, N)
      INTEGER X(3), N, T(2)
      T(1) = N
      X(N) = X(N) + T(1)
      IF (X(1) .GT. 100) RETURN
      ENTRY LATER(X)
      T(2) = X(3)
      IF (T(2) .GT. 100) RETURN
      X(3) = T(2) - 1
      END
