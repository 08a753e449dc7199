// growing-cache: key-value store of 64–763 B values grows by design; live = resident

// A key-value store in memory, 16 shards, four client threads; mostly SETs of new keys, GETs of all; the table grows by design.
use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use std::thread;
fn rng(x: &mut u64) -> u64 {
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    *x
}
fn main() {
    let shards: Arc<Vec<RwLock<HashMap<u64, Box<[u8]>>>>> = Arc::new(
        (0..16)
            .map(|_| RwLock::new(HashMap::with_capacity(60_000)))
            .collect(),
    );
    let hs: Vec<_> = (0..4u64)
        .map(|t| {
            let s = shards.clone();
            thread::spawn(move || {
                let mut x = 0x9E3779B97F4A7C15 ^ (t + 1);
                let mut got = 0usize;
                for i in 0..200_000u64 {
                    let k = i * 4 + t;
                    let n = 64 + (rng(&mut x) % 700) as usize;
                    s[(k % 16) as usize]
                        .write()
                        .unwrap()
                        .insert(k, vec![k as u8; n].into_boxed_slice());
                    for _ in 0..2 {
                        let q = rng(&mut x) % (i * 4 + 1);
                        if let Some(v) = s[(q % 16) as usize].read().unwrap().get(&q) {
                            got += v[v.len() / 2] as usize;
                        }
                    }
                    if i % 4000 == 0 {
                        thread::sleep(std::time::Duration::from_millis(20));
                    }
                }
                got
            })
        })
        .collect();
    let g: usize = hs.into_iter().map(|h| h.join().unwrap()).sum();
    let live: usize = shards
        .iter()
        .map(|s| s.read().unwrap().values().map(|v| v.len()).sum::<usize>())
        .sum();
    println!("{} {}", g, live);
}
