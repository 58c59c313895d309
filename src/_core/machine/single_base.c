/* Programs whose numbers are stored as floats, two at a time, with what every machine has. */
#define SINGLE
#include "map.h"
#include "interpreter.h"

const Interpreter interpreter_base_single = INTERPRETER;
