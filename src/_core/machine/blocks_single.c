/* Runs programs whose numbers are stored as floats. */
#define SINGLE
#include "blocks.h"
