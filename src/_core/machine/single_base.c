/* Programs that store floats, two at a time, for any machine. */
#define SINGLE
#include "elementwise_base.c"
