/* SPDX-License-Identifier: BSD-3-Clause */
/* The second half of every.c, which includes it: groups, communicators, the environment, windows,
 * files, functions that MPI has removed. */
#ifdef LARGE
static void add(void *x, void *y, MPI_Count *c, MPI_Datatype *t)
#else
static void add(void *x, void *y, int *c, MPI_Datatype *t)
#endif
{
}

static void on_comm(MPI_Comm *c, int *code, ...)
{
}

static void on_win(MPI_Win *c, int *code, ...)
{
}

static void on_file(MPI_File *c, int *code, ...)
{
}

static void groups(void)
{
	MPI_Group g, h, u;
	MPI_Comm c, d, inter;
	MPI_Op op;
	MPI_Errhandler e;
	MPI_Info info;
	int zero = 0, range[1][3] = { { 0, 0, 1 } }, key;
	void *p;

	T(MPI_Op_create(add, 1, &op));
	T(MPI_Op_commutative(op, &flag));
	T(MPI_Op_free(&op));
	T(MPI_Comm_group(W, &g));
	T(MPI_Group_size(g, &n));
	T(MPI_Group_rank(g, &n));
	T(MPI_Group_incl(g, 1, &zero, &h));
	T(MPI_Group_translate_ranks(g, 1, &zero, h, &n));
	T(MPI_Group_compare(g, h, &n));
#define G(call)                                                                                    \
	T(call);                                                                                   \
	T(MPI_Group_free(&u));
	G(MPI_Group_union(g, h, &u))
	G(MPI_Group_intersection(g, h, &u))
	G(MPI_Group_difference(g, h, &u))
	G(MPI_Group_excl(g, 1, &zero, &u))
	G(MPI_Group_range_incl(g, 1, range, &u))
	G(MPI_Group_range_excl(g, 1, range, &u))
	T(MPI_Comm_size(W, &n));
	T(MPI_Comm_rank(W, &n));
	T(MPI_Comm_compare(W, S, &n));
	T(MPI_Comm_dup(W, &c));
	T(MPI_Comm_free(&c));
	T(MPI_Comm_dup_with_info(W, MPI_INFO_NULL, &c));
	T(MPI_Comm_disconnect(&c));
	Q(MPI_Comm_idup(W, &c, &q));
	T(MPI_Comm_free(&c));
#ifdef HAVE_Comm_idup_with_info
	Q(MPI_Comm_idup_with_info(W, MPI_INFO_NULL, &c, &q));
	T(MPI_Comm_free(&c));
#endif
	T(MPI_Comm_create(W, g, &c));
	T(MPI_Comm_free(&c));
	T(MPI_Comm_create_group(W, g, 3, &c));
	T(MPI_Comm_free(&c));
	T(MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c));
	T(MPI_Comm_free(&c));
	T(MPI_Comm_split(W, me, 0, &c));
	T(MPI_Info_create(&info));
	T(MPI_Comm_set_info(c, info));
	T(MPI_Info_free(&info));
	T(MPI_Comm_get_info(c, &info));
	T(MPI_Info_free(&info));
	T(MPI_Intercomm_create(c, 0, W, other, 4, &inter));
	T(MPI_Comm_test_inter(inter, &flag));
	T(MPI_Comm_remote_size(inter, &n));
	T(MPI_Comm_remote_group(inter, &u));
	T(MPI_Group_free(&u));
	T(MPI_Intercomm_merge(inter, me, &d));
	T(MPI_Comm_free(&d));
	T(MPI_Comm_free(&inter));
	T(MPI_Comm_create_errhandler(on_comm, &e));
	T(MPI_Comm_set_errhandler(c, e));
	T(MPI_Comm_call_errhandler(c, MPI_ERR_OTHER));
	T(MPI_Errhandler_free(&e));
	T(MPI_Comm_get_errhandler(c, &e));
	T(MPI_Errhandler_free(&e));
	T(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
	T(MPI_Comm_set_attr(c, key, a));
	T(MPI_Comm_get_attr(c, key, &p, &flag));
	T(MPI_Comm_delete_attr(c, key));
	T(MPI_Comm_free_keyval(&key));
	T(MPI_Comm_set_name(c, "mine"));
	T(MPI_Comm_get_name(c, text, &n));
	T(MPI_Comm_free(&c));
	T(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL));
	{
		MPI_Datatype t;

		T(MPI_Type_dup(MPI_INT, &t));
		T(MPI_Type_set_attr(t, key, a));
		T(MPI_Type_get_attr(t, key, &p, &flag));
		T(MPI_Type_delete_attr(t, key));
		T(MPI_Type_set_name(t, "ours"));
		T(MPI_Type_get_name(t, text, &n));
		T(MPI_Type_free(&t));
	}
	T(MPI_Type_free_keyval(&key));
