/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of `bobbin --help` and of `bobbin` without arguments: the verbs with their summaries. */
#include "cli/overview.h"

#include "cli/verbs.h"

void cli_print_overview(FILE *out)
{
	fputs("usage: bobbin VERB [options] ...\n"
	      "       bobbin COMMAND [ARG...]     record it, then print a short report\n\n"
	      "Bobbin records what the threads of an unmodified program do, compressed while it "
	      "runs.\n\n",
	      out);
	for (int i = 0; cli_verbs[i]; i++)
		if (!cli_verbs[i]->hidden)
			fprintf(out, "  %-10s %s\n", cli_verbs[i]->name, cli_verbs[i]->summary);
	fputs("\nA trace is a directory, by default bobbin.data. Verbs that read one take it as "
	      "their last\nargument. `bobbin VERB --help` lists the options of a verb.\n\n"
	      "First steps:\n"
	      "  bobbin record -- ./app args       bobbin report       bobbin show\n",
	      out);
}
