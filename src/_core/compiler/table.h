/* A hash table of item numbers. The caller stores and compares the items. */
#ifndef CHAINRULE_TABLE_H
#define CHAINRULE_TABLE_H

#include "node.h"

typedef struct {
    uint32_t hash;
    int32_t item; /* -1 if the slot is empty */
} Entry;

typedef struct {
    Entry *entries;
    uint32_t size; /* a power of two */
    uint32_t n;
} Table;

/* Whether an item equals the wanted one. */
typedef int Same(const void *wanted, int32_t item);

static inline uint64_t hash_more(uint64_t hash, uint64_t x) {
    hash = (hash ^ x) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static inline uint64_t hash_items(uint64_t hash, const int32_t *items, int64_t n) {
    for (int64_t i = 0; i < n; i++) hash = hash_more(hash, (uint32_t)items[i]);
    return hash;
}

/* Grow the table to hold `items` items, and rehash. */
static inline int table_room(Table *t, uint32_t items) {
    uint32_t size = 64;
    while (size / 2 <= items && size <= UINT32_MAX / 4) size *= 2;
    if (size / 2 <= items) return -1;
    Entry *entries = PyMem_Malloc((size_t)size * sizeof(Entry));
    if (!entries) return -1;
    for (uint32_t i = 0; i < size; i++) entries[i] = (Entry){0, -1};
    for (uint32_t i = 0; i < t->size; i++)
        if (t->entries[i].item >= 0) {
            uint32_t place = t->entries[i].hash & (size - 1);
            while (entries[place].item >= 0) place = (place + 1) & (size - 1);
            entries[place] = t->entries[i];
        }
    PyMem_Free(t->entries);
    t->entries = entries, t->size = size;
    return 0;
}

/* The existing item that is equal, or `item` after inserting it; negative if out of memory. `item` is the
 * number that the caller will give to its next new item. */
static inline int32_t table_enter(Table *t, uint64_t hash, Same *same, const void *wanted, int32_t item) {
    if (t->n >= t->size / 2 && table_room(t, t->n) < 0) return -1;
    const uint32_t short_hash = (uint32_t)hash;
    uint32_t place = short_hash & (t->size - 1);
    for (; t->entries[place].item >= 0; place = (place + 1) & (t->size - 1))
        if (t->entries[place].hash == short_hash && same(wanted, t->entries[place].item))
            return t->entries[place].item;
    t->entries[place] = (Entry){short_hash, item};
    t->n++;
    return item;
}

static inline void table_free(Table *t) {
    PyMem_Free(t->entries);
    *t = (Table){0};
}

#endif
