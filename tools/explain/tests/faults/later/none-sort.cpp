// none: reads 1.2 million numbers into a vector that doubles, sorts strings of them, and ends; short

#include <vector>
#include <string>
#include <algorithm>
#include <random>
int main() {
    std::mt19937 g(1);
    std::vector<std::string> v;
    for (int i = 0; i < 400000; i++) v.push_back("number " + std::to_string(g()) + " of the input file");
    std::sort(v.begin(), v.end());
    std::string out;
    for (auto &s : v) {
        std::string l = s + "\n";
        out += l;
    }
    return out.size() == 0;
}
