/* `real`: the storage type of a program's numbers. Double, or float if SINGLE is defined. */
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
