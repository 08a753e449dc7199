/* A ring whose pages are mapped twice in a row: what is written across its end lies in one piece. Its messages are kept by
 * xvmalloc, which knows how long each is.
 *
 *     cargo build --release -p heapwright-abi-kernel
 *     cc -I abi/include abi/kernel/examples/ring.c target/release/libheapwright_kernel.a -o ring && ./ring
 */
#include <heapwright/kernel.h>
#include <stdio.h>
#include <string.h>

enum { PAGES = 4, MESSAGES = 1000 };

static struct page *pages[2 * PAGES];
static char *ring;
static size_t head, tail, size;

/* Makes it; what was made is taken down by stop(). */
static int start(void) {
    for (int i = 0; i < PAGES; i++) {
        pages[i] = pages[PAGES + i] = alloc_page(GFP_KERNEL);
        if (!pages[i]) return -ENOMEM;
    }
    ring = vmap(pages, 2 * PAGES, VM_MAP, PAGE_KERNEL);
    size = PAGES * PAGE_SIZE;
    return ring ? 0 : -ENOMEM;
}

static void stop(void) {
    vunmap(ring);
    for (int i = 0; i < PAGES; i++) __free_page(pages[i]);
}

int main(void) {
    struct xv_pool *pool = xv_create_pool();
    struct page *page;
    uint32_t offset;
    size_t bytes = 0, across = 0;
    if (!pool || start()) return 1;
    for (int i = 0; i < MESSAGES; i++) {
        /* The writer: a text and its 0, wherever the ring's end is. */
        int length = snprintf(ring + head % size, size, "message %d, %0*d", i, i % 90 + 1, i) + 1;
        across += head % size + (size_t)length > size;
        head += (size_t)length;
        /* The reader keeps a copy for as long as it needs it. */
        const char *text = ring + tail % size;
        int error = xv_malloc(pool, (uint32_t)strlen(text) + 1, &page, &offset, GFP_KERNEL);
        if (error) {
            fprintf(stderr, "message %d is lost: %s\n", i, strerror(-error));
            continue;
        }
        char *kept = (char *)page_address(page) + offset;
        memcpy(kept, text, xv_get_object_size(kept));
        tail += xv_get_object_size(kept);
        bytes += xv_get_object_size(kept);
        xv_free(pool, page, offset);
    }
    printf("%d messages of %zu bytes through a ring of %zu, %zu of them across its end\n", MESSAGES, bytes, size, across);
    fflush(stdout);
    heapwright_kernel_vmallocinfo(1);
    stop();
    xv_destroy_pool(pool);
    return head == tail && heapwright_kernel_check() == 0 ? 0 : 1;
}
