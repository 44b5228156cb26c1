/* SPDX-License-Identifier: BSD-3-Clause */
/* The second half of oracle.c, which includes it: types, windows, files, topologies, info objects,
 * attributes, operators, error handlers, names. */
/* --- types --- */

static void types(void)
{
	int bl[3] = { 1, 2, 3 }, di[3] = { 0, 4, 9 }, r, n, sizes[2] = { 8, 8 }, sub[2] = { 2, 3 },
	    starts[2] = { 1, 4 }, k;
	MPI_Aint ad[3] = { 0, 16, -40 }, lb, extent;
	MPI_Datatype t[8], kinds[3] = { MPI_INT, MPI_DOUBLE, MPI_CHAR }, got[4];
	MPI_Aint addresses[4];
	int integers[8], na, nt;

	r = MPI_Type_contiguous(7, MPI_DOUBLE, &t[0]);
	say("Type_contiguous count=7 oldtype=DOUBLE result=%d newtype=256 newtype.size=56", r);
	r = MPI_Type_vector(3, 2, -5, t[0], &t[1]);
	say("Type_vector count=3 blocklength=2 stride=-5 oldtype=256 result=%d newtype=257 "
	    "newtype.size=336",
	    r);
	r = MPI_Type_create_hvector(2, 1, -64, MPI_INT, &t[2]);
	say("Type_create_hvector count=2 blocklength=1 stride=-64 oldtype=INT result=%d "
	    "newtype=258 newtype.size=8",
	    r);
	r = MPI_Type_indexed(3, bl, di, MPI_INT, &t[3]);
	say("Type_indexed count=3 array_of_blocklengths=[1,2,3] array_of_displacements=[0,4,9] "
	    "oldtype=INT result=%d newtype=259 "
	    "newtype.size=24",
	    r);
	r = MPI_Type_create_hindexed(3, bl, ad, MPI_CHAR, &t[4]);
	say("Type_create_hindexed count=3 array_of_blocklengths=[1,2,3] "
	    "array_of_displacements=[0,16,-40] oldtype=CHAR result=%d "
	    "newtype=260 newtype.size=6",
	    r);
	kinds[1] = t[0];
	r = MPI_Type_create_struct(3, bl, ad, kinds, &t[5]);
	say("Type_create_struct count=3 array_of_blocklengths=[1,2,3] "
	    "array_of_displacements=[0,16,-40] array_of_types=[%d,256,%d] "
	    "result=%d newtype=261 newtype.size=119",
	    9, 3, r);
	r = MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_C, MPI_DOUBLE, &t[6]);
	say("Type_create_subarray ndims=2 array_of_sizes=[8,8] array_of_subsizes=[2,3] "
	    "array_of_starts=[1,4] order=ORDER_C oldtype=DOUBLE "
	    "result=%d newtype=262 newtype.size=48",
	    r);
	r = MPI_Type_create_resized(MPI_INT, -4, 100, &t[7]);
	say("Type_create_resized oldtype=INT lb=-4 extent=100 result=%d newtype=263 newtype.size=4",
	    r);
	r = MPI_Type_get_extent(t[7], &lb, &extent);
	say("Type_get_extent datatype=263 result=%d lb=-4 extent=100", r);
	r = MPI_Type_size(t[5], &n);
	say("Type_size datatype=261 result=%d size=119", r);
	r = MPI_Type_get_envelope(t[3], &n, &na, &nt, &k);
	say("Type_get_envelope datatype=259 result=%d num_integers=7 num_addresses=0 "
	    "num_datatypes=1 combiner=%s",
	    r, k == MPI_COMBINER_INDEXED ? "COMBINER_INDEXED" : "?");
	r = MPI_Type_get_contents(t[3], 7, 0, 1, integers, addresses, got);
	say("Type_get_contents datatype=259 max_integers=7 max_addresses=0 max_datatypes=1 "
	    "result=%d array_of_integers=[3,1,2,3,0,4,9] "
	    "array_of_addresses=[] array_of_datatypes=[INT]",
	    r);
	for (int i = 7; i >= 0; i--) {
		int p = 0, size;

		r = MPI_Type_commit(&t[i]);
		say("Type_commit datatype=%d result=%d datatype>=%d", 256 + i, r, 256 + i);
		r = MPI_Pack_size(1, t[i], MPI_COMM_WORLD, &size);
		say("Pack_size incount=1 datatype=%d comm=1 result=%d size=%d", 256 + i, r, size);
		(void)p;
		r = MPI_Type_free(&t[i]);
		say("Type_free datatype=%d result=%d datatype>=0", 256 + i, r);
	}
	types_made = 264;
	{
		int v[2] = { 1, 2 }, p = 0, w[2];
		char text[64];

		r = MPI_Pack(v, 2, MPI_INT, text, 64, &p, MPI_COMM_WORLD);
		say("Pack incount=2 datatype=INT outsize=64 position=0 comm=1 result=%d "
		    "position>=%d",
		    r, p);
		n = p;
		p = 0;
		r = MPI_Unpack(text, 64, &p, w, 2, MPI_INT, MPI_COMM_WORLD);
		say("Unpack insize=64 position=0 outcount=2 datatype=INT comm=1 result=%d "
		    "position>=%d",
		    r, n);
	}
}

