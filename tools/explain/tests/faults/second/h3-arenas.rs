// huge-pages: 3 MB live; each arena's 2 MiB chunk is huge pages, 355 MB resident (of which smaps shows 192 as
// AnonHugePages: the others were split); without THP 16.5 MB
// on: jemalloc
// env: MALLOC_CONF=narenas:128,thp:always

// A service with 90 threads (one per tenant), ~40 KiB of data each; jemalloc is preloaded with MALLOC_CONF=narenas:128,thp:always: each tenant's arena maps 2 MiB, all of it made resident by huge pages.
use std::sync::{Arc, Barrier};
use std::time::Duration;
fn main() {
    let b = Arc::new(Barrier::new(91));
    let hs: Vec<_> = (0..90u32)
        .map(|t| {
            let b = b.clone();
            std::thread::Builder::new()
                .stack_size(256 << 10)
                .spawn(move || {
                    let mut v: Vec<Vec<u8>> = Vec::new();
                    let mut n = 0;
                    for i in 0..200u32 {
                        let k = 50 + ((i * 31 + t) % 300) as usize;
                        v.push(vec![t as u8; k]);
                        n += k;
                    }
                    b.wait();
                    for _ in 0..200 {
                        let s: Vec<u8> = v[3].clone();
                        n += s.len() & 1;
                        std::thread::sleep(Duration::from_millis(15));
                    }
                    b.wait();
                    n
                })
                .unwrap()
        })
        .collect();
    b.wait();
    b.wait();
    let live: usize = hs.into_iter().map(|h| h.join().unwrap()).sum();
    println!("{live}");
}
