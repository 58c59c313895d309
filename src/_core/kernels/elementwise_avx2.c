/* Array kernels on four numbers at a time. Only called on machines with AVX2 and FMA. */
#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define SIMD_AVX2
#include "map.h"
#include "interpreter.h"

const Interpreter STORED(interpreter_avx2) = INTERPRETER;
#if !defined(SINGLE)
const Elementwise elementwise_avx2 = {
    "avx2", map_values, map_pull, {&interpreter_avx2_double, &interpreter_avx2_single}};
#endif

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
