/* Selects the array kernels for this machine. */
#include "elementwise.h"
#include <stdlib.h>
#include <string.h>

/* The kernels that this machine can run, fastest first. */
static int available(const Elementwise *found[3]) {
    int n = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) found[n++] = &elementwise_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found[n++] = &elementwise_avx2;
#endif
    found[n++] = &elementwise_base;
    return n;
}

const Elementwise *elementwise_named(const char *name) {
    const Elementwise *found[3];
    for (int i = 0, n = available(found); i < n; i++)
        if (!strcmp(found[i]->name, name)) return found[i];
    return NULL;
}

const Elementwise *elementwise_best(void) {
    const char *wanted = getenv("CHAINRULE_SIMD");
    if (wanted && *wanted) return elementwise_named(wanted);
    const Elementwise *found[3];
    available(found);
    return found[0];
}
