/* A driver as it is written for a kernel: flows in a hash table, each an object of a cache of its own, so that a chain's
 * items lie side by side; its name and its table from kmalloc and kvmalloc.
 *
 *     cargo build --release -p heapwright-abi-kernel
 *     cc -I abi/include abi/kernel/examples/driver.c target/release/libheapwright_kernel.a -o driver && ./driver
 */
#include <heapwright/kernel.h>
#include <stdio.h>
#include <string.h>

enum { BUCKETS = 1 << 16, FLOWS = 200000 };

struct flow {
    struct flow *next;
    uint32_t source, target;
    uint64_t packets, bytes;
    uint32_t state;
};

static struct table {
    char *name;
    struct kmem_cache *cache;
    struct flow **buckets;
} table;

static uint32_t hash(uint32_t source, uint32_t target) {
    uint64_t mixed = ((uint64_t)source << 32 | target) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(mixed >> 48) % BUCKETS;
}

/* The flow of two addresses, made if it is new. */
static struct flow *find(uint32_t source, uint32_t target) {
    struct flow **bucket = &table.buckets[hash(source, target)];
    for (struct flow *flow = *bucket; flow; flow = flow->next)
        if (flow->source == source && flow->target == target) return flow;
    struct flow *flow = kmem_cache_zalloc(table.cache, GFP_ATOMIC);
    if (!flow) return ERR_PTR(-ENOMEM);
    flow->source = source;
    flow->target = target;
    flow->next = *bucket;
    return *bucket = flow;
}

static int start(const char *name) {
    table.name = kstrdup(name, GFP_KERNEL);
    table.cache = KMEM_CACHE(flow, SLAB_ACCOUNT);
    table.buckets = kvcalloc(BUCKETS, sizeof *table.buckets, GFP_KERNEL);
    return table.name && table.cache && table.buckets ? 0 : -ENOMEM;
}

static void stop(void) {
    for (int i = 0; table.buckets && i < BUCKETS; i++) {
        struct flow *flow = table.buckets[i];
        while (flow) {
            struct flow *next = flow->next;
            kmem_cache_free(table.cache, flow);
            flow = next;
        }
    }
    kvfree(table.buckets);
    kmem_cache_destroy(table.cache);
    kfree(table.name);
}

int main(void) {
    int error = start("flows");
    if (error) {
        fprintf(stderr, "no memory: %s\n", strerror(-error));
        stop();
        return 1;
    }
    for (uint32_t packet = 0; packet < 4 * FLOWS; packet++) {
        uint32_t number = packet % FLOWS;
        struct flow *flow = find(number, number * 2654435761u);
        if (IS_ERR(flow)) {
            fprintf(stderr, "a flow is lost: %s\n", strerror((int)-PTR_ERR(flow)));
            break;
        }
        flow->packets++;
        flow->bytes += 64 + number % 1400;
    }
    struct flow *flow = find(7, 7 * 2654435761u);
    printf("%s: flow 7 had %llu packets, %llu bytes\n", table.name, (unsigned long long)flow->packets, (unsigned long long)flow->bytes);
    printf("a flow has %u bytes, of kmalloc it would take %zu\n", kmem_cache_size(table.cache), kmalloc_size_roundup(sizeof(struct flow)));
    fflush(stdout);
    heapwright_kernel_slabinfo(1);
    stop();
    return heapwright_kernel_check() == 0 ? 0 : 1;
}
