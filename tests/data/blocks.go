// C's malloc, realloc, free, strdup and posix_memalign from goroutines on many threads of their own; blocks that one
// thread makes and another frees; C that calls back into Go.
package main

/*
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int goVisit(char *text, int length);

static int visit(int count) {
	int sum = 0;
	for (int i = 0; i < count; i++) {
		char *text = malloc(i + 1);
		memset(text, 'a' + i % 26, i);
		text[i] = 0;
		sum += goVisit(text, i);
		free(text);
	}
	return sum;
}

static void *aligned(size_t alignment, size_t size) {
	void *block = NULL;
	return posix_memalign(&block, alignment, size) == 0 ? block : NULL;
}
*/
import "C"

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

//export goVisit
func goVisit(text *C.char, length C.int) C.int {
	return C.int(strings.Count(C.GoStringN(text, length), "c"))
}

type block struct {
	at   unsafe.Pointer
	size int
	fill byte
}

func (b block) check() {
	bytes := unsafe.Slice((*byte)(b.at), b.size)
	if bytes[0] != b.fill || bytes[b.size-1] != b.fill || bytes[b.size/2] != b.fill {
		panic("a block was written over")
	}
}

func work(n int, to chan<- block, from <-chan block) int {
	// Its own thread, which ends with it.
	runtime.LockOSThread()
	state, sum := uint64(n)*7919+1, 0
	draw := func(below uint64) int {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		return int(state % below)
	}
	var kept []block
	for i := 0; i < 4000; i++ {
		size, fill := 1+draw(3000), byte(i)
		if i%100 == 0 {
			size *= 50
		}
		at := C.malloc(C.size_t(size))
		if i%7 == 0 {
			C.free(at)
			at = C.aligned(256, C.size_t(size))
		}
		C.memset(at, C.int(fill), C.size_t(size))
		kept = append(kept, block{at, size, fill})
		last := draw(uint64(len(kept)))
		if i%3 == 0 {
			b := kept[last]
			b.check()
			b.at = C.realloc(b.at, C.size_t(b.size*2))
			b.check()
			kept[last] = b
		}
		if len(kept) > 50 {
			b := kept[last]
			kept[last] = kept[len(kept)-1]
			kept = kept[:len(kept)-1]
			sum += b.size
			// To another thread, or freed here when its queue is full.
			select {
			case to <- b:
			default:
				b.check()
				C.free(b.at)
			}
		}
		select {
		case b := <-from:
			b.check()
			C.free(b.at)
		default:
		}
		text := C.CString("goroutine " + strconv.Itoa(n) + " round " + strconv.Itoa(i))
		copied := C.strdup(text)
		sum += len(C.GoString(copied))
		C.free(unsafe.Pointer(text))
		C.free(unsafe.Pointer(copied))
	}
	for _, b := range kept {
		b.check()
		C.free(b.at)
	}
	return sum
}

func main() {
	const threads = 16
	var queues [threads]chan block
	for n := range queues {
		queues[n] = make(chan block, 20)
	}
	for wave := 0; wave < 3; wave++ {
		var sums [threads]int
		var all sync.WaitGroup
		for n := range sums {
			all.Add(1)
			go func(n int) {
				defer all.Done()
				sums[n] = work(n+wave, queues[(n+1)%threads], queues[n])
			}(n)
		}
		all.Wait()
		for n, sum := range sums {
			os.Stdout.WriteString(strconv.Itoa(n) + " " + strconv.Itoa(sum) + "\n")
		}
	}
	for _, queue := range queues {
		for len(queue) > 0 {
			b := <-queue
			b.check()
			C.free(b.at)
		}
	}
	var all sync.WaitGroup
	var counts [300]int
	for n := range counts {
		all.Add(1)
		go func(n int) {
			defer all.Done()
			counts[n] = int(C.visit(C.int(n)))
		}(n)
	}
	all.Wait()
	total := 0
	for _, count := range counts {
		total += count
	}
	os.Stdout.WriteString("calls back " + strconv.Itoa(total) + "\n")
}
