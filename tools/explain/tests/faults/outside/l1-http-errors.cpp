// leak: Memory grows without end: blocks of header vectors and strings (about 40 KB of live memory more each
// 10 ms of work) are never freed and by now old; the page cache beside it is steady. Fix the program; no
// malloc helps.

// A small HTTP front: four workers parse requests, route them, and answer out of a bounded page cache.
// FAULT (leak): a malformed request takes the early return, and the parsed header list is never deleted.
#include <atomic>
#include <chrono>
#include <cstring>
#include <list>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Header { std::string name, value; };
struct Request { std::string method, path; std::vector<Header>* headers; };

static std::mutex cache_lock;
static std::unordered_map<std::string, std::pair<std::string, std::list<std::string>::iterator>> pages;
static std::list<std::string> lru;
static std::atomic<long> served, refused;

static std::string text(std::mt19937& g, int n) {
    std::string s(n, ' ');
    for (char& c : s) c = 'a' + g() % 26;
    return s;
}

static bool parse(std::mt19937& g, Request& r) {
    r.method = g() % 4 ? "GET" : "POST";
    r.path = "/articles/" + std::to_string(g() % 60000) + "/a-title-that-is-long-enough";
    r.headers = new std::vector<Header>;
    int n = 6 + g() % 10;
    for (int i = 0; i < n; i++) r.headers->push_back({"X-Header-Number-" + std::to_string(i), text(g, 10 + g() % 120)});
    return g() % 25 != 0;                       // a bad length, a bad escape
}

static int handle(std::mt19937& g) {
    Request r;
    if (!parse(g, r)) { refused++; return 400; }  // FAULT: r.headers stays
    {
        std::lock_guard<std::mutex> l(cache_lock);
        auto at = pages.find(r.path);
        if (at == pages.end()) {
            lru.push_front(r.path);
            pages.emplace(r.path, std::make_pair(text(g, 600 + g() % 3000), lru.begin()));
            if (pages.size() > 6000) { pages.erase(lru.back()); lru.pop_back(); }
        } else {
            lru.splice(lru.begin(), lru, at->second.second);
        }
    }
    std::string answer = "HTTP/1.1 200 OK\r\n";
    for (auto& h : *r.headers) answer += h.name + ": " + h.value + "\r\n";
    served += answer.size() > 0;
    delete r.headers;
    return 200;
}

int main() {
    std::vector<std::thread> workers;
    auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(6000);
    for (int w = 0; w < 4; w++) workers.emplace_back([=] {
        std::mt19937 g(w);
        while (std::chrono::steady_clock::now() < end) {
            for (int i = 0; i < 60; i++) handle(g);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    });
    for (auto& w : workers) w.join();
    fprintf(stderr, "served %ld, refused %ld\n", served.load(), refused.load());
    _Exit(0);
}
