use super::*;

#[test]
fn never_is_for_good() {
    let confined = Confined::new();
    assert_eq!(confined.ask(|| 1), None, "nobody has looked");
    confined.turn(MAY);
    assert_eq!(confined.ask(|| 1), Some(1));
    confined.never();
    confined.turn(MAY);
    assert_eq!(confined.ask(|| 1), None);
    let late = Confined::new();
    late.never();
    late.turn(MAY);
    assert_eq!(late.ask(|| 1), None, "who looked before answers after");
}

#[test]
fn who_confines_waits_for_who_asks() {
    let confined = Confined::new();
    confined.turn(MAY);
    let ended = AtomicBool::new(false);
    let (begun, begins) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            confined.ask(|| {
                begun.send(()).expect("there");
                std::thread::yield_now();
                ended.store(true, Ordering::Relaxed);
            })
        });
        begins.recv().expect("begun");
        confined.never();
        // Unless the other thread got no processor for as long as is waited.
        let waited = confined.asking.load(Ordering::SeqCst) == 0;
        assert!(!waited || ended.load(Ordering::Relaxed));
    });
}