#ifdef HAVE_Comm_create_from_group
	T(MPI_Comm_create_from_group(g, "a tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	T(MPI_Comm_free(&c));
	{
		MPI_Group local, remote;

		T(MPI_Group_incl(g, 1, &me, &local));
		T(MPI_Group_incl(g, 1, &other, &remote));
		T(MPI_Intercomm_create_from_groups(local, 0, remote, 0, "another tag",
						   MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
		if (c != MPI_COMM_NULL)
			T(MPI_Comm_free(&c));
		T(MPI_Group_free(&local));
		T(MPI_Group_free(&remote));
	}
#endif
	T(MPI_Group_free(&h));
	T(MPI_Group_free(&g));
}

static int query(void *x, MPI_Status *st)
{
	MPI_Status_set_elements(st, MPI_INT, 1);
	MPI_Status_set_cancelled(st, 0);
	return MPI_SUCCESS;
}

static int nothing(void *x)
{
	return MPI_SUCCESS;
}

static int no_cancel(void *x, int c)
{
	return MPI_SUCCESS;
}

static void environment(void)
{
	MPI_Info info, i2;
	char key[MPI_MAX_INFO_KEY + 1], port[MPI_MAX_PORT_NAME];
	void *p;
	int code, len = 20;

	T(MPI_Initialized(&flag));
	T(MPI_Finalized(&flag));
	T(MPI_Is_thread_main(&flag));
	T(MPI_Query_thread(&n));
	{
		MPI_Comm parent;

		T(MPI_Comm_get_parent(&parent));
	}
	if (getenv("EVERY_PORT")) {
		T(MPI_Open_port(MPI_INFO_NULL, port));
		T(MPI_Close_port(port));
	}
	T(MPI_Pcontrol(1));
	T(MPI_Get_version(&n, &k));
	T(MPI_Get_library_version(text, &n));
	T(MPI_Get_processor_name(text, &n));
	T(MPI_Alloc_mem(64, MPI_INFO_NULL, &p));
	T(MPI_Free_mem(p));
	T(MPI_Error_class(MPI_ERR_RANK, &n));
	T(MPI_Error_string(MPI_ERR_RANK, text, &n));
	T(MPI_Add_error_class(&code));
	T(MPI_Add_error_code(code, &k));
	T(MPI_Add_error_string(k, "an error of mine"));
	T(MPI_Info_create(&info));
	T(MPI_Info_set(info, "key", "value"));
	T(MPI_Info_get(info, "key", 20, text, &flag));
#ifdef HAVE_Info_get_string
	T(MPI_Info_get_string(info, "key", &len, text, &flag));
#endif
#ifdef HAVE_Info_create_env
	T(MPI_Info_create_env(0, NULL, &i2));
	T(MPI_Info_free(&i2));
#endif
	T(MPI_Info_get_valuelen(info, "key", &n, &flag));
	T(MPI_Info_get_nkeys(info, &n));
	T(MPI_Info_get_nthkey(info, 0, key));
	T(MPI_Info_dup(info, &i2));
	T(MPI_Info_delete(i2, "key"));
	T(MPI_Info_free(&i2));
	T(MPI_Info_free(&info));
	T(MPI_Grequest_start(query, nothing, no_cancel, NULL, &q));
	T(MPI_Grequest_complete(q));
	T(MPI_Wait(&q, &s));
	T(MPI_Status_set_elements_x(&s, MPI_INT, 1));
#ifdef HAVE_Session_init
	{
		MPI_Session session;
		MPI_Group g;
		MPI_Errhandler e;

		T(MPI_Session_create_errhandler((void *)on_comm, &e));
		T(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
		T(MPI_Session_set_errhandler(session, e));
		T(MPI_Errhandler_free(&e));
		T(MPI_Session_get_errhandler(session, &e));
		T(MPI_Errhandler_free(&e));
		T(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n));
		len = sizeof(text);
		T(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &len, text));
		T(MPI_Session_get_pset_info(session, text, &info));
		if (info != MPI_INFO_NULL)
			T(MPI_Info_free(&info));
		T(MPI_Group_from_session_pset(session, "mpi://WORLD", &g));
		T(MPI_Group_free(&g));
		T(MPI_Session_get_info(session, &info));
		T(MPI_Info_free(&info));
		T(MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
		T(MPI_Session_finalize(&session));
	}
#endif
}

static void windows(void)
{
	static char memory[4096];
	MPI_Win w;
	MPI_Group g, h;
	MPI_Info info;
	MPI_Errhandler e;
	MPI_Aint size;
	D unit;
	void *p;
	int key;

#define TARGET other, 0, 1, MPI_INT, w
	T(MPI_Win_create(memory, 4096, 1, MPI_INFO_NULL, W, &w));
	T(MPI_Win_get_group(w, &g));
	T(MPI_Group_incl(g, 1, &other, &h));
	T(MPI_Info_create(&info));
	T(MPI_Win_set_info(w, info));
	T(MPI_Info_free(&info));
	T(MPI_Win_get_info(w, &info));
	T(MPI_Info_free(&info));
	T(MPI_Win_fence(0, w));
	T(MPI_Put(a, 1, MPI_INT, TARGET));
	T(MPI_Win_fence(0, w));
	T(MPI_Get(a, 1, MPI_INT, TARGET));
	T(MPI_Win_fence(0, w));
	T(MPI_Win_post(h, 0, w));
	T(MPI_Win_start(h, 0, w));
	T(MPI_Win_complete(w));
	T(MPI_Win_wait(w));
	T(MPI_Win_post(h, 0, w));
	T(MPI_Win_start(h, 0, w));
	T(MPI_Win_complete(w));
	do
		T(MPI_Win_test(w, &flag));
	while (!flag);
	T(MPI_Group_free(&g));
	T(MPI_Group_free(&h));
	T(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, w));
	T(MPI_Accumulate(a, 1, MPI_INT, other, 8, 1, MPI_INT, MPI_SUM, w));
	T(MPI_Get_accumulate(a, 1, MPI_INT, b, 1, MPI_INT, other, 8, 1, MPI_INT, MPI_SUM, w));
	T(MPI_Fetch_and_op(a, b, MPI_INT, other, 8, MPI_SUM, w));
	T(MPI_Compare_and_swap(a, b, b + 8, MPI_INT, other, 16, w));
	T(MPI_Win_flush(other, w));
	T(MPI_Win_flush_local(other, w));
	T(MPI_Win_sync(w));
	Q(MPI_Rput(a, 1, MPI_INT, other, 24, 1, MPI_INT, w, &q));
	Q(MPI_Rget(b, 1, MPI_INT, other, 24, 1, MPI_INT, w, &q));
	Q(MPI_Raccumulate(a, 1, MPI_INT, other, 8, 1, MPI_INT, MPI_SUM, w, &q));
	Q(MPI_Rget_accumulate(a, 1, MPI_INT, b, 1, MPI_INT, other, 8, 1, MPI_INT, MPI_SUM, w, &q));
	T(MPI_Win_unlock(other, w));
	T(MPI_Win_lock_all(0, w));
	T(MPI_Win_flush_all(w));
	T(MPI_Win_flush_local_all(w));
	T(MPI_Win_unlock_all(w));
	T(MPI_Win_create_errhandler(on_win, &e));
	T(MPI_Win_set_errhandler(w, e));
	T(MPI_Win_call_errhandler(w, MPI_ERR_OTHER));
	T(MPI_Errhandler_free(&e));
	T(MPI_Win_get_errhandler(w, &e));
	T(MPI_Errhandler_free(&e));
	T(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL));
	T(MPI_Win_set_attr(w, key, a));
	T(MPI_Win_get_attr(w, key, &p, &flag));
	T(MPI_Win_delete_attr(w, key));
	T(MPI_Win_free_keyval(&key));
	T(MPI_Win_set_name(w, "window"));
	T(MPI_Win_get_name(w, text, &n));
	T(MPI_Win_free(&w));
	T(MPI_Win_allocate(64, 1, MPI_INFO_NULL, W, &p, &w));
	T(MPI_Win_free(&w));
	T(MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, W, &p, &w));
	T(MPI_Win_shared_query(w, other, &size, &unit, &p));
	T(MPI_Win_free(&w));
	T(MPI_Win_create_dynamic(MPI_INFO_NULL, W, &w));
	T(MPI_Win_attach(w, memory, 64));
	T(MPI_Win_detach(w, memory));
	T(MPI_Win_free(&w));
}

