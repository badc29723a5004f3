/* SPDX-License-Identifier: MIT */
/* main.c: the host in C: main N LAUNCHES prints the results in one line. */
#include <stdio.h>
#include <stdlib.h>

#include "matmul_run.h"

int main(int argc, char **argv)
{
    double results[RESULT_COUNT];
    const char *wrong = argc == 3 ? matmul_run(atoi(argv[1]), atoi(argv[2]), results) : "main N LAUNCHES";
    if (wrong) {
        fprintf(stderr, "%s\n", wrong);
        return 1;
    }
    for (int i = 0; i < RESULT_COUNT; i++)
        printf("%.3f%c", results[i], i + 1 < RESULT_COUNT ? ' ' : '\n');
    return 0;
}
