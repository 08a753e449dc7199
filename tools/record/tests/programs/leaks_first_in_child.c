/* A process that forks before its first call, a child that loses two blocks, and a parent that loses one. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static void leak(size_t size) {
	volatile char *block = malloc(size);
	block[0] = 1;
}

int main(void) {
	pid_t child = fork();
	if (child == 0) {
		leak(1000);
		leak(50);
		exit(0);
	}
	int status;
	waitpid(child, &status, 0);
	leak(77);
}