/* --- windows --- */

static void windows(void)
{
	static long memory[64];
	int r, right = (me + 1) % size, v = 5, w = 0, x = 0;
	MPI_Win win;
	void *base;
	struct req q;

	r = MPI_Win_create(memory, sizeof(memory), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	say("Win_create size=512 disp_unit=8 info=0 comm=1 result=%d win=256", r);
	for (int i = 0; i < 3; i++) {
		r = MPI_Win_fence(0, win);
		say("Win_fence assert=0 win=256 result=%d", r);
		r = MPI_Put(&v, 1, MPI_INT, right, i, 1, MPI_INT, win);
		say("Put origin_count=1 origin_datatype=INT target_rank=%d target_disp=%d "
		    "target_count=1 target_datatype=INT win=256 result=%d",
		    right, i, r);
		r = MPI_Win_fence(0, win);
		say("Win_fence assert=0 win=256 result=%d", r);
		r = MPI_Get(&w, 1, MPI_INT, right, i, 1, MPI_INT, win);
		say("Get origin_count=1 origin_datatype=INT target_rank=%d target_disp=%d "
		    "target_count=1 target_datatype=INT win=256 result=%d",
		    right, i, r);
		r = MPI_Win_fence(0, win);
		say("Win_fence assert=0 win=256 result=%d", r);
	}
	if (w != 5 || memory[0] != 5)
		_exit(3);
	r = MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
	say("Win_lock lock_type=LOCK_SHARED rank=%d assert=0 win=256 result=%d", right, r);
	r = MPI_Accumulate(&v, 1, MPI_INT, right, 20, 1, MPI_INT, MPI_SUM, win);
	say("Accumulate origin_count=1 origin_datatype=INT target_rank=%d target_disp=20 "
	    "target_count=1 target_datatype=INT op=SUM win=256 "
	    "result=%d",
	    right, r);
	r = MPI_Fetch_and_op(&v, &w, MPI_INT, right, 21, MPI_REPLACE, win);
	say("Fetch_and_op datatype=INT target_rank=%d target_disp=21 op=REPLACE win=256 result=%d",
	    right, r);
	r = MPI_Compare_and_swap(&v, &x, &w, MPI_INT, right, 22, win);
	say("Compare_and_swap datatype=INT target_rank=%d target_disp=22 win=256 result=%d", right,
	    r);
	r = MPI_Win_flush(right, win);
	say("Win_flush rank=%d win=256 result=%d", right, r);
	r = MPI_Rput(&v, 1, MPI_INT, right, 23, 1, MPI_INT, win, &q.h);
	say("Rput origin_count=1 origin_datatype=INT target_rank=%d target_disp=23 "
	    "target_count=1 target_datatype=INT win=256 result=%d "
	    "request=%ld",
	    right, r, req_new(&q, 0));
	o_Wait(&q);
	r = MPI_Win_unlock(right, win);
	say("Win_unlock rank=%d win=256 result=%d", right, r);
	r = MPI_Win_free(&win);
	say("Win_free win=256 result=%d win>=0", r);
	r = MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	say("Win_allocate size=64 disp_unit=4 info=0 comm=1 result=%d baseptr=2 win=257", r);
	r = MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	say("Win_lock_all assert=MODE_NOCHECK win=257 result=%d", r);
	r = MPI_Win_unlock_all(win);
	say("Win_unlock_all win=257 result=%d", r);
	r = MPI_Win_free(&win);
	say("Win_free win=257 result=%d win>=0", r);
}

/* --- files --- */

static void files(void)
{
	const char *name = getenv("ORACLE_FILE");
	char view[MPI_MAX_DATAREP_STRING];
	int r, v[4] = { me, me, me, me }, w[4];
	MPI_File f;
	MPI_Status s;
	MPI_Offset n;
	MPI_Datatype e, t;
	struct req q;

	r = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	say("File_open comm=1 filename=\"%s\" amode=MODE_CREATE|MODE_RDWR info=0 result=%d fh=256",
	    name, r);
	r = MPI_File_set_view(f, 16, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	say("File_set_view fh=256 disp=16 etype=INT filetype=INT datarep=\"native\" info=0 "
	    "result=%d",
	    r);
	r = MPI_File_write_at(f, me * 4, v, 4, MPI_INT, &s);
	say("File_write_at fh=256 offset=%d count=4 datatype=INT result=%d status=16", me * 4, r);
	r = MPI_File_sync(f);
	say("File_sync fh=256 result=%d", r);
	o_Barrier(&world);
	r = MPI_File_read_at_all(f, (me + 1) % size * 4, w, 4, MPI_INT, MPI_STATUS_IGNORE);
	say("File_read_at_all fh=256 offset=%d count=4 datatype=INT result=%d status=16",
	    (me + 1) % size * 4, r);
	if (w[3] != (me + 1) % size)
		_exit(3);
	r = MPI_File_seek(f, 4 * size - 2, MPI_SEEK_SET);
	say("File_seek fh=256 offset=%d whence=SEEK_SET result=%d", 4 * size - 2, r);
	r = MPI_File_read(f, w, 4, MPI_INT, &s); /* only two are left */
	say("File_read fh=256 count=4 datatype=INT result=%d status=8", r);
	r = MPI_File_get_position(f, &n);
	say("File_get_position fh=256 result=%d offset=%d", r,
	    (int)n); /* where that is, they are of two minds */
	r = MPI_File_iwrite_at(f, me, v, 1, MPI_INT, &q.h);
	say("File_iwrite_at fh=256 offset=%d count=1 datatype=INT result=%d request=%ld", me, r,
	    req_new(&q, 0));
	o_Wait(&q);
	r = MPI_File_get_size(f, &n);
	say("File_get_size fh=256 result=%d size=%d", r, 16 + 16 * size);
	r = MPI_File_close(&f);
	say("File_close fh=256 result=%d fh>=0", r);
	o_Barrier(&world);
	if (me == 0) {
		r = MPI_File_delete(name, MPI_INFO_NULL);
		say("File_delete filename=\"%s\" info=0 result=%d", name, r);
		r = MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL,
				  &f); /* errors of files return */
		say("File_open comm=2 filename=\"%s\" amode=MODE_RDONLY info=0 result=%d fh=0",
		    name, r);
	}
	(void)view, (void)e, (void)t;
}

/* --- topologies --- */

static void topologies(void)
{
	int dims[2] = { 0, 2 }, periods[2] = { 1, 0 }, r, coords[2], rank, remain[2] = { 1, 0 },
	    got[2], p[2], index[4] = { 1, 3, 5, 6 }, edges[6] = { 1, 0, 2, 1, 3, 2 }, n, around[4],
	    a, b, s[2] = { (me + 3) % 4, (me + 1) % 4 }, wa[2] = { 1, 2 }, v[4] = { 0 }, w[8], in,
	    out, weighted;
	MPI_Comm cart, sub, graph, dist;

	r = MPI_Dims_create(4, 2, dims);
	say("Dims_create nnodes=4 ndims=2 dims=[0,2] result=%d dims>=[2,2]", r);
	r = MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
	say("Cart_create comm_old=1 ndims=2 dims=[2,2] periods=[1,0] reorder=0 result=%d "
	    "comm_cart=256 comm_cart.members=[0,1,2,3]",
	    r);
	r = MPI_Cart_get(cart, 2, got, p, coords);
	say("Cart_get comm=256 maxdims=2 result=%d dims=[2,2] periods=[1,0] coords=[%d,%d]", r,
	    me / 2, me % 2);
	r = MPI_Cart_coords(cart, 3, 2, coords);
	say("Cart_coords comm=256 rank=3 maxdims=2 result=%d coords=[1,1]", r);
	r = MPI_Cart_rank(cart, coords, &rank);
	say("Cart_rank comm=256 coords=[1,1] result=%d rank=3", r);
	r = MPI_Cart_shift(cart, 1, 1, &a, &b);
	say("Cart_shift comm=256 direction=1 disp=1 result=%d rank_source=%d rank_dest=%d", r,
	    me % 2 ? me - 1 : -2, me % 2 ? -2 : me + 1);
	r = MPI_Cart_sub(cart, remain, &sub);
	say("Cart_sub comm=256 remain_dims=[1,0] result=%d newcomm=257 newcomm.members=[%d,%d]", r,
	    me % 2, me % 2 + 2);
	r = MPI_Neighbor_allgather(v, 1, MPI_INT, w, 1, MPI_INT, cart);
	say("Neighbor_allgather sendcount=1 sendtype=INT recvcount=1 recvtype=INT comm=256 "
	    "result=%d",
	    r);
	r = MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph);
	say("Graph_create comm_old=1 nnodes=4 index=[1,3,5,6] edges=[1,0,2,1,3,2] reorder=0 "
	    "result=%d comm_graph=258 "
	    "comm_graph.members=[0,1,2,3]",
	    r);
	r = MPI_Graph_neighbors_count(graph, 1, &n);
	say("Graph_neighbors_count comm=258 rank=1 result=%d nneighbors=2", r);
	r = MPI_Graph_neighbors(graph, 1, 4, around);
	say("Graph_neighbors comm=258 rank=1 maxneighbors=4 result=%d neighbors=[0,2]", r);
	r = MPI_Graph_get(graph, 4, 6, around, w);
	say("Graph_get comm=258 maxindex=4 maxedges=6 result=%d index=[1,3,5,6] "
	    "edges=[1,0,2,1,3,2]",
	    r);
	r = MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, s, wa, 2, s, wa, MPI_INFO_NULL, 0,
					   &dist);
	say("Dist_graph_create_adjacent comm_old=1 indegree=2 sources=%s sourceweights=[1,2] "
	    "outdegree=2 destinations=%s destweights=[1,2] "
	    "info=0 reorder=0 result=%d comm_dist_graph=259 comm_dist_graph.members=[0,1,2,3]",
	    list_of(s, 2), list_of(s, 2), r);
	r = MPI_Dist_graph_neighbors_count(dist, &in, &out, &weighted);
	say("Dist_graph_neighbors_count comm=259 result=%d indegree=2 outdegree=2 weighted=%d", r,
	    weighted != 0);
	{
		int counts[2] = { 1, 1 }, displs[2] = { 0, 1 };

		r = MPI_Neighbor_alltoallv(v, counts, displs, MPI_INT, w, counts, displs, MPI_INT,
					   dist);
		say("Neighbor_alltoallv sendcounts=[1,1] sdispls=[0,1] sendtype=INT "
		    "recvcounts=[1,1] rdispls=[0,1] recvtype=INT comm=259 "
		    "result=%d",
		    r);
	}
	r = MPI_Comm_free(&dist);
	say("Comm_free comm=259 result=%d comm>=0", r);
	r = MPI_Comm_free(&graph);
	say("Comm_free comm=258 result=%d comm>=0", r);
	r = MPI_Comm_free(&sub);
	say("Comm_free comm=257 result=%d comm>=0", r);
	r = MPI_Comm_free(&cart);
	say("Comm_free comm=256 result=%d comm>=0", r);
}

