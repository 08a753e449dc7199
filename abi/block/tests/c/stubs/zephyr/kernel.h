// What the port of the heap uses of Zephyr's kernel.
#ifndef ZEPHYR_KERNEL_H
#define ZEPHYR_KERNEL_H

#include "../../check.h"

struct k_spinlock {
    int held;
};

typedef struct {
    int key;
} k_spinlock_key_t;

static inline k_spinlock_key_t k_spin_lock(struct k_spinlock *lock) {
    CHECK(lock->held++ == 0);
    return (k_spinlock_key_t){7};
}

static inline void k_spin_unlock(struct k_spinlock *lock, k_spinlock_key_t key) {
    CHECK(key.key == 7);
    CHECK(--lock->held == 0);
}

#endif
