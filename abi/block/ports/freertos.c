/* FreeRTOS on TLSF: in the place of the kernel's heap_4.c or heap_5.c, with their functions.
 *
 *     cc ... -I abi/include abi/block/ports/freertos.c libheapwright_block.a
 *
 * Leave portable/MemMang/heap_N.c out of the project; nothing else changes. The heap is ucHeap, of configTOTAL_HEAP_SIZE bytes;
 * with heapwrightREGIONS defined as 1 it is what vPortDefineHeapRegions() is given, before anything is allocated.
 *
 * As in heap_4.c a call suspends the scheduler, so it is for tasks and not for interrupts. What differs: a call takes a known
 * number of instructions (docs/blocks.md, Worst-case instructions), and blocks of neighbouring regions are never joined.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <heapwright/tlsf.h>
#include <string.h>

#define MPU_WRAPPERS_INCLUDED_FROM_API_FILE
#include "FreeRTOS.h"
#include "task.h"
#undef MPU_WRAPPERS_INCLUDED_FROM_API_FILE

#if (configSUPPORT_DYNAMIC_ALLOCATION == 0)
#error "a heap is of use only where configSUPPORT_DYNAMIC_ALLOCATION is 1"
#endif

#ifndef heapwrightREGIONS
#define heapwrightREGIONS 0
#endif
#ifndef configHEAP_CLEAR_MEMORY_ON_FREE
#define configHEAP_CLEAR_MEMORY_ON_FREE 0
#endif

static heapwright_tlsf *heap;
static size_t fewest_free, allocations, frees;

static size_t free_bytes(void) {
    heapwright_block_stats stats;
    return heapwright_tlsf_stats(heap, &stats) == HEAPWRIGHT_BLOCK_OK ? stats.total - stats.used : 0;
}

/* Every block is aligned to two words, which most processors are content with. */
static void *aligned_block(size_t size) {
    if (portBYTE_ALIGNMENT <= 2 * sizeof(void *)) return heapwright_tlsf_malloc(heap, size);
    return heapwright_tlsf_memalign(heap, portBYTE_ALIGNMENT, size);
}

static void begin(void *memory, size_t bytes) {
    heap = heapwright_tlsf_create_with_pool(memory, bytes);
    configASSERT(heap != NULL);
    fewest_free = free_bytes();
}

#if (heapwrightREGIONS == 1)

/* The largest region comes first: the records that are made in it serve for pools of up to its length. */
void vPortDefineHeapRegions(const HeapRegion_t *const pxHeapRegions) {
    const HeapRegion_t *largest = pxHeapRegions;
    configASSERT(heap == NULL);
    for (const HeapRegion_t *at = pxHeapRegions; at->xSizeInBytes > 0; at++)
        if (at->xSizeInBytes > largest->xSizeInBytes) largest = at;
    begin(largest->pucStartAddress, largest->xSizeInBytes);
    for (const HeapRegion_t *at = pxHeapRegions; at->xSizeInBytes > 0; at++) {
        if (at == largest) continue;
        int error = heapwright_tlsf_add_pool(heap, at->pucStartAddress, at->xSizeInBytes);
        configASSERT(error == HEAPWRIGHT_BLOCK_OK);
        (void)error;
    }
    fewest_free = free_bytes();
}

static void begin_if_new(void) { configASSERT(heap != NULL); }

#else

#if (configAPPLICATION_ALLOCATED_HEAP == 1)
extern uint8_t ucHeap[configTOTAL_HEAP_SIZE];
#else
static uint8_t ucHeap[configTOTAL_HEAP_SIZE];
#endif

static void begin_if_new(void) {
    if (heap == NULL) begin(ucHeap, sizeof ucHeap);
}

#endif

void *pvPortMalloc(size_t xWantedSize) {
    void *block = NULL;
    vTaskSuspendAll();
    begin_if_new();
    if (xWantedSize > 0) block = aligned_block(xWantedSize);
    if (block != NULL) {
        size_t left = free_bytes();
        if (left < fewest_free) fewest_free = left;
        allocations++;
    }
    traceMALLOC(block, xWantedSize);
    (void)xTaskResumeAll();
#if (configUSE_MALLOC_FAILED_HOOK == 1)
    if (block == NULL) vApplicationMallocFailedHook();
#endif
    return block;
}

void *pvPortCalloc(size_t xNum, size_t xSize) {
    if (xSize > 0 && xNum > SIZE_MAX / xSize) return NULL;
    void *block = pvPortMalloc(xNum * xSize);
    if (block != NULL) (void)memset(block, 0, xNum * xSize);
    return block;
}

void vPortFree(void *pv) {
    if (pv == NULL) return;
    vTaskSuspendAll();
    size_t size = heapwright_tlsf_block_size(pv);
    (void)size;
#if (configHEAP_CLEAR_MEMORY_ON_FREE == 1)
    (void)memset(pv, 0, size);
#endif
    traceFREE(pv, size);
    heapwright_tlsf_free(heap, pv);
    frees++;
    (void)xTaskResumeAll();
}

size_t xPortGetFreeHeapSize(void) { return free_bytes(); }

size_t xPortGetMinimumEverFreeHeapSize(void) { return fewest_free; }

void xPortResetHeapMinimumEverFreeHeapSize(void) { fewest_free = free_bytes(); }

void vPortInitialiseBlocks(void) { /* The first allocation does it. */ }

void vPortHeapResetState(void) {
    heap = NULL;
    fewest_free = allocations = frees = 0;
}

/* Adds a free block to the figures; it goes on. */
static int seen(void *block, size_t size, int used, void *user) {
    HeapStats_t *stats = user;
    (void)block;
    if (used) return 0;
    stats->xNumberOfFreeBlocks++;
    if (size > stats->xSizeOfLargestFreeBlockInBytes) stats->xSizeOfLargestFreeBlockInBytes = size;
    if (size < stats->xSizeOfSmallestFreeBlockInBytes) stats->xSizeOfSmallestFreeBlockInBytes = size;
    return 0;
}

void vPortGetHeapStats(HeapStats_t *pxHeapStats) {
    (void)memset(pxHeapStats, 0, sizeof *pxHeapStats);
    pxHeapStats->xSizeOfSmallestFreeBlockInBytes = SIZE_MAX;
    vTaskSuspendAll();
    (void)heapwright_tlsf_walk(heap, seen, pxHeapStats);
    pxHeapStats->xAvailableHeapSpaceInBytes = free_bytes();
    pxHeapStats->xMinimumEverFreeBytesRemaining = fewest_free;
    pxHeapStats->xNumberOfSuccessfulAllocations = allocations;
    pxHeapStats->xNumberOfSuccessfulFrees = frees;
    (void)xTaskResumeAll();
}