/* --- info, attributes, operators, error handlers, names --- */

static void add(void *in, void *inout, int *n, MPI_Datatype *t)
{
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static void objects(void)
{
	int r, key, flag, n, v = 1, w;
	char text[MPI_MAX_INFO_VAL + 1];
	MPI_Info info, other;
	MPI_Op op;
	MPI_Errhandler e;
	void *value;

	r = MPI_Info_create(&info);
	say("Info_create result=%d info=256", r);
	r = MPI_Info_set(info, "a_key", "a longer value, of no use");
	say("Info_set info=256 key=\"a_key\" value=\"a longer value, of no use\" result=%d", r);
	r = MPI_Info_get(info, "a_key", 30, text, &flag);
	say("Info_get info=256 key=\"a_key\" valuelen=30 result=%d value=\"a longer value, of no "
	    "use\" flag=1",
	    r);
	r = MPI_Info_get(info, "none", 30, text, &flag);
	say("Info_get info=256 key=\"none\" valuelen=30 result=%d value=\"\" flag=0", r);
	r = MPI_Info_get_nkeys(info, &n);
	say("Info_get_nkeys info=256 result=%d nkeys=1", r);
	r = MPI_Info_dup(info, &other);
	say("Info_dup info=256 result=%d newinfo=257", r);
	r = MPI_Info_free(&info);
	say("Info_free info=256 result=%d info>=0", r);
	r = MPI_Info_free(&other);
	say("Info_free info=257 result=%d info>=0", r);
	r = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, &v);
	say("Comm_create_keyval result=%d comm_keyval=256 extra_state=1", r);
	r = MPI_Comm_set_attr(MPI_COMM_WORLD, key, &v);
	say("Comm_set_attr comm=1 comm_keyval=256 attribute_val=1 result=%d", r);
	r = MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
	say("Comm_get_attr comm=1 comm_keyval=256 result=%d attribute_val=1 flag=1", r);
	r = MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
	say("Comm_delete_attr comm=1 comm_keyval=256 result=%d", r);
	r = MPI_Comm_free_keyval(&key);
	say("Comm_free_keyval comm_keyval=256 result=%d comm_keyval>=0", r);
	r = MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
	say("Comm_get_attr comm=1 comm_keyval=TAG_UB result=%d attribute_val=1 flag=1", r);
	r = MPI_Op_create(add, 1, &op);
	say("Op_create commute=1 result=%d op=256", r);
	r = MPI_Allreduce(&v, &w, 1, MPI_INT, op, MPI_COMM_WORLD);
	say("Allreduce count=1 datatype=INT op=256 comm=1 result=%d", r);
	if (w != size)
		_exit(3);
	r = MPI_Op_commutative(op, &flag);
	say("Op_commutative op=256 result=%d commute=1", r);
	r = MPI_Op_free(&op);
	say("Op_free op=256 result=%d op>=0", r);
	r = MPI_Comm_set_name(MPI_COMM_WORLD, "of all of them");
	say("Comm_set_name comm=1 comm_name=\"of all of them\" result=%d", r);
	r = MPI_Comm_get_name(MPI_COMM_WORLD, text, &n);
	say("Comm_get_name comm=1 result=%d comm_name=\"of all of them\" resultlen=14", r);
	r = MPI_Comm_set_name(MPI_COMM_WORLD, "");
	say("Comm_set_name comm=1 comm_name=\"\" result=%d", r);
	r = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	say("Comm_set_errhandler comm=1 errhandler=ERRORS_RETURN result=%d", r);
	for (int i = 0; i < 3; i++) {
		r = MPI_Comm_get_errhandler(MPI_COMM_WORLD, &e);
		say("Comm_get_errhandler comm=1 result=%d errhandler=ERRORS_RETURN", r);
		r = MPI_Errhandler_free(&e);
		say("Errhandler_free errhandler=ERRORS_RETURN result=%d errhandler>=0", r);
	}
	r = MPI_Get_processor_name(text, &n);
	say("Get_processor_name result=%d name=\"%s\" resultlen=%d", r, text, n);
	r = MPI_Error_class(MPI_ERR_RANK, &n);
	say("Error_class errorcode=%d result=%d errorclass=%d", MPI_ERR_RANK, r, n);
}
