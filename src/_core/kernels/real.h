/* `real`: how the numbers of a program are stored. Double, or float where SINGLE is defined. */
#ifndef CHAINRULE_REAL_H
#define CHAINRULE_REAL_H

#if defined(SINGLE)
typedef float real;
#define STORED(name) name##_single
#else
typedef double real;
#define STORED(name) name##_double
#endif

#endif
