// What the port of the heap uses of FreeRTOS' tasks.
#ifndef TASK_H
#define TASK_H

extern int suspended, refused;

static inline void vTaskSuspendAll(void) { suspended++; }
static inline int xTaskResumeAll(void) { return --suspended; }
static inline void vApplicationMallocFailedHook(void) { refused++; }

#endif
