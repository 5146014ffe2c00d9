/* Fuzzer of the Matrix Market reader: any file either gives all numbers, finite, or exactly one error. */
#define _GNU_SOURCE
#include "model/matrix_market.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[40];
    double A[N * N];
    lm_diag diag = {0};
    int fd = memfd_create("matrix", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    for (int i = 0; i < N * N; i++) A[i] = NAN;
    const lm_matrix_file file = {path, "mass of 'a'", {"fuzz", 1, 1}, N, "6 for each node"};
    int status = lm_matrix_market_read(&file, A, &diag);
    if (status ? diag.errors != 1 : diag.errors) abort();
    for (int i = 0; i < N * N && !status; i++)
        if (!isfinite(A[i])) abort();
    close(fd);
    lm_diag_free(&diag);
    return 0;
}
