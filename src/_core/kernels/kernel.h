/* What the text of a kernel includes; the package compiles it when a program runs. See backends/kernels. */
#include "ops_simd.h"

#define KERNEL __attribute__((visibility("default")))
