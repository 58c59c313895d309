/* Programs that store floats, four at a time. Only called on machines with AVX2 and FMA. */
#define SINGLE
#include "elementwise_avx2.c"
