/* Threads that wait for work: parts of a job are taken by whoever is free. */
#ifndef CHAINRULE_THREADS_H
#define CHAINRULE_THREADS_H

#include <stdatomic.h>
#include <stddef.h>

/* work(context, part) for all parts, on up to so many threads; returns when all are done. */
void share_out(void (*work)(void *context, int part), void *context, int parts, int threads);

/* Memory of this thread, kept from call to call; its content is undefined. NULL if there is none. */
void *workspace(size_t bytes);

#endif
