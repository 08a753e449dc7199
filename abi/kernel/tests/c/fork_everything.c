// fork: while threads do everything, children and theirs find all as it was, and go on with threads of their own
#include <sys/wait.h>
#include <unistd.h>

#include "everything.h"

enum { THREADS = 3 };

// What the parent has.
static char *text;
static struct zs_pool *pool;
static unsigned long handle;

static void end_well(pid_t child) {
    int status;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

// Most children end once they have used what threads of the parent were in the middle of.
static void go_on(unsigned is_short) {
    pthread_t threads[2];
    alarm(60);
    rounds = 3;
    CHECK(heapwright_kernel_check() == 0 && strcmp(text, "kept") == 0);
    void *read = zs_obj_read_begin(pool, handle, NULL);
    CHECK(strcmp(read, "kept") == 0);
    zs_obj_read_end(pool, handle, read);
    CHECK(!IS_ERR_VALUE(zs_malloc(pool, 2000, GFP_KERNEL)));
    zs_compact(pool);
    kfree(text);
    void *object = kmem_cache_alloc(shared, GFP_KERNEL), *block = kmalloc(300, GFP_KERNEL);
    struct page *page = alloc_page(GFP_KERNEL);
    unsigned char *area = vmalloc(10000);
    CHECK(object && block && page && area);
    area[0] = *(unsigned char *)memset(page_address(page), 1, PAGE_SIZE);
    kmem_cache_free(shared, object);
    kfree(block);
    __free_page(page);
    vfree(area);
    if (is_short) _exit(heapwright_kernel_check() != 0);
    work((void *)7);
    for (uintptr_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    pid_t child = fork();
    if (child == 0) {
        work((void *)3);
        _exit(heapwright_kernel_check() != 0);
    }
    end_well(child);
    _exit(heapwright_kernel_check() != 0);
}

int main(void) {
    pthread_t threads[THREADS];
    rounds = 1000000;
    shared = kmem_cache_create("shared", 100, 0, 0, NULL);
    text = kstrdup("kept", GFP_KERNEL);
    pool = zs_create_pool("pool");
    handle = zs_malloc(pool, sizeof "kept", GFP_KERNEL);
    zs_obj_write(pool, handle, "kept", sizeof "kept");
    for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (unsigned i = 0, forks = (unsigned)trials(40); i < forks; i++) {
        usleep(3000);
        pid_t child = fork();
        if (child == 0) go_on(i % 4);
        end_well(child);
    }
    rounds = 0;
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    kmem_cache_destroy(shared);
    return 0;
}
