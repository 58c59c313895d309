/* Threads that wait for work: parts of a job are taken by whoever is free. */
#ifndef CHAINRULE_THREADS_H
#define CHAINRULE_THREADS_H

#include <stdatomic.h>
#include <stddef.h>

typedef void Work(void *context, int part);

/* Does all parts of a work, on up to so many threads; returns when all are done. */
void share_out(Work *work, void *context, int parts, int threads);

/* Memory of this thread, kept from call to call; its content is undefined. NULL if there is none. */
void *workspace(size_t bytes);

#endif
