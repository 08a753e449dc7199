// fork: the child has caches, blocks and areas as they were, whatever other threads of the parent were doing
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { FORKS = 40 };

static struct kmem_cache *cache;
static volatile int ended;

static void *work(void *unused) {
    void *objects[40];
    while (!ended) {
        for (int i = 0; i < 40; i++) CHECK((objects[i] = i % 2 ? kmem_cache_alloc(cache, GFP_KERNEL) : kmalloc(200, GFP_KERNEL)) != NULL);
        for (int i = 0; i < 40; i++) kfree(objects[i]);
        void *area = vmalloc(10000);
        struct page *page = alloc_page(GFP_KERNEL);
        CHECK(area && page && page_address(page));
        vfree(area);
        __free_page(page);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    cache = kmem_cache_create("shared", 100, 0, 0, NULL);
    char *text = kstrdup("kept", GFP_KERNEL);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            CHECK(heapwright_kernel_check() == 0 && strcmp(text, "kept") == 0);
            for (int i = 0; i < 1000; i++) {
                void *object = kmem_cache_alloc(cache, GFP_KERNEL), *block = kmalloc(300, GFP_KERNEL);
                CHECK(object && block);
                kmem_cache_free(cache, object);
                kfree(block);
            }
            char *area = vmalloc(10000);
            struct page *page = alloc_page(GFP_KERNEL);
            area[0] = *(char *)memset(page_address(page), 1, PAGE_SIZE);
            vfree(area);
            __free_page(page);
            kfree(text);
            _exit(heapwright_kernel_check() != 0);
        }
        int status;
        CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    ended = 1;
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