static void files(void)
{
	const char *name = getenv("EVERY_FILE");
	char view[MPI_MAX_DATAREP_STRING];
	MPI_File f;
	MPI_Offset o;
	MPI_Group g;
	MPI_Info info;
	MPI_Datatype e, t;
	MPI_Errhandler h;

	T(MPI_File_open(W, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	T(MPI_File_set_size(f, 4096));
	T(MPI_File_preallocate(f, 4096));
	T(MPI_File_get_size(f, &o));
	T(MPI_File_get_group(f, &g));
	T(MPI_Group_free(&g));
	T(MPI_File_get_amode(f, &n));
	T(MPI_Info_create(&info));
	T(MPI_File_set_info(f, info));
	T(MPI_Info_free(&info));
	T(MPI_File_get_info(f, &info));
	if (info != MPI_INFO_NULL)
		T(MPI_Info_free(&info));
	T(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	T(MPI_File_get_view(f, &o, &e, &t, view));
#define V a, 1, MPI_INT
	T(MPI_File_write_at(f, me, V, &s));
	T(MPI_File_read_at(f, me, V, &s));
	T(MPI_File_write_at_all(f, me, V, &s));
	T(MPI_File_read_at_all(f, me, V, &s));
	Q(MPI_File_iwrite_at(f, me, V, &q));
	Q(MPI_File_iread_at(f, me, V, &q));
	Q(MPI_File_iwrite_at_all(f, me, V, &q));
	Q(MPI_File_iread_at_all(f, me, V, &q));
	T(MPI_File_write(f, V, &s));
	T(MPI_File_read(f, V, &s));
	T(MPI_File_write_all(f, V, &s));
	T(MPI_File_read_all(f, V, &s));
	Q(MPI_File_iwrite(f, V, &q));
	Q(MPI_File_iread(f, V, &q));
	Q(MPI_File_iwrite_all(f, V, &q));
	Q(MPI_File_iread_all(f, V, &q));
	T(MPI_File_seek(f, 0, MPI_SEEK_SET));
	T(MPI_File_get_position(f, &o));
	T(MPI_File_get_byte_offset(f, 1, &o));
	T(MPI_File_write_shared(f, V, &s));
	T(MPI_File_read_shared(f, V, &s));
	Q(MPI_File_iwrite_shared(f, V, &q));
	Q(MPI_File_iread_shared(f, V, &q));
	T(MPI_Barrier(W));
	T(MPI_File_write_ordered(f, V, &s));
	T(MPI_File_read_ordered(f, V, &s));
	T(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	T(MPI_File_get_position_shared(f, &o));
#define SPLIT(what, ...)                                                                           \
	T(MPI_File_##what##_begin(f, __VA_ARGS__));                                                \
	T(MPI_File_##what##_end(f, a, &s));
	SPLIT(write_at_all, me, V)
	SPLIT(read_at_all, me, V)
	SPLIT(write_all, V)
	SPLIT(read_all, V)
	SPLIT(write_ordered, V)
	SPLIT(read_ordered, V)
	T(MPI_File_get_type_extent(f, MPI_INT, &extent));
	T(MPI_File_set_atomicity(f, 0));
	T(MPI_File_get_atomicity(f, &flag));
	T(MPI_File_sync(f));
	T(MPI_File_create_errhandler(on_file, &h));
	T(MPI_File_set_errhandler(f, h));
	T(MPI_File_call_errhandler(f, MPI_ERR_OTHER));
	T(MPI_Errhandler_free(&h));
	T(MPI_File_get_errhandler(f, &h));
	T(MPI_Errhandler_free(&h));
	T(MPI_File_close(&f));
	T(MPI_Barrier(W));
	if (!me)
		T(MPI_File_delete(name, MPI_INFO_NULL));
	MPI_Register_datarep("mine", NULL, NULL, NULL, NULL); /* may be refused */
}

/* MPI-1's, of which an MPI may have all or none. */
static void removed(void)
{
	int key, bl[2] = { 1, 1 };
	MPI_Aint x, di[2] = { 0, 16 };
	MPI_Errhandler e;
	MPI_Datatype t;
	void *p;

	T(MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL));
	T(MPI_Attr_put(S, key, a));
	T(MPI_Attr_get(S, key, &p, &flag));
	T(MPI_Attr_delete(S, key));
	T(MPI_Keyval_free(&key));
	T(MPI_Address(a, &x));
	T(MPI_Errhandler_create(on_comm, &e));
	T(MPI_Errhandler_set(S, e));
	T(MPI_Errhandler_free(&e));
	T(MPI_Errhandler_get(S, &e));
	T(MPI_Errhandler_set(S, MPI_ERRORS_RETURN));
	T(MPI_Errhandler_free(&e));
	T(MPI_Type_extent(MPI_INT, &x));
	T(MPI_Type_lb(MPI_INT, &x));
	T(MPI_Type_ub(MPI_INT, &x));
	M(MPI_Type_hindexed(2, bl, di, MPI_INT, &t))
	M(MPI_Type_hvector(2, 1, 16, MPI_INT, &t))
	M(MPI_Type_struct(2, bl, di, ints, &t))
}
