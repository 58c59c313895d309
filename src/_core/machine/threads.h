/* A thread pool: any free thread takes the next part of a job. */
#ifndef CHAINRULE_THREADS_H
#define CHAINRULE_THREADS_H

#include <stdatomic.h>
#include <stddef.h>

typedef void Work(void *context, int part);

/* Run all parts of a job on up to `threads` threads; returns when all parts are done. */
void share_out(Work *work, void *context, int parts, int threads);

/* Memory that is kept between runs, because the pages of new memory cost more than many runs. It is aligned to
 * cache lines, and its content is undefined. NULL if out of memory. */
void *borrow(size_t bytes);
void give_back(void *memory);

#endif
