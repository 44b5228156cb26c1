! SPDX-License-Identifier: BSD-3-Clause
! Calls of MPI from Fortran, logged as a recorder must record them (oracle.h): with mpif.h
! (-DMPIF_H), `use mpi` (-DUSE_MPI) or `use mpi_f08` (-DUSE_F08). Four ranks.
#ifdef USE_F08
#define COMM type(MPI_Comm)
#define TYPE_ type(MPI_Datatype)
#define REQUEST type(MPI_Request)
#define STATUS(s) type(MPI_Status) :: s
#define STATUSES(s, n) type(MPI_Status) :: s(n)
#define GROUP type(MPI_Group)
#define ERRHANDLER type(MPI_Errhandler)
#define SOURCE(s) s%MPI_SOURCE
#define TAG(s) s%MPI_TAG
#else
#define COMM integer
#define TYPE_ integer
#define REQUEST integer
#define STATUS(s) integer :: s(MPI_STATUS_SIZE)
#define STATUSES(s, n) integer :: s(MPI_STATUS_SIZE, n)
#define GROUP integer
#define ERRHANDLER integer
#define SOURCE(s) s(MPI_SOURCE)
#define TAG(s) s(MPI_TAG)
#endif
program languages
#ifdef USE_F08
  use mpi_f08
#endif
#ifdef USE_MPI
  use mpi
