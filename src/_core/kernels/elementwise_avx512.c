/* Array kernels on eight numbers at a time. Only called on machines with AVX-512. */
#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx2,fma")
#endif
#define SIMD_AVX512
#include "map.h"
#include "interpreter.h"

const Interpreter STORED(interpreter_avx512) = INTERPRETER;
#if !defined(SINGLE)
const Elementwise elementwise_avx512 = {
    "avx512", map_values, map_pull, {&interpreter_avx512_double, &interpreter_avx512_single}};
#endif

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
