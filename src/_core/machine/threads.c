/* A thread pool, started when first needed. A worker spins briefly before it sleeps: in a training loop
 * the next job arrives sooner than a sleeping thread would wake. */
#define _GNU_SOURCE
#include "threads.h"
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST_WORKERS = 63, SPINS = 4000, LINE = 64 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t threads[MOST_WORKERS];
    int workers;
    atomic_int asleep;
    int avoided; /* the CPU that workers stay off, -1 for none */
#ifdef __linux__
    cpu_set_t allowed; /* the caller's CPU set when `avoided` was chosen */
#endif
    /* Everything a thread needs to start, in one cache line: transferring a line from the core that wrote it
     * takes as long as some of the jobs. */
    _Alignas(LINE) _Atomic uint64_t ticket; /* the job number and, in the lower half, how many parts are not taken
                                             * yet */
    Work *_Atomic work;
    void *_Atomic context;
    atomic_int parts, wanted; /* only the first `wanted` workers may take parts; a late one may join the next job */
    _Alignas(LINE) atomic_int left; /* parts not finished yet */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .avoided = -1};

static pthread_mutex_t one_job = PTHREAD_MUTEX_INITIALIZER;

static inline void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static uint32_t job(void) { return (uint32_t)(atomic_load(&pool.ticket) >> 32); }

/* Work on a job until all parts are taken. If the ticket is unchanged when a part is taken, everything read
 * before that belongs to this job: a job with untaken parts cannot have ended. */
static void take_parts(void) {
    int done = 0;
    uint64_t ticket = atomic_load(&pool.ticket);
    while ((uint32_t)ticket) {
        Work *const work = atomic_load_explicit(&pool.work, memory_order_relaxed);
        void *const context = atomic_load_explicit(&pool.context, memory_order_relaxed);
        const int part = atomic_load_explicit(&pool.parts, memory_order_relaxed) - (int)(uint32_t)ticket;
        if (!atomic_compare_exchange_weak(&pool.ticket, &ticket, ticket - 1)) continue;
        work(context, part);
        done++;
        ticket = atomic_load(&pool.ticket);
    }
    if (done) atomic_fetch_sub(&pool.left, done);
}

static void *worker(void *number) {
    const int mine = (int)(intptr_t)number;
    uint32_t seen = 0; /* the number of the last job seen; no job has the number 0 */
    for (;;) {
        for (int i = 0; i < SPINS && job() == seen; i++) relax();
        if (job() == seen) {
            pthread_mutex_lock(&pool.lock);
            atomic_fetch_add(&pool.asleep, 1); /* before checking again; the submitter does both in reverse order */
            while (job() == seen) pthread_cond_wait(&pool.wake, &pool.lock);
            atomic_fetch_sub(&pool.asleep, 1);
            pthread_mutex_unlock(&pool.lock);
        }
        seen = job();
        if (mine < atomic_load_explicit(&pool.wanted, memory_order_relaxed)) take_parts();
    }
    return NULL;
}

/* Reset the pool in a forked child, which has none of the threads. */
static void after_fork(void) {
    pthread_mutex_init(&pool.lock, NULL);
    pthread_mutex_init(&one_job, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pool.workers = 0;
    pool.avoided = -1;
    atomic_store(&pool.asleep, 0);
    atomic_store(&pool.ticket, (uint64_t)job() << 32); /* the child must not finish a job of the parent */
}

static void start_workers(int wanted) {
    static int registered;
    if (!registered) registered = pthread_atfork(NULL, NULL, after_fork) == 0;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (pool.workers < wanted && pool.workers < MOST_WORKERS) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, worker, (void *)(intptr_t)pool.workers)) break;
        pool.threads[pool.workers++] = thread;
        pool.avoided = -1;
    }
    pthread_attr_destroy(&attributes);
}

/* Linux tends to wake a thread on the CPU of the thread that wakes it, to share its cache. There the worker
 * would wait for us until the next load balancing. So keep the workers off this CPU. */
static void keep_off_this_processor(void) {
#ifdef __linux__
    const int here = sched_getcpu();
    cpu_set_t allowed;
    if (here < 0 || pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed)) return;
    if (here == pool.avoided && CPU_EQUAL(&allowed, &pool.allowed)) return;
    if (CPU_COUNT(&allowed) <= pool.workers) return; /* no CPU to spare */
    pool.allowed = allowed;
    CPU_CLR(here, &allowed);
    for (int i = 0; i < pool.workers; i++) pthread_setaffinity_np(pool.threads[i], sizeof allowed, &allowed);
    pool.avoided = here;
#endif
}

void share_out(Work *work, void *context, int parts, int threads) {
    if (parts < 2 || threads < 2 || pthread_mutex_trylock(&one_job)) { /* or the pool is busy */
        for (int i = 0; i < parts; i++) work(context, i);
        return;
    }
    const int wanted = (threads < parts ? threads : parts) - 1;
    start_workers(wanted);
    if (pool.workers) {
        atomic_store_explicit(&pool.work, work, memory_order_relaxed);
        atomic_store_explicit(&pool.context, context, memory_order_relaxed);
        atomic_store_explicit(&pool.parts, parts, memory_order_relaxed);
        atomic_store_explicit(&pool.wanted, wanted, memory_order_relaxed);
        atomic_store_explicit(&pool.left, parts, memory_order_relaxed);
        const uint32_t number = job() + 1;
        atomic_store(&pool.ticket, (uint64_t)(number ? number : 1) << 32 | (uint32_t)parts);
        if (atomic_load(&pool.asleep)) {
            pthread_mutex_lock(&pool.lock);
            keep_off_this_processor();
            pthread_cond_broadcast(&pool.wake);
            pthread_mutex_unlock(&pool.lock);
        }
        take_parts();
        for (int i = 0; atomic_load(&pool.left); i++) i < SPINS ? relax() : (void)sched_yield();
    } else
        for (int i = 0; i < parts; i++) work(context, i);
    pthread_mutex_unlock(&one_job);
}

/* --- memory ----------------------------------------------------------------------------------------- */

enum { MOST_REGIONS = 16, MOST_KEPT = 128 << 20 };

typedef struct {
    _Alignas(LINE) size_t bytes; /* of the memory that follows */
} Region;

static Region *_Atomic kept[MOST_REGIONS];
static atomic_size_t kept_bytes;

static int keep(int place, Region *region) {
    Region *none = NULL;
    return atomic_compare_exchange_strong(&kept[place], &none, region) && (atomic_fetch_add(&kept_bytes, region->bytes), 1);
}

void *borrow(size_t bytes) {
    for (int i = 0; i < MOST_REGIONS; i++) {
        Region *region = atomic_load(&kept[i]) ? atomic_exchange(&kept[i], NULL) : NULL;
        if (!region) continue;
        atomic_fetch_sub(&kept_bytes, region->bytes);
        if (region->bytes >= bytes) return region + 1;
        if (!keep(i, region)) free(region);
    }
    const size_t rounded = (bytes + LINE - 1) / LINE * LINE;
    Region *region = aligned_alloc(LINE, sizeof *region + rounded);
    if (region) region->bytes = rounded;
    return region ? region + 1 : NULL;
}

void give_back(void *memory) {
    if (!memory) return;
    Region *region = (Region *)memory - 1;
    if (atomic_load(&kept_bytes) + region->bytes <= MOST_KEPT)
        for (int i = 0; i < MOST_REGIONS; i++)
            if (keep(i, region)) return;
    free(region);
}
