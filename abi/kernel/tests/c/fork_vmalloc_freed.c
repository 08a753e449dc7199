// fork: what the parent frees stays the child's, and nothing that either allocates lies in the same memory
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { SMALL = 4096, LARGE = 5 << 20 };

static int to_child[2], to_parent[2];

static void say(const int *pipe) { CHECK(write(pipe[1], "x", 1) == 1); }

static void hear(const int *pipe) {
    char byte;
    CHECK(read(pipe[0], &byte, 1) == 1);
}

static void *other(void *nothing) { return nothing; }

static void round_of(int threads) {
    unsigned char *area = vmalloc(SMALL), *large = kvmalloc(LARGE, GFP_KERNEL), *lazy = vmalloc(3 * SMALL);
    struct page *page = alloc_page(GFP_KERNEL), *shown = alloc_page(GFP_KERNEL);
    unsigned char *view = vmap(&shown, 1, VM_MAP, PAGE_KERNEL);
    pthread_t thread;
    // From the first thread on the locks are taken.
    if (threads) CHECK(pthread_create(&thread, NULL, other, NULL) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(area && large && lazy && page && shown && view && pipe(to_child) == 0 && pipe(to_parent) == 0);
    fill(area, SMALL, 1);
    fill(large, LARGE, 2);
    fill(page_address(page), SMALL, 3);
    fill(view, SMALL, 4);
    vfree(lazy);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        hear(to_child);
        CHECK(is_filled(area, SMALL, 1) && is_filled(large, LARGE, 2));
        CHECK(is_filled(page_address(page), SMALL, 3) && is_filled(view, SMALL, 4));
        memset(area, 'C', SMALL);
        memset(large, 'C', LARGE);
        memset(page_address(page), 'C', SMALL);
        memset(view, 'C', SMALL);
        say(to_parent);
        hear(to_child);
        _exit(heapwright_kernel_check() != 0);
    }
    vfree(area);
    kvfree(large);
    __free_page(page);
    vunmap(view);
    __free_page(shown);
    unsigned char *new_area = vmalloc(SMALL), *new_large = kvmalloc(LARGE, GFP_KERNEL);
    struct page *new_page = alloc_page(GFP_KERNEL | __GFP_ZERO), *another = alloc_page(GFP_KERNEL | __GFP_ZERO);
    CHECK(new_area && new_large && new_page && another);
    fill(new_area, SMALL, 5);
    fill(new_large, LARGE, 6);
    say(to_child);
    hear(to_parent);
    CHECK(is_filled(new_area, SMALL, 5) && is_filled(new_large, LARGE, 6));
    CHECK(is_all(page_address(new_page), SMALL, 0) && is_all(page_address(another), SMALL, 0));
    say(to_child);
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    vfree(new_area);
    kvfree(new_large);
    __free_page(new_page);
    __free_page(another);
    CHECK(heapwright_kernel_check() == 0);
    for (int end = 0; end < 2; end++) CHECK(close(to_child[end]) == 0 && close(to_parent[end]) == 0);
}

int main(void) {
    round_of(0);
    round_of(1);
    round_of(1);
    return 0;
}
