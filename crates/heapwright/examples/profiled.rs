//! A program that profiles itself: `cargo run -p heapwright --features profile --example profiled -- /tmp/prof`, and then
//! `heapwright export /tmp/prof --to html -o /tmp/prof`.
//!
//! Nothing is preloaded, so a static program does it as well.
#![expect(clippy::disallowed_macros, reason = "here the allocator serves a program that prints")]

use core::error::Error;
use core::hint::black_box;
use std::collections::HashMap;
use std::{env, fs};

use heapwright::{Heapwright, Profiled, profile};

#[global_allocator]
static A: Profiled<Heapwright> = Profiled(Heapwright);

/// What stays, and is what the profile is to find.
#[inline(never)]
fn cache(words: u32) -> HashMap<u32, Vec<u8>> {
    let mut kept = HashMap::new();
    for word in 0..words {
        kept.insert(word, vec![1; 4096]);
    }
    kept
}

/// What comes and goes.
#[inline(never)]
fn requests(count: usize) {
    for length in 0..count {
        black_box(vec![0_u8; length % 10_000]);
    }
}

/// What grows by and by.
#[inline(never)]
fn log(lines: u32) -> String {
    let mut log = String::new();
    for line in 0..lines {
        log += &line.to_string();
    }
    log
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).unwrap_or_else(|| "/tmp/prof".to_owned());
    fs::create_dir_all(&folder)?;
    profile::start(&folder, 16 << 10)?;
    let kept = cache(4000);
    requests(50_000);
    // A copy for now; the profile goes on.
    profile::write(format!("{folder}/now.chunks"))?;
    let log = std::thread::spawn(|| log(100_000)).join().expect("no panic");
    profile::stop();
    println!("{} words, {} bytes of log: the profile is in {folder}", kept.len(), log.len());
    Ok(())
}
