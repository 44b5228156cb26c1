	program tab
10	x = 1
	1 + 2
      a = 4h   
     &b
     c = 'abc
     &'
&      , d
      end;x=1;;20 continue
