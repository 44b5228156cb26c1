C     SPDX-License-Identifier: BSD-3-Clause
C     Y begins three elements before X, whose storage it shares; U begins before V in a block
C     of which the program names the later one first.
      PROGRAM EQ
      REAL*8 Z(4),X(10),Y(5,5),V(3),U(6)
      EQUIVALENCE (X(3),Y(1,2)),(V(1),U(3))
      COMMON /BLK/ HEAD(4),V
      DO 5 J=1,5
      DO 5 I=1,5
    5 Y(I,J)=I*10+J
      DO 6 I=1,4
    6 Z(I)=I
      DO 7 I=1,6
    7 U(I)=I
      S=X(1)+X(10)+Y(1,1)+Y(5,5)+V(1)+U(1)+Z(4)
      PRINT *,S
      END
