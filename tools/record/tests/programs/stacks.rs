//! The same for Rust: vectors of known sizes, from closures, a trait's method and a thread.
use std::hint::black_box;
use std::thread;

unsafe extern "C" {
    fn backtrace(frames: *mut usize, most: i32) -> i32;
}

#[inline(never)]
fn leaf(size: usize) {
    let block: Vec<u8> = black_box(Vec::with_capacity(size));
    let mut frames = [0; 100];
    let depth = unsafe { backtrace(frames.as_mut_ptr(), 100) };
    let frames = frames[..depth as usize].iter().map(|frame| format!(" {frame:#x}"));
    println!("{size}{}", frames.collect::<String>());
    drop(black_box(block));
}

trait Shape {
    fn draw(&self, size: usize);
}

impl Shape for u8 {
    #[inline(never)]
    fn draw(&self, size: usize) {
        leaf(size + usize::from(*self));
        black_box(self);
    }
}

#[inline(never)]
fn each(call: &dyn Fn(usize)) {
    (0..3).for_each(|at| call(7000 + at));
    black_box(call);
}

fn main() {
    unsafe { backtrace([0; 4].as_mut_ptr(), 4) };
    let shape: Box<dyn Shape + Send> = Box::new(100u8);
    each(&|size| shape.draw(size));
    thread::spawn(move || shape.draw(7200)).join().unwrap();
}
