/* Numbers stored as floats. */
#define SINGLE
#include "blocks.h"
