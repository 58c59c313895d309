/* Programs that store floats, eight at a time. Only called on machines with AVX-512. */
#define SINGLE
#include "elementwise_avx512.c"
