use std::time::Instant;

use view::KeyModifiers;

use super::*;
use crate::blocks::{Kind, Map};
use crate::heap::SizeClass;
use crate::note::Program;
use crate::process::Process;

fn figures(granules: usize, has_heap: bool) -> Figures {
    let sizes: Vec<SizeClass> = (1..60)
        .map(|n| SizeClass { bytes: n * 48, objects: n * 31, kept: n, room: n * 100, slabs: n })
        .collect();
    let kinds = (0..granules)
        .map(|at| match at % 7 {
            0 => Kind::Free,
            1 => Kind::Dirty,
            2 => Kind::Run,
            3 => Kind::Kept,
            4 => Kind::Nothing,
            other => Kind::Slab(other as u16),
        })
        .collect();
    let fills = (0..granules).map(|at| if at % 7 < 2 { 0 } else { (at % 256) as u8 }).collect();
    let map = Map {
        start: 0x7f00_0000_0000,
        granule: 16384,
        kinds,
        sizes: vec![0, 16, 32, 48, 64, 80, 96],
        fills,
    };
    let heap = Heap { live: 200 << 20, kept: 9 << 20, sizes, map, unsettled: 3, ..Heap::default() };
    let process = Process {
        pid: 12,
        command: vec![
            "./a/very/long/name/of/a/server".to_owned(),
            "--port\x1b".to_owned(),
            "1".repeat(90),
        ],
        resident: 240 << 20,
        peak: 260 << 20,
        threads: 9,
        ..Process::default()
    };
    let malloc = has_heap.then(|| ("heapwright".to_owned(), "0.1.0".to_owned()));
    let heap = has_heap.then_some(heap);
    Figures { process, malloc, program: Program::Dynamic, heap, when: Instant::now() }
}

#[test]
fn every_screen_fits_its_terminal() {
    let keys = [
        KeyCode::Tab,
        KeyCode::Down,
        KeyCode::PageDown,
        KeyCode::Char('-'),
        KeyCode::Char('+'),
        KeyCode::Char('+'),
        KeyCode::Tab,
        KeyCode::Char('f'),
        KeyCode::Down,
        KeyCode::Char('?'),
        KeyCode::Esc,
    ];
    for (granules, has_heap) in [(0, true), (1, true), (1300, true), (300_000, true), (0, false)] {
        for (width, height) in [(80, 24), (1, 1), (20, 5), (40, 16), (200, 60), (0, 0)] {
            for inked in [false, true] {
                let mut state = State { inked, every: 1.0, ..State::default() };
                assert_eq!(state.lines(width, height).len(), height, "before the first look");
                state.see(figures(granules, has_heap));
                state.see(figures(granules, has_heap));
                for key in keys {
                    state.press(KeyEvent::new(key, KeyModifiers::NONE));
                    let lines = state.lines(width, height);
                    assert_eq!(lines.len(), height, "{width}×{height} {key:?}");
                    assert!(lines.iter().all(|line| line.width() <= width), "{lines:?}");
                }
            }
        }
    }
}

#[test]
fn at_80_by_24_there_is_all_of_it() {
    let mut state = State { inked: true, every: 1.0, ..State::default() };
    state.see(figures(9000, true));
    state.see(figures(9000, true));
    let text: Vec<String> = state.lines(80, 24).iter().map(Line::plain).collect();
    let all = text.join("\n");
    for word in
        ["live 200 MiB", "(process 12)", "a cell is", "most free first", "resident", "q quit"]
    {
        assert!(all.contains(word), "{word} is missing:\n{all}");
    }
    // A bar, an address, and a size that wastes most.
    assert!(text.iter().filter(|line| line.starts_with("7f00")).count() >= 3, "{all}");
    assert!(all.contains("2,832"), "{all}");
    assert!(!all.contains('\x1b'));
    assert!(HELP.iter().all(|line| line.chars().count() <= 80), "{HELP:?}");
}

#[test]
fn keys_that_are_anothers_are_left() {
    let mut state = State::default();
    for (code, is_ours) in
        [(KeyCode::Char('q'), false), (KeyCode::Esc, false), (KeyCode::Char('f'), true)]
    {
        assert_eq!(state.press(KeyEvent::new(code, KeyModifiers::NONE)), is_ours);
    }
    assert_eq!(state.order, Order::Live);
}

#[test]
fn a_text_takes_the_middle_until_a_key_brings_it_back() {
    let mut state = State { every: 1.0, ..State::default() };
    state.see(figures(100, true));
    state.tell((0..100).map(|n| format!("place {n}\x1b\n")).collect());
    let shown = |state: &mut State| -> String {
        state.lines(80, 24).iter().map(|line| line.plain() + "\n").collect()
    };
    let text = shown(&mut state);
    assert!(text.contains("place 0") && !text.contains("a cell is"), "{text}");
    assert!(!text.contains('\x1b'), "{text}");
    for _ in 0..200 {
        assert!(state.press(KeyEvent::new(KeyCode::Down, KeyModifiers::NONE)));
    }
    assert!(shown(&mut state).contains("place 99"));
    assert!(state.press(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE)));
    assert!(shown(&mut state).contains("a cell is"));
}

#[test]
fn a_line_has_the_columns_of_its_title() {
    let mut state = State::default();
    state.see(figures(10, true));
    state.see(figures(10, true));
    let line = state.line();
    assert_eq!(line.chars().count(), COLUMNS.chars().count(), "{COLUMNS}\n{line}");
    state.see(figures(10, false));
    assert!(state.line().contains('–'));
}
