/* Programs that store floats, four at a time. Only called on machines with AVX2 and FMA. */
#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define SIMD_AVX2
#define SINGLE
#include "map.h"
#include "interpreter.h"

const Interpreter interpreter_avx2_single = INTERPRETER;

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
