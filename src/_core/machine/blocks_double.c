/* Numbers stored as doubles. */
#include "blocks.h"
