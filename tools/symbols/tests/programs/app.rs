// Says where a function begins, and in which line.
mod cache {
    #[inline(never)]
    pub fn insert(n: usize) -> usize { println!("{n}"); n }
}
fn main() {
    println!("{:#x} 4", cache::insert as *const () as usize + 1);
    print!("{}", std::fs::read_to_string("/proc/self/maps").unwrap());
}