#endif
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
  integer :: ierr, me, n, i, right, left, a(64), b(64), index, counts(4), displs(4), received, &
    other, length
  integer :: key
  integer(MPI_ADDRESS_KIND) :: value
  ERRHANDLER :: handler
  logical :: flag, periods(2)
  integer :: dims(2)
  COMM :: dup, half, cart
  TYPE_ :: t
  REQUEST :: q(2)
  GROUP :: g
  STATUS(s)
  STATUSES(several, 2)
  character(len=4096) :: dir
  integer, parameter :: same_as = 62 ! REAL8
  character(len=64) :: name
  logical :: says

  call get_environment_variable('OMPI_COMM_WORLD_RANK', name)
  if (name == '') call get_environment_variable('PMI_RANK', name)
  call get_environment_variable('ORACLE_DIR', dir)
  says = dir /= ''
  if (says) open (unit=9, file=trim(dir)//'/'//trim(name)//'.0', action='write')
  a = 0
  call MPI_Init(ierr)
  call say('Init result=0')
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call said('Comm_rank comm=1 result=0 rank=', [me])
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  call said('Comm_size comm=1 result=0 size=', [n])
  right = mod(me + 1, n)
  left = mod(me + n - 1, n)
  do i = 1, 20
    call MPI_Sendrecv(a, i, MPI_INTEGER, right, i, b, 64, MPI_INTEGER, left, i, MPI_COMM_WORLD, s, &
      ierr)
    call parts([character(160) :: 'Sendrecv sendcount=', ' sendtype=INTEGER dest=', ' sendtag=', &
      ' recvcount=64 recvtype=INTEGER source=', ' recvtag=', ' comm=1 result=0 status=(', &
      ',', ',', ')'], &
      [i, right, i, left, i, SOURCE(s), TAG(s), 4*i])
  end do
  call MPI_Sendrecv(a, 1, MPI_REAL, right, 1, b, 1, MPI_REAL, MPI_ANY_SOURCE, MPI_ANY_TAG, &
    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call parts([character(160) :: 'Sendrecv sendcount=1 sendtype=REAL dest=', &
    ' sendtag=1 recvcount=1 recvtype=REAL source=-1 recvtag=-1 comm=1 result=0 status=(', &
    ',1,4)'], [right, left])
  do i = 1, 10
    call MPI_Irecv(b, 64, MPI_DOUBLE_PRECISION, left, 5, MPI_COMM_WORLD, q(1), ierr)
    call parts([character(160) :: 'Irecv count=64 datatype=DOUBLE_PRECISION source=', &
      ' tag=5 comm=1 result=0 request=2'], [left])
    call MPI_Issend(a, 2, MPI_DOUBLE_PRECISION, right, 5, MPI_COMM_WORLD, q(2), ierr)
    call parts([character(160) :: 'Issend count=2 datatype=DOUBLE_PRECISION dest=', &
      ' tag=5 comm=1 result=0 request=2'], [right])
    if (mod(i, 3) == 0) then
      call MPI_Waitall(2, q, MPI_STATUSES_IGNORE, ierr)
      call parts([character(160) :: 'Waitall count=2 array_of_requests=[4,2] result=0 ' // &
        'array_of_statuses=[(', ',5,16),(0,0,0)]'], [left])
    else if (mod(i, 3) == 1) then
      call MPI_Waitall(2, q, several, ierr)
      call parts([character(160) :: 'Waitall count=2 array_of_requests=[4,2] result=0 ' // &
        'array_of_statuses=[(', ',5,16),(0,0,0)]'], [left])
    else
      call MPI_Waitany(2, q, index, s, ierr) ! index: from 1, in MPICH's mpi_f08 from 0
      if (q(1) == MPI_REQUEST_NULL) then
        call parts([character(160) :: &
          'Waitany count=2 array_of_requests=[4,2] result=0 index=0 status=(', ',5,16)'], [left])
        call MPI_Wait(q(2), MPI_STATUS_IGNORE, ierr)
        call say('Wait request=2 result=0 status=(0,0,0)')
      else
        call say('Waitany count=2 array_of_requests=[4,2] result=0 index=1 status=(0,0,0)')
        call MPI_Wait(q(1), s, ierr)
        call parts([character(160) :: 'Wait request=4 result=0 status=(', ',5,16)'], [left])
      end if
    end if
  end do
  call MPI_Send(a, 1, MPI_INTEGER, MPI_PROC_NULL, 3, MPI_COMM_WORLD, ierr)
  call say('Send count=1 datatype=INTEGER dest=-2 tag=3 comm=1 result=0')
  call MPI_Allreduce(MPI_IN_PLACE, a, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call say('Allreduce sendbuf=1 recvbuf=2 count=3 datatype=INTEGER op=SUM comm=1 result=0')
  call MPI_Bcast(a, 4, MPI_CHARACTER, 2, MPI_COMM_WORLD, ierr)
  call say('Bcast count=4 datatype=CHARACTER root=2 comm=1 result=0')
  counts = [1, 2, 3, 4]
  displs = [0, 1, 3, 6]
  call MPI_Gatherv(a, me + 1, MPI_INTEGER, b, counts, displs, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
  if (me == 1) then
    call parts([character(160) :: 'Gatherv sendcount=', &
      ' sendtype=INTEGER recvcounts=[1,2,3,4] displs=[0,1,3,6] recvtype=INTEGER root=1 comm=1 ' // &
        'result=0'], [me + 1])
  else
    call parts([character(160) :: 'Gatherv sendcount=', &
      ' sendtype=INTEGER recvcounts=[] displs=[] recvtype=0 root=1 comm=1 result=0'], &
      [me + 1])
  end if
  call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
  call say('Comm_dup comm=1 result=0 newcomm=256 newcomm.members=[0,1,2,3]')
  call MPI_Comm_split(dup, mod(me, 2), me, half, ierr)
  call parts([character(160) :: 'Comm_split comm=256 color=', ' key=', &
    ' result=0 newcomm=257 newcomm.members=[', ',', ']'], &
    [mod(me, 2), me, mod(me, 2), mod(me, 2) + 2])
  call MPI_Barrier(half, ierr)
  call say('Barrier comm=257 result=0')
  call MPI_Comm_group(half, g, ierr)
  call say('Comm_group comm=257 result=0 group=256')
  call MPI_Group_size(g, other, ierr)
  call say('Group_size group=256 result=0 size=2')
  call MPI_Group_free(g, ierr)
  call say('Group_free group=256 result=0 group>=0')
  call MPI_Comm_free(half, ierr)
  call say('Comm_free comm=257 result=0 comm>=0')
  call MPI_Type_vector(3, 2, 5, MPI_INTEGER, t, ierr)
  call say('Type_vector count=3 blocklength=2 stride=5 oldtype=INTEGER result=0 newtype=256 ' // &
    'newtype.size=24')
  call MPI_Type_commit(t, ierr)
  call say('Type_commit datatype=256 result=0 datatype>=256')
  call MPI_Sendrecv(a, 1, t, right, 8, b, 6, MPI_INTEGER, left, 8, dup, s, ierr)
  call parts([character(160) :: 'Sendrecv sendcount=1 sendtype=256 dest=', &
    ' sendtag=8 recvcount=6 recvtype=INTEGER source=', &
    ' recvtag=8 comm=256 result=0 status=(', ',8,24)'], [right, left, left])
  call MPI_Get_count(s, MPI_INTEGER, received, ierr)
  call say('Get_count datatype=INTEGER result=0 count=6')
  call MPI_Type_free(t, ierr)
  call say('Type_free datatype=256 result=0 datatype>=0')
  dims = [2, 2]
  periods = [.true., .false.]
  call MPI_Cart_create(dup, 2, dims, periods, .false., cart, ierr)
  call say('Cart_create comm_old=256 ndims=2 dims=[2,2] periods=[1,0] reorder=0 result=0 ' // &
    'comm_cart=258 comm_cart.members=[0,1,2,3]')
  call MPI_Comm_set_name(cart, 'a grid', ierr)
  call say('Comm_set_name comm=258 comm_name="a grid" result=0')
  ! of these some call no function of C
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, &
    5_MPI_ADDRESS_KIND, ierr)
  call say('Comm_create_keyval result=0 comm_keyval=256 extra_state=1')
  call MPI_Comm_set_attr(cart, key, 77_MPI_ADDRESS_KIND, ierr)
  call say('Comm_set_attr comm=258 comm_keyval=256 attribute_val=1 result=0')
  call MPI_Comm_get_attr(cart, key, value, flag, ierr)
  call say('Comm_get_attr comm=258 comm_keyval=256 result=0 attribute_val=1 flag=1')
  if (value /= 77 .or. .not. flag) print '(a)', 'a wrong attribute'
  call MPI_Comm_delete_attr(cart, key, ierr)
  call say('Comm_delete_attr comm=258 comm_keyval=256 result=0')
  call MPI_Comm_get_attr(cart, key, value, flag, ierr)
  call say('Comm_get_attr comm=258 comm_keyval=256 result=0 attribute_val=0 flag=0')
  call MPI_Comm_free_keyval(key, ierr)
  call say('Comm_free_keyval comm_keyval=256 result=0 comm_keyval>=0')
  call MPI_Comm_create_errhandler(on_error, handler, ierr)
  call say('Comm_create_errhandler result=0 errhandler=256')
  call MPI_Comm_set_errhandler(cart, handler, ierr)
  call say('Comm_set_errhandler comm=258 errhandler=256 result=0')
  call MPI_Errhandler_free(handler, ierr)
  call say('Errhandler_free errhandler=256 result=0 errhandler>=0')
  call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, t, ierr)
  call parts([character(160) :: 'Type_match_size typeclass=TYPECLASS_REAL size=8 result=0 ' // &
    'datatype=', ' datatype.size=8'], [same_as])
  call MPI_Comm_free(cart, ierr)
  call say('Comm_free comm=258 result=0 comm>=0')
  call MPI_Comm_free(dup, ierr)
  call say('Comm_free comm=256 result=0 comm>=0')
  call MPI_Send_init(a, 3, MPI_INTEGER, right, 9, MPI_COMM_WORLD, q(1), ierr)
  call parts([character(160) :: 'Send_init count=3 datatype=INTEGER dest=', &
    ' tag=9 comm=1 result=0 request=2'], [right])
  call MPI_Recv_init(b, 3, MPI_INTEGER, left, 9, MPI_COMM_WORLD, q(2), ierr)
  call parts([character(160) :: 'Recv_init count=3 datatype=INTEGER source=', &
    ' tag=9 comm=1 result=0 request=2'], [left])
  do i = 1, 3
    call MPI_Startall(2, q, ierr)
    call say('Startall count=2 array_of_requests=[4,2] result=0')
    call MPI_Waitall(2, q, MPI_STATUSES_IGNORE, ierr)
    call parts([character(160) :: 'Waitall count=2 array_of_requests=[4,2] result=0 ' // &
      'array_of_statuses=[(0,0,0),(', ',9,12)]'], [left])
  end do
  call MPI_Request_free(q(1), ierr)
  call say('Request_free request=4 result=0')
  call MPI_Request_free(q(2), ierr)
  call say('Request_free request=2 result=0')
  call MPI_Iprobe(left, 4711, MPI_COMM_WORLD, flag, s, ierr)
  call parts([character(160) :: 'Iprobe source=', &
    ' tag=4711 comm=1 result=0 flag=0 status=(0,0,0)'], [left])
  call MPI_Finalize(ierr)
  call say('Finalize result=0')
  if (me == 0) print '(a)', 'done'

contains

  subroutine say(line)
    character(len=*), intent(in) :: line
    if (.not. says) return
    write (9, '(a)') line
    flush (9)
  end subroutine

#ifdef USE_F08
  subroutine on_error(c, code)
    COMM :: c
    integer :: code
  end subroutine
#else
  subroutine on_error(c, code)
    integer :: c, code
  end subroutine
#endif

  subroutine said(line, v)
    character(len=*), intent(in) :: line
    integer, intent(in) :: v(:)
    character(len=160) :: texts(2)
    texts(1) = line
    texts(2) = ''
    call parts(texts, v)
  end subroutine

  ! Texts and numbers in turns; a text's blanks at its end do not count.
  subroutine parts(texts, v)
    character(len=*), intent(in) :: texts(:)
    integer, intent(in) :: v(:)
    character(len=4000) :: line
    character(len=12) :: number
    integer :: k
    line = texts(1)
    do k = 1, size(v)
      write (number, '(i0)') v(k)
      line = trim(line)//trim(number)//trim(texts(k + 1))
    end do
    call say(trim(line))
  end subroutine
end program
