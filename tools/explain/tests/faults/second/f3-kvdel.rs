// fragmentation: 5 % of the values survive at random places and pin jemalloc's slabs
// on: jemalloc

// A key-value store: 1.2 million keys come in, 19 of 20 expire (at random); run with jemalloc preloaded.
use std::collections::HashMap;
use std::time::Duration;
fn main() {
    let mut x = 0x12345678u64;
    let mut rng = move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    };
    let mut m: HashMap<u64, Vec<u8>> = HashMap::with_capacity(1_300_000);
    for i in 0..1_200_000u64 {
        let n = 40 + (rng() % 260) as usize;
        m.insert(i, vec![i as u8; n]);
    }

    for i in 0..1_200_000u64 {
        if rng() % 20 != 0 {
            m.remove(&i);
        }
    }
    let mut g = 0usize;
    for _ in 0..40 {
        for _ in 0..2000 {
            let k = rng() % 1_200_000;
            if let Some(v) = m.get(&k) {
                g += v[0] as usize;
            }
        }
        std::thread::sleep(Duration::from_millis(300));
    }
    println!("{} {}", m.len(), g);
}
