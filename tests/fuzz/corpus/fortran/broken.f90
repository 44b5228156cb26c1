x = (((((((((((a(b(c%d(1:2,::3)%e[1]
1 if(a)where(b)c=d&
&;&
&"
!$ y = 2
c$omp par
