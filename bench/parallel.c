/* SPDX-License-Identifier: MIT */
/* parallel.c: a loop on all of the machine's cores. */
#include <pthread.h>
#include <unistd.h>

#include "parallel.h"

enum { MAX_THREADS = 64 };

struct piece {
    pthread_t thread;
    int64_t begin, end;
    void (*function)(int64_t begin, int64_t end, void *context);
    void *context;
};

static void *run(void *argument)
{
    const struct piece *piece = argument;
    piece->function(piece->begin, piece->end, piece->context);
    return NULL;
}

void parallel_for(int64_t count, void (*function)(int64_t begin, int64_t end, void *context), void *context)
{
    struct piece pieces[MAX_THREADS];
    int64_t threads = sysconf(_SC_NPROCESSORS_ONLN), started = 1;

    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    if (threads > count)
        threads = count;
    if (threads < 1)
        threads = 1;
    for (int64_t i = 0; i < threads; i++)
        pieces[i] =
            (struct piece){.begin = count * i / threads, .end = count * (i + 1) / threads, function, context};
    for (; started < threads; started++)
        if (pthread_create(&pieces[started].thread, NULL, run, &pieces[started]) != 0)
            break;
    run(&pieces[0]);
    for (int64_t i = started; i < threads; i++) /* for which there was no thread */
        run(&pieces[i]);
    for (int64_t i = 1; i < started; i++)
        pthread_join(pieces[i].thread, NULL);
}
