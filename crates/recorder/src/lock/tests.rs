extern crate std;

use std::string::ToString as _;
use std::{fs, thread};

use super::*;

#[test]
fn who_waits_sleeps_until_the_lock_is_open() {
    static WORD: AtomicU32 = AtomicU32::new(OPEN);
    static WAITS_AS: AtomicU32 = AtomicU32::new(0);
    let held = lock(&WORD);
    assert!(try_lock(&WORD).is_none());
    let waiting = thread::spawn(|| {
        WAITS_AS.store(crate::system::thread(), Ordering::Relaxed);
        drop(lock(&WORD));
    });
    // A thread that spins or yields is running whenever it is looked at, and this one sleeps nowhere else for long.
    let is_asleep = |tid: u32| {
        let path = ["/proc/self/task/", &tid.to_string(), "/stat"].concat();
        fs::read_to_string(path).is_ok_and(|stat| stat.contains(") S "))
    };
    let mut seen = 0;
    while seen < 100 {
        thread::yield_now();
        let is_waiting = WORD.load(Ordering::Relaxed) == AWAITED;
        seen += u32::from(is_waiting && is_asleep(WAITS_AS.load(Ordering::Relaxed)));
    }
    drop(held);
    waiting.join().unwrap();
    assert!(try_lock(&WORD).is_some());
}
