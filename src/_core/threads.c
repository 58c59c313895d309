/* A pool of threads, started when first needed. A worker spins for a moment before it sleeps:
 * in a training loop the next job comes sooner than waking up would take. */
#define _GNU_SOURCE
#include "threads.h"
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST_WORKERS = 63, SPINS = 4000 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int workers, asleep;
    pthread_t threads[MOST_WORKERS];
    int avoided; /* the processor that the workers keep off, -1 for none */
#ifdef __linux__
    cpu_set_t allowed; /* to the caller when that was settled */
#endif
    atomic_uint job;  /* counts jobs: workers look for a change */
    atomic_int open;  /* whether parts may still be taken */
    atomic_int inside; /* workers that may be at a part; nobody waits for those that have not come */
    atomic_int next, wanted;
    void (*work)(void *, int);
    void *context;
    int parts;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .avoided = -1};

static pthread_mutex_t one_job = PTHREAD_MUTEX_INITIALIZER;

static inline void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void take_parts(void) {
    int part;
    while ((part = atomic_fetch_add(&pool.next, 1)) < pool.parts) pool.work(pool.context, part);
}

static void *worker(void *last_job) {
    unsigned seen = (unsigned)(uintptr_t)last_job;
    for (;;) {
        for (int i = 0; i < SPINS && atomic_load(&pool.job) == seen; i++) relax();
        if (atomic_load(&pool.job) == seen) {
            pthread_mutex_lock(&pool.lock);
            pool.asleep++;
            while (atomic_load(&pool.job) == seen) pthread_cond_wait(&pool.wake, &pool.lock);
            pool.asleep--;
            pthread_mutex_unlock(&pool.lock);
        }
        seen = atomic_load(&pool.job);
        /* First say so, then look: the owner closes the job first, then looks who is inside. */
        atomic_fetch_add(&pool.inside, 1);
        if (atomic_load(&pool.open) && atomic_fetch_sub(&pool.wanted, 1) > 0) take_parts();
        atomic_fetch_sub(&pool.inside, 1);
    }
    return NULL;
}

/* A child process has none of the threads. */
static void after_fork(void) {
    pthread_mutex_init(&pool.lock, NULL);
    pthread_mutex_init(&one_job, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pool.workers = pool.asleep = 0;
    pool.avoided = -1;
    atomic_store(&pool.open, 0);
    atomic_store(&pool.inside, 0);
}

static void start_workers(int wanted) {
    static int registered;
    if (!registered) registered = pthread_atfork(NULL, NULL, after_fork) == 0;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (pool.workers < wanted && pool.workers < MOST_WORKERS) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, worker, (void *)(uintptr_t)atomic_load(&pool.job))) break;
        pool.threads[pool.workers++] = thread;
        pool.avoided = -1;
    }
    pthread_attr_destroy(&attributes);
}

/* Linux likes to wake a thread on the processor of the one that wakes it, to share its cache. There
 * it would wait for us until the next balancing of loads, some 5 ms: keep the workers off it. */
static void keep_off_this_processor(void) {
#ifdef __linux__
    const int here = sched_getcpu();
    cpu_set_t allowed;
    if (here < 0 || pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed)) return;
    if (here == pool.avoided && CPU_EQUAL(&allowed, &pool.allowed)) return;
    if (CPU_COUNT(&allowed) <= pool.workers) return; /* there is none to spare */
    pool.allowed = allowed;
    CPU_CLR(here, &allowed);
    for (int i = 0; i < pool.workers; i++) pthread_setaffinity_np(pool.threads[i], sizeof allowed, &allowed);
    pool.avoided = here;
#endif
}

void share_out(void (*work)(void *, int), void *context, int parts, int threads) {
    if (parts < 2 || threads < 2 || pthread_mutex_trylock(&one_job)) { /* or the pool is taken */
        for (int i = 0; i < parts; i++) work(context, i);
        return;
    }
    start_workers((threads < parts ? threads : parts) - 1);
    if (pool.workers) {
        pool.work = work, pool.context = context, pool.parts = parts;
        atomic_store(&pool.next, 0);
        atomic_store(&pool.wanted, (threads < parts ? threads : parts) - 1);
        atomic_store(&pool.open, 1);
        pthread_mutex_lock(&pool.lock);
        atomic_fetch_add(&pool.job, 1);
        if (pool.asleep) {
            keep_off_this_processor();
            pthread_cond_broadcast(&pool.wake);
        }
        pthread_mutex_unlock(&pool.lock);
        take_parts();
        atomic_store(&pool.open, 0);
        for (int i = 0; atomic_load(&pool.inside); i++) i < SPINS ? relax() : (void)sched_yield();
    } else
        for (int i = 0; i < parts; i++) work(context, i);
    pthread_mutex_unlock(&one_job);
}

/* Freed when the thread ends. */
typedef struct {
    size_t bytes;
    void *memory;
} Kept;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void drop(void *kept) {
    free(((Kept *)kept)->memory);
    free(kept);
}
static void make_key(void) { pthread_key_create(&key, drop); }

void *workspace(size_t bytes) {
    pthread_once(&once, make_key);
    Kept *kept = pthread_getspecific(key);
    if (!kept) {
        kept = calloc(1, sizeof *kept);
        if (!kept || pthread_setspecific(key, kept)) return free(kept), NULL;
    }
    if (kept->bytes < bytes) {
        free(kept->memory);
        kept->memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
        kept->bytes = kept->memory ? bytes : 0;
    }
    return kept->memory;
}
