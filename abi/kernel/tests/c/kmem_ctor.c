// kmem_cache_create with a constructor: it runs once for each object of a slab, and what the last user left is kept
#include "check.h"

enum { COUNT = 500 };

struct object {
    long before, state, uses, behind;
};

static long made;

static void construct(void *memory) {
    struct object *object = memory;
    object->before = object->behind = 0x5afe;
    object->state = 1;
    object->uses = 0;
    made++;
}

int main(void) {
    static struct object *objects[COUNT];
    struct kmem_cache *cache = kmem_cache_create("constructed", sizeof(struct object), 0, 0, construct);
    long uses = 0;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < COUNT; i++) {
            objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
            CHECK(objects[i]->state == 1 && objects[i]->before == 0x5afe && objects[i]->behind == 0x5afe);
            objects[i]->state = 2;
            objects[i]->uses++;
            uses++;
        }
        for (int i = 0; i < COUNT; i++) {
            objects[i]->state = 1;
            kmem_cache_free(cache, objects[i]);
        }
    }
    // Objects were made once and used often.
    CHECK(made >= COUNT && made < 3 * COUNT);
    long seen = 0, last = made;
    for (int i = 0; i < COUNT; i++) {
        objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
        seen += objects[i]->uses;
    }
    CHECK(seen > uses / 2 && made == last);
    for (int i = 0; i < COUNT; i++) kmem_cache_free(cache, objects[i]);
    kmem_cache_destroy(cache);
    return 0;
}
