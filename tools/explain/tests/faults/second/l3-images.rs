// leak: buffers of 0.6–1.1 MB from `profile` never freed, 200 of them; grows linearly

// An image pipeline: decode, resize, encode. Every eighth picture has a colour profile, whose buffer is handed to "the C library" by into_raw and never taken back.
use std::time::{Duration, Instant};
fn decode(seed: u32, w: usize, h: usize) -> Vec<u8> {
    let mut x = seed | 1;
    (0..w * h * 3)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            x as u8
        })
        .collect()
}
fn resize(src: &[u8], w: usize, h: usize) -> Vec<u8> {
    let (nw, nh) = (w / 2, h / 2);
    let mut o = Vec::with_capacity(nw * nh * 3);
    for y in 0..nh {
        for x in 0..nw {
            for c in 0..3 {
                o.push(src[((2 * y) * w + 2 * x) * 3 + c]);
            }
        }
    }
    o
}
fn profile(n: usize) -> *mut u8 {
    let b: Box<[u8]> = vec![7u8; n].into_boxed_slice();
    Box::into_raw(b) as *mut u8
}
fn main() {
    let t = Instant::now();
    let mut total = 0usize;
    let mut i = 0u32;
    while i < 1600 {
        let (w, h) = (160 + (i as usize * 37) % 200, 120 + (i as usize * 53) % 160);
        let a = decode(i, w, h);
        let b = resize(&a, w, h);
        total += b.len();
        if i % 8 == 0 {
            let n = 600_000 + (i as usize * 977) % 500_000;
            let p = profile(n);
            unsafe {
                total += *p as usize;
            }
        }
        i += 1;
        if i % 20 == 0 {
            std::thread::sleep(Duration::from_millis(15));
        }
    }
    println!("{} bytes out in {:?}", total, t.elapsed());
}
