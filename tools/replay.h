/* SPDX-License-Identifier: MIT */
/* replay.h: one multiplication captured many times, to be replayed without the host's pace between. */
#ifndef ISOMAT_TOOLS_REPLAY_H
#define ISOMAT_TOOLS_REPLAY_H

#include "problem.h"

/* The driver's functions for graphs. */
struct replayer {
    int (*begin)(void *stream, int mode);
    int (*end)(void *stream, void **graph);
    int (*instantiate)(void **exec, void *graph, unsigned long long flags);
    int (*launch)(void *exec, void *stream);
    int (*destroy_exec)(void *exec);
    int (*destroy)(void *graph);
};

/* Makes the context current.  False if the driver lacks a function. */
bool replayer_open(struct replayer *replayer, const struct session *session);

struct replay {
    void *exec; /* CUgraphExec; NULL: each multiplication is submitted */
    int64_t count;
};

/* count multiplications by the engine; captured if replayer is not NULL, and if that can be done.
 * Both were submitted before, so that nothing is loaded during the capture. */
int replay_create(struct replay *replay, const struct replayer *replayer, struct problem *problem,
                  enum engine engine, int64_t count);
int replay_submit(const struct replay *replay, const struct replayer *replayer, struct problem *problem,
                  enum engine engine);
void replay_destroy(struct replay *replay, const struct replayer *replayer);

#endif /* ISOMAT_TOOLS_REPLAY_H */
