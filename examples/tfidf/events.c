/* SPDX-License-Identifier: BSD-3-Clause */
/* TF-IDF, reduced by Bobbin: the counts of a rank are added to a value set at the end of an event
 * (idf_set.c), and these sets are merged as traces are, in MPI_Finalize. Compare naive.c.
 *
 *     ./make_corpus corpus; mpirun -n 4 bobbin record --mpi --events -- ./tfidf_events corpus
 *
 * The weight of a term in a document is its count divided by the document's words, times the
 * logarithm of all documents divided by those that contain it. Each rank reads every P-th document.
 * Rank 0 gets the whole table, prints the best term of each document, and checks the table against
 * its own count. */
#include <bobbin/events.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "idf_set.h"

struct documents {
	const char *folder;
	char **name;
	int count, rank, ranks;
	struct terms *tf;	/* of the own ones: document rank + i * ranks is number i */
	int own;
};

static void need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "tfidf: %s\n", what);
	exit(1);
}

static void *get(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	need(p != NULL, "memory");
	return p;
}

/* --- the terms --- */

static int64_t read_one(const struct documents *d, int number, struct terms *tf)
{
	char path[4096];
	int64_t words;

	snprintf(path, sizeof(path), "%s/%s", d->folder, d->name[number]);
	words = terms_read(tf, path);
	need(words >= 0, path);
	return words;
}

static void compute_tf(struct documents *d)
{
	d->own = (d->count - d->rank + d->ranks - 1) / d->ranks;
	d->own = d->own < 0 ? 0 : d->own;
	d->tf = get((size_t)d->own, sizeof(*d->tf));
	for (int i = 0; i < d->own; i++)
		read_one(d, d->rank + i * d->ranks, &d->tf[i]);
}

/* Adds 1 to each term of the document. */
static void count_document(const struct terms *tf, struct terms *df)
{
	for (size_t i = 0; i < tf->slots; i++)
		if (tf->slot[i].word)
			need(!terms_add(df, tf->slot[i].word, strlen(tf->slot[i].word), 1),
			     "memory");
}

static void compute_idf_local(const struct documents *d, struct terms *df)
{
	for (int i = 0; i < d->own; i++)
		count_document(&d->tf[i], df);
}

/* --- result --- */

/* The best term of a document; of equal ones the first in alphabetical order. */
static void print_best(const struct documents *d, int number, const struct terms *tf, int64_t words,
		       const struct terms *df)
{
	const char *best = "-";
	double most = -1;

	for (size_t k = 0; k < tf->slots; k++) {
		const struct term *t = &tf->slot[k];
		int64_t in = t->word ? terms_count(df, t->word) : 0;
		double worth;

		if (!in)
			continue;
		worth = (double)t->count / (double)words * log((double)d->count / (double)in);
		if (worth > most || (worth == most && strcmp(t->word, best) < 0)) {
			most = worth;
			best = t->word;
		}
	}
	printf("%s %s %.6f\n", d->name[number], best, most);
}

/* On rank 0: the result for all documents, and whether one rank alone counts the same. */
static int report(const struct documents *d, const struct terms *df)
{
	struct terms serial = { 0 }, tf = { 0 };
	int same;

	for (int k = 0; k < d->count; k++) {
		int64_t words = read_one(d, k, &tf);

		print_best(d, k, &tf, words, df);
		count_document(&tf, &serial);
		terms_free(&tf);
	}
	same = terms_same(&serial, df) && terms_same(df, &serial);
	printf("%d documents, %zu terms, %d ranks: %s\n", d->count, df->used, d->ranks,
	       same ? "verified" : "FAILED");
	terms_free(&serial);
	return same;
}

static void destroy(struct documents *d)
{
	for (int i = 0; i < d->own; i++)
		terms_free(&d->tf[i]);
	for (int k = 0; k < d->count; k++)
		free(d->name[k]);
	free(d->name);
	free(d->tf);
}

int main(int argc, char **argv)
{
	struct documents d = { .folder = argc > 1 ? argv[1] : "corpus" };
	struct terms own = { 0 };
	const struct terms *df = NULL;
	bob_event_id idf;
	int ok = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &d.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &d.ranks);
	d.count = documents_list(d.folder, &d.name);
	need(d.count > 0, "no documents");
	idf = bob_event_register("idf", 0, NULL);
	need(idf_set_add("idf", &own, &df), "to be run by bobbin record --mpi --events");

	compute_tf(&d);
	bob_event_begin(idf);
	compute_idf_local(&d, &own);
	bob_event_end(idf);
	MPI_Finalize();

	if (!d.rank)
		ok = df && report(&d, df);
	terms_free(&own);
	idf_set_free(df);
	destroy(&d);
	return ok ? 0 : 1;
}
