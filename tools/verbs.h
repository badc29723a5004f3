/* SPDX-License-Identifier: MIT */
/* verbs.h: the verbs of the command; each takes its own argc and argv, and returns an exit status. */
#ifndef ISOMAT_TOOLS_VERBS_H
#define ISOMAT_TOOLS_VERBS_H

int cmd_bench(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_multiply(int argc, char **argv);
int cmd_on_host(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_tune(int argc, char **argv);

#endif /* ISOMAT_TOOLS_VERBS_H */
