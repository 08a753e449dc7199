use super::*;

#[test]
fn pins_are_counted_for_each_object() {
    let mut pins = Pins::new();
    for key in [7, 8, 7, 9] {
        pins.add(key).unwrap();
    }
    pins.remove(7);
    pins.remove(8);
    pins.remove(1000);
    assert_eq!([7, 8, 9].map(|key| pins.has(key)), [true, false, true]);
    pins.remove(7);
    pins.remove(9);
    assert_eq!(pins.len, 0);
}

#[test]
fn pins_without_room_are_refused() {
    let mut pins = Pins::new();
    for key in 0..64 {
        pins.add(key).unwrap();
    }
    assert_eq!(pins.add(64), None);
    for _ in 1..u16::MAX {
        pins.add(5).unwrap();
    }
    assert_eq!((pins.add(5), pins.has(5)), (None, true));
}
