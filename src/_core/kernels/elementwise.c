/* Selects the array kernels for this machine. */
#include "elementwise.h"
#include "node.h"

/* The kernels that this machine can run, fastest first. */
static int available(const Elementwise *found[3]) {
    int n = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) found[n++] = &elementwise_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found[n++] = &elementwise_avx2;
#endif
    found[n++] = &elementwise_base;
    return n;
}

/* The kernels to use: the fastest, or those named by CHAINRULE_SIMD; NULL with an exception set if this machine
 * does not have them. */
const Elementwise *elementwise_best(void) {
    const char *wanted = getenv("CHAINRULE_SIMD");
    const Elementwise *found[3];
    for (int i = 0, n = available(found); i < n; i++)
        if (!wanted || !*wanted || !strcmp(found[i]->name, wanted)) return found[i];
    PyErr_Format(PyExc_ValueError, "CHAINRULE_SIMD must be one of avx512, avx2, base that this machine has, got '%s'", wanted);
    return NULL;
}

PyObject *simd_best(PyObject *module, PyObject *unused) {
    const Elementwise *best = elementwise_best();
    return best ? PyUnicode_FromString(best->name) : NULL;
}

/* For the tests: the addresses of map_values and map_pull by name. */
PyObject *simd_kernels(PyObject *module, PyObject *unused) {
    const Elementwise *found[3];
    PyObject *all = PyDict_New();
    for (int i = 0, n = available(found); all && i < n; i++) {
        PyObject *two = Py_BuildValue("nn", (Py_ssize_t)found[i]->map_values, (Py_ssize_t)found[i]->map_pull);
        if (!two || PyDict_SetItemString(all, found[i]->name, two) < 0) Py_CLEAR(all);
        Py_XDECREF(two);
    }
    return all;
}
