// A malloc that signal handlers may interrupt, with operators of its own: some end in its malloc by its exported name.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <sys/mman.h>

static const std::size_t ROOM = std::size_t(16) << 30;
static std::atomic<char *> next;

static void *take(std::size_t align, std::size_t size) {
    if (!next.load()) {
        void *room = mmap(nullptr, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        char *none = nullptr;
        next.compare_exchange_strong(none, static_cast<char *>(room));
    }
    if (size > ROOM / 1024) {
        errno = ENOMEM;
        return nullptr;
    }
    char *at = next.fetch_add((size + align + 31) & ~std::size_t(15)) + 16;
    at = reinterpret_cast<char *>((reinterpret_cast<std::uintptr_t>(at) + align - 1) & ~(align - 1));
    std::memcpy(at - 16, &size, sizeof size);
    return at;
}

extern "C" {
void *malloc(std::size_t size) noexcept { return take(16, size); }
void free(void *) noexcept {}
void *calloc(std::size_t count, std::size_t size) noexcept { return take(16, count * size); }
std::size_t malloc_usable_size(void *block) noexcept {
    std::size_t size;
    std::memcpy(&size, static_cast<char *>(block) - 16, sizeof size);
    return size;
}
void *realloc(void *block, std::size_t size) noexcept {
    void *moved = malloc(size);
    if (block && moved) {
        std::size_t old = malloc_usable_size(block);
        std::memcpy(moved, block, old < size ? old : size);
        free(block);
    }
    return moved;
}
void *memalign(std::size_t align, std::size_t size) noexcept { return take(align, size); }
void *aligned_alloc(std::size_t align, std::size_t size) noexcept { return memalign(align, size); }
int posix_memalign(void **out, std::size_t align, std::size_t size) noexcept {
    *out = memalign(align, size);
    return *out ? 0 : ENOMEM;
}
}

void *operator new(std::size_t size) {
    if (void *block = take(16, size)) return block;
    throw std::bad_alloc();
}
void *operator new[](std::size_t size) { return operator new(size); }
void *operator new(std::size_t size, std::align_val_t align) {
    return aligned_alloc(static_cast<std::size_t>(align), size);
}
void *operator new[](std::size_t size, std::align_val_t align) { return operator new(size, align); }
void operator delete(void *block) noexcept { free(block); }
void operator delete[](void *block) noexcept { operator delete(block); }
void operator delete(void *, std::size_t) noexcept {}
void operator delete[](void *block, std::size_t) noexcept { free(block); }
void operator delete(void *block, std::align_val_t) noexcept { free(block); }
void operator delete[](void *block, std::align_val_t) noexcept { operator delete(block); }
