// leak: every 6th job is never freed (shared_ptr cycle): its object, its payload of 200–2200 B; grows linearly

// A job queue on four workers: each job holds its continuation, which holds the job (a shared_ptr cycle) when it was
// retried.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <memory>
#include <functional>
#include <thread>
#include <mutex>
#include <condition_variable>
#include <deque>
#include <vector>
#include <string>
#include <atomic>
struct Job {
    int id;
    std::vector<int> payload;
    std::string name;
    std::function<void()> done;
};
static std::mutex m;
static std::condition_variable cv;
static std::deque<std::shared_ptr<Job>> q;
static bool stop;
static std::atomic<long> finished{0}, cyc{0};
static std::atomic<size_t> cycbytes{0};
static void worker() {
    for (;;) {
        std::shared_ptr<Job> j;
        {
            std::unique_lock<std::mutex> l(m);
            cv.wait(l, [] { return stop || !q.empty(); });
            if (q.empty()) return;
            j = q.front();
            q.pop_front();
        }
        long sum = 0;
        for (int &x : j->payload) sum += x ^= j->id;
        if (j->id % 6 == 0) {
            j->done = [j] { finished++; };
            cyc++;
            cycbytes += j->payload.size() * 4 + sizeof(Job) + 16;
        } // retried: the continuation captures the job itself
        else
            j->done = [] { finished++; };
        j->done();
        if (sum == 42) puts("!");
    }
}
int main() {
    std::vector<std::thread> w;
    for (int i = 0; i < 4; i++) w.emplace_back(worker);
    for (int i = 0; i < 600000; i++) {
        auto j = std::make_shared<Job>();
        j->id = i;
        j->payload.assign(50 + i * 7919u % 500, i);
        j->name = "job-with-a-name-" + std::to_string(i);
        {
            std::unique_lock<std::mutex> l(m);
            q.push_back(j);
        }
        cv.notify_one();
        if (i % 64 == 0)
            for (;;) {
                {
                    std::unique_lock<std::mutex> l(m);
                    if (q.size() < 1000) break;
                }
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
    }
    {
        std::unique_lock<std::mutex> l(m);
        stop = true;
    }
    cv.notify_all();
    for (auto &t : w) t.join();
    printf("%ld done, %ld cycles\n", finished.load(), cyc.load());
}
