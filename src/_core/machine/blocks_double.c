/* Runs programs whose numbers are stored as doubles. */
#include "blocks.h"
