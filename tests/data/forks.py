# Children that are forked while other threads allocate, and that allocate themselves.
import os, subprocess, threading
stop = False
def churn():
    while not stop:
        [bytes(n) for n in range(0, 20000, 37)]
threads = [threading.Thread(target=churn) for _ in range(3)]
for thread in threads: thread.start()
for n in range(20):
    child = os.fork()
    if child == 0:
        os._exit(len([str(i) for i in range(10000)]) % 7)
    print(n, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop = True
for thread in threads: thread.join()
print(subprocess.run(['/bin/echo', 'a child'], capture_output=True).stdout)
