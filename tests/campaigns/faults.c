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
#include <pthread.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

#define PREFIXES 4
static char prefixes[PREFIXES][512]; /* files whose frames count */
static int prefix_count;
static void *core, *interpreter, *here, *libc; /* where these are loaded */

static int armed;                   /* allocations are counted */
static _Thread_local int busy;      /* inside this file */

/* --- places ------------------------------------------------------------------------------------------- */

/* A place is what led to an allocation: the instructions of the innermost Python frames and, in the core, the
   caller. It is known by a hash. */
#define SLOTS (1 << 16)
static struct { uintptr_t place; long visits; } slots[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t target; /* the place whose allocation fails at this visit */
static long target_visit;
static int for_good;     /* whether all later allocations fail too */
static int failing;
static int depth;        /* of how many frames */

static uintptr_t mixed(uintptr_t hash, uintptr_t more) {
    hash = (hash ^ more) * (uintptr_t)0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

/* The caller has disabled the garbage collector: a frame object is made here for each frame. */
static uintptr_t stack_hash(PyFrameObject *frame, uintptr_t hash) {
    Py_INCREF(frame);
    for (int i = 0; frame && i < depth; i++) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        hash = mixed(mixed(hash, (uintptr_t)code), (uintptr_t)PyFrame_GetLasti(frame));
        Py_DECREF(code);
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = back;
    }
    Py_XDECREF(frame);
    return hash;
}

/* Note a visit to a place. Returns whether the allocation is to fail. */
static int chosen(uintptr_t place) {
    pthread_mutex_lock(&lock);
    place += !place;
    size_t i = place % SLOTS;
    while (slots[i].place && slots[i].place != place) i = (i + 1) % SLOTS;
    slots[i].place = place;
    const int hit = ++slots[i].visits == target_visit && place == target;
    if (hit && for_good) failing = 1;
    pthread_mutex_unlock(&lock);
    return hit || failing;
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

/* The place of the innermost frame and those that called it if that frame is of a file that counts, else 0. */
static uintptr_t place_here(void) {
    if (busy || !PyGILState_Check()) return 0;
    busy = 1;
    const int collecting = PyGC_Disable();
    int ours = 0;
    uintptr_t place = 0;
    PyFrameObject *frame = PyEval_GetFrame();
    if (frame) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        const char *file = PyUnicode_Check(code->co_filename) ? PyUnicode_AsUTF8(code->co_filename) : NULL;
        for (int i = 0; file && i < prefix_count; i++) ours |= !strncmp(file, prefixes[i], strlen(prefixes[i]));
        Py_DECREF(code);
        if (ours) place = stack_hash(frame, 1);
    }
    if (collecting) PyGC_Enable();
    busy = 0;
    return place;
}

/* --- the core's own calls ----------------------------------------------------------------------------- */

static int refused_in_core(void *caller) {
    if (!armed || busy || !from_core(caller)) return 0;
    return chosen(mixed(place_here(), (uintptr_t)caller));
}

void *malloc(size_t size) {
    if (refused_in_core(__builtin_return_address(0))) return errno = ENOMEM, NULL;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    if (refused_in_core(__builtin_return_address(0))) return errno = ENOMEM, NULL;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    if (refused_in_core(__builtin_return_address(0))) return errno = ENOMEM, NULL;
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    if (refused_in_core(__builtin_return_address(0))) return errno = ENOMEM, NULL;
    return __libc_memalign(alignment, size);
}

/* --- Python's allocators ------------------------------------------------------------------------------ */

static PyMemAllocatorEx originals[3];

static int refused(void) {
    const uintptr_t place = armed ? place_here() : 0;
    return place && chosen(place) && may_fail();
}

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

/* Count allocations from now on. The given visit to a place fails, and then all others if `all_later`. */
void faults_arm(uintptr_t place, long visit, int all_later, int frames) {
    memset(slots, 0, sizeof slots);
    depth = frames;
    target = place, target_visit = visit, for_good = all_later, failing = 0;
    armed = 1;
}

void faults_disarm(void) { armed = 0; }

/* Write the places seen since `arm` and how often each was visited; returns their number. */
long faults_seen(uintptr_t *places, long *visits) {
    long count = 0;
    for (size_t i = 0; i < SLOTS; i++) {
        if (!slots[i].place) continue;
        places[count] = slots[i].place;
        visits[count++] = slots[i].visits;
    }
    return count;
}
