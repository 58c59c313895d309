/* Programs that store floats, eight at a time. Only called on machines with AVX-512. */
#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx2,fma")
#endif
#define SIMD_AVX512
#define SINGLE
#include "map.h"
#include "interpreter.h"

const Interpreter interpreter_avx512_single = INTERPRETER;

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
