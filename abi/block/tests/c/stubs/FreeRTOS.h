// What the port of the heap uses of FreeRTOS: for tests where the kernel is not.
#ifndef FREERTOS_H
#define FREERTOS_H

#include "../check.h"

#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configAPPLICATION_ALLOCATED_HEAP 0
#define configUSE_MALLOC_FAILED_HOOK 1
#define configTOTAL_HEAP_SIZE (16 * KIB)
#define configASSERT(condition) CHECK(condition)
#define portBYTE_ALIGNMENT 16
// Both are called while the scheduler is suspended.
#define traceMALLOC(block, size) CHECK(suspended == 1)
#define traceFREE(block, size) CHECK(suspended == 1)

typedef struct HeapRegion {
    uint8_t *pucStartAddress;
    size_t xSizeInBytes;
} HeapRegion_t;

typedef struct xHeapStats {
    size_t xAvailableHeapSpaceInBytes;
    size_t xSizeOfLargestFreeBlockInBytes;
    size_t xSizeOfSmallestFreeBlockInBytes;
    size_t xNumberOfFreeBlocks;
    size_t xMinimumEverFreeBytesRemaining;
    size_t xNumberOfSuccessfulAllocations;
    size_t xNumberOfSuccessfulFrees;
} HeapStats_t;

void vPortDefineHeapRegions(const HeapRegion_t *const pxHeapRegions);
void vPortGetHeapStats(HeapStats_t *pxHeapStats);
void *pvPortMalloc(size_t xWantedSize);
void *pvPortCalloc(size_t xNum, size_t xSize);
void vPortFree(void *pv);
void vPortInitialiseBlocks(void);
size_t xPortGetFreeHeapSize(void);
size_t xPortGetMinimumEverFreeHeapSize(void);
void xPortResetHeapMinimumEverFreeHeapSize(void);
void vPortHeapResetState(void);

#endif
