//! One leak each of Rust, or none: the argument says which.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::{Mutex, OnceLock};
use std::thread;

struct Part(RefCell<Option<Rc<Part>>>);

static KEPT: Mutex<Vec<String>> = Mutex::new(Vec::new());
static ONCE: OnceLock<HashMap<u32, String>> = OnceLock::new();

thread_local! {
    static LOCAL: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn scrub() {
    black_box(&mut [0_u8; 64 << 10]).fill(0);
}

#[inline(never)]
fn deeper(body: impl FnOnce()) {
    let mut room = [0_u8; 512];
    black_box(&mut room);
    body();
}

fn body(name: &str) {
    match name {
        "forgotten" => std::mem::forget(black_box(Box::new([7_u64; 8]))),
        "forgotten_vector" => std::mem::forget(black_box(vec![String::from("lost"); 10])),
        "ring" => {
            let (a, b) = (Rc::new(Part(RefCell::new(None))), Rc::new(Part(RefCell::new(None))));
            *a.0.borrow_mut() = Some(Rc::clone(&b));
            *b.0.borrow_mut() = Some(a);
        }
        "raw" => _ = black_box(Box::into_raw(Box::new(7_u64))),
        "kept" => KEPT.lock().unwrap().push("x".repeat(100)),
        "once" => _ = ONCE.get_or_init(|| (0..100).map(|n| (n, n.to_string())).collect()),
        "local" => LOCAL.with_borrow_mut(|all| all.push("x".repeat(100))),
        "thread" => thread::spawn(|| KEPT.lock().unwrap().push("x".repeat(50))).join().unwrap(),
        _ => std::process::exit(2),
    }
}

fn main() {
    let name = std::env::args().nth(1).unwrap();
    deeper(|| body(&name));
    drop(name);
    scrub();
}
