// fork: the child has the pool as it was, whatever other threads of the parent were doing
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { FORKS = 40 };

static struct zs_pool *pool;
static struct xv_pool *pages;
static volatile int ended;

static void *work(void *unused) {
    while (!ended) {
        struct page *page;
        uint32_t offset;
        unsigned long handle = zs_malloc(pool, 1000, GFP_KERNEL);
        CHECK(!IS_ERR_VALUE(handle) && xv_malloc(pages, 1000, &page, &offset, GFP_KERNEL) == 0);
        zs_free(pool, handle);
        xv_free(pages, page, offset);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pool = zs_create_pool("pool");
    pages = xv_create_pool();
    char text[] = "kept";
    unsigned long handle = zs_malloc(pool, sizeof text, GFP_KERNEL);
    zs_obj_write(pool, handle, text, sizeof text);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            CHECK(heapwright_kernel_check() == 0);
            void *read = zs_obj_read_begin(pool, handle, NULL);
            CHECK(strcmp(read, "kept") == 0);
            zs_obj_read_end(pool, handle, read);
            struct page *page;
            uint32_t offset;
            CHECK(!IS_ERR_VALUE(zs_malloc(pool, 2000, GFP_KERNEL)));
            CHECK(xv_malloc(pages, 2000, &page, &offset, GFP_KERNEL) == 0);
            zs_compact(pool);
            struct zs_pool *another = zs_create_pool("another");
            zs_destroy_pool(another);
            _exit(heapwright_kernel_check() != 0);
        }
        int status;
        CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    ended = 1;
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
