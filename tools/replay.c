/* SPDX-License-Identifier: MIT */
/* replay.c: one multiplication captured many times, to be replayed without the host's pace between.
 *
 * The driver's functions are declared here, so that nothing of CUDA is needed to build this. */
#include "message.h"
#include "replay.h"
#include "timing.h"

enum { CAPTURE_RELAXED = 2 }; /* CU_STREAM_CAPTURE_MODE_RELAXED */

bool replayer_open(struct replayer *replayer, const struct session *session)
{
    void *driver = session_driver(session);
    return driver && find_function(driver, "cuStreamBeginCapture_v2", &replayer->begin) &&
           find_function(driver, "cuStreamEndCapture", &replayer->end) &&
           find_function(driver, "cuGraphInstantiateWithFlags", &replayer->instantiate) &&
           find_function(driver, "cuGraphLaunch", &replayer->launch) &&
           find_function(driver, "cuGraphExecDestroy", &replayer->destroy_exec) &&
           find_function(driver, "cuGraphDestroy", &replayer->destroy) && session_make_current(session);
}

static void *native_stream(const struct problem *problem)
{
    uint64_t cu_stream = 0;
    isomat_stream_get_native(&cu_stream, problem->stream);
    return (void *)(uintptr_t)cu_stream;
}

int replay_create(struct replay *replay, const struct replayer *replayer, struct problem *problem,
                  enum engine engine, int64_t count)
{
    void *stream = native_stream(problem), *graph = NULL;
    *replay = (struct replay){.count = count};
    if (!replayer || count == 1 || replayer->begin(stream, CAPTURE_RELAXED) != 0)
        return STATUS_OK;
    int status = submit_batch(problem, engine, count);
    if (replayer->end(stream, &graph) != 0)
        graph = NULL;
    if (status == STATUS_OK && graph && replayer->instantiate(&replay->exec, graph, 0) != 0)
        replay->exec = NULL;
    if (graph)
        replayer->destroy(graph);
    return status;
}

int replay_submit(const struct replay *replay, const struct replayer *replayer, struct problem *problem,
                  enum engine engine)
{
    if (!replay->exec)
        return submit_batch(problem, engine, replay->count);
    int status = replayer->launch(replay->exec, native_stream(problem));
    return status == 0 ? STATUS_OK : fail("cuGraphLaunch fails with status %d", status);
}

void replay_destroy(struct replay *replay, const struct replayer *replayer)
{
    if (replay->exec)
        replayer->destroy_exec(replay->exec);
    replay->exec = NULL;
}
