/* Arrays two numbers at a time, with what every machine has. */
#include "map.h"
#include "interpreter.h"

const Interpreter interpreter_base_double = INTERPRETER;
const Elementwise elementwise_base = {"base", map_values, map_pull};
