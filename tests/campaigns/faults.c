/* Makes allocations fail, for the campaign in allocations.py.

   Preloaded into a Python process (LD_PRELOAD), so that it sees the calls of malloc that the core makes
   itself; Python's own allocators are wrapped by `install`. A call counts if it comes from the core, or
   from the interpreter while it runs a frame of the package or of the campaign's entries. What NumPy and
   other extensions do with a failed allocation is not tested here: some crash. */
#define _GNU_SOURCE
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

#define PREFIXES 4
static char prefixes[PREFIXES][512]; /* files whose frames count */
static int prefix_count;
static void *core, *interpreter, *here, *libc; /* where these are loaded */

static atomic_long seen;            /* calls that counted since `arm` */
static long first = -1, last = -1;  /* the calls that fail, counted from 1 */
static _Thread_local int busy;      /* inside this file */

static int chosen(void) {
    long number = atomic_fetch_add(&seen, 1) + 1;
    return number >= first && number <= last;
}

static void *loaded_at(const void *address) {
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Whether the caller is a function of the core. */
static int from_core(void *caller) {
    return core && loaded_at(caller) == core;
}

/* Whether only the interpreter and the core run between the innermost Python frame and here. The allocations
   of an exception that is being made are spared: CPython aborts if it cannot make even a MemoryError. */
static int may_fail(void) {
    void *stack[64];
    busy = 1;
    const int depth = backtrace(stack, 64);
    busy = 0;
    for (int i = 0; i < depth; i++) {
        Dl_info info;
        if (!dladdr(stack[i], &info)) return 0;
        if (info.dli_sname && !strcmp(info.dli_sname, "_PyErr_NormalizeException")) return 0;
        if (info.dli_fbase == interpreter && info.dli_sname && !strcmp(info.dli_sname, "_PyEval_EvalFrameDefault"))
            return 1;
        if (info.dli_fbase != interpreter && info.dli_fbase != core && info.dli_fbase != here && info.dli_fbase != libc)
            return 0;
    }
    return 1;
}

static int from_our_frame(void) {
    if (busy || !PyGILState_Check()) return 0;
    busy = 1;
    int ours = 0;
    PyFrameObject *frame = PyEval_GetFrame();
    if (frame) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        const char *file = PyUnicode_Check(code->co_filename) ? PyUnicode_AsUTF8(code->co_filename) : NULL;
        for (int i = 0; file && i < prefix_count; i++) ours |= !strncmp(file, prefixes[i], strlen(prefixes[i]));
        Py_DECREF(code);
    }
    busy = 0;
    return ours;
}

/* --- the core's own calls ----------------------------------------------------------------------------- */

#define REFUSED(caller) (last > 0 && !busy && from_core(caller) && chosen())

void *malloc(size_t size) {
    if (REFUSED(__builtin_return_address(0))) return errno = ENOMEM, NULL;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    if (REFUSED(__builtin_return_address(0))) return errno = ENOMEM, NULL;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    if (REFUSED(__builtin_return_address(0))) return errno = ENOMEM, NULL;
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    if (REFUSED(__builtin_return_address(0))) return errno = ENOMEM, NULL;
    return __libc_memalign(alignment, size);
}

/* --- Python's allocators ------------------------------------------------------------------------------ */

static PyMemAllocatorEx originals[3];

static int refused(void) { return last > 0 && from_our_frame() && chosen() && may_fail(); }

static void *wrapped_malloc(void *domain, size_t size) {
    PyMemAllocatorEx *original = domain;
    return refused() ? NULL : original->malloc(original->ctx, size);
}

static void *wrapped_calloc(void *domain, size_t count, size_t size) {
    PyMemAllocatorEx *original = domain;
    return refused() ? NULL : original->calloc(original->ctx, count, size);
}

static void *wrapped_realloc(void *domain, void *block, size_t size) {
    PyMemAllocatorEx *original = domain;
    return refused() ? NULL : original->realloc(original->ctx, block, size);
}

static void wrapped_free(void *domain, void *block) {
    PyMemAllocatorEx *original = domain;
    original->free(original->ctx, block);
}

/* --- for allocations.py, by ctypes -------------------------------------------------------------------- */

void faults_install(void *address_in_core) {
    core = loaded_at(address_in_core);
    interpreter = loaded_at(PyEval_GetFrame);
    here = loaded_at(faults_install);
    libc = loaded_at(__libc_malloc);
    static const PyMemAllocatorDomain domains[] = {PYMEM_DOMAIN_RAW, PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ};
    for (int i = 0; i < 3; i++) {
        PyMem_GetAllocator(domains[i], &originals[i]);
        PyMemAllocatorEx wrapped = {&originals[i], wrapped_malloc, wrapped_calloc, wrapped_realloc, wrapped_free};
        PyMem_SetAllocator(domains[i], &wrapped);
    }
}

int faults_count_frames_of(const char *prefix) {
    if (prefix_count == PREFIXES || strlen(prefix) >= sizeof prefixes[0]) return -1;
    strcpy(prefixes[prefix_count++], prefix);
    return 0;
}

void faults_arm(long from, long to) {
    atomic_store(&seen, 0);
    first = from, last = to;
}

/* How many calls counted since `arm`. */
long faults_disarm(void) {
    first = last = -1;
    return atomic_load(&seen);
}
