/* Programs that store floats, two at a time, for any machine. */
#define SINGLE
#include "map.h"
#include "interpreter.h"

const Interpreter interpreter_base_single = INTERPRETER;
