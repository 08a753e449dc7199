// ports/freertos.c with heapwrightREGIONS: the regions of heap_5, the largest one in any place
#define heapwrightREGIONS 1
#include "../../ports/freertos.c"

int suspended, refused;

int main(void) {
    MEMORY(small, 4 * KIB);
    MEMORY(large, 16 * KIB);
    const HeapRegion_t regions[] = {{small, 4 * KIB}, {large, 16 * KIB}, {NULL, 0}};
    vPortDefineHeapRegions(regions);
    CHECK(xPortGetFreeHeapSize() > 17 * KIB && xPortGetMinimumEverFreeHeapSize() == xPortGetFreeHeapSize());
    uint8_t *in_large = pvPortMalloc(9 * KIB), *in_small = pvPortMalloc(3 * KIB + 512);
    CHECK(in_large && (uintptr_t)in_large - (uintptr_t)large < 16 * KIB);
    CHECK(in_small && pvPortMalloc(9 * KIB) == NULL && refused == 1);
    vPortFree(in_large);
    vPortFree(in_small);
    HeapStats_t stats;
    vPortGetHeapStats(&stats);
    CHECK(stats.xNumberOfFreeBlocks == 2 && stats.xSizeOfLargestFreeBlockInBytes < 16 * KIB && suspended == 0);
    return 0;
}
