//! The files whose code was met in a stack: each is written down once, so that a reader finds the names.

use core::sync::atomic::{AtomicUsize, Ordering};

use trace_format::Event;

use super::object::Object;
use crate::shared::FRAMES;
use crate::text::Text;
use crate::{clock, head};

/// How many are known at most. Of later ones nothing is said.
const MOST: usize = 1024;
/// Bytes of a path that are kept, beside a build id.
const LONGEST: usize = 420;

/// Where each begins, in the order in which they were met; 0: no more.
static MET: [AtomicUsize; MOST] = [const { AtomicUsize::new(0) }; MOST];

/// None was met yet.
pub(super) fn begin() {
    MET.iter().for_each(|start| start.store(0, Ordering::Relaxed));
}

fn free_place(object: &Object) -> Option<&'static AtomicUsize> {
    for place in &MET {
        match place.load(Ordering::Relaxed) {
            0 => return Some(place),
            start if start == object.start() => return None,
            _ => {}
        }
    }
    None
}

/// Writes a file down if it is a new one.
pub(super) fn met(object: &Object) {
    if free_place(object).is_none() {
        return;
    }
    let mut out = FRAMES.locked();
    // Another thread may have written it.
    let Some(place) = free_place(object) else { return };
    let mut text = [0; LONGEST + 24];
    let len = describe(object, &mut text);
    for (start, end, offset) in object.code() {
        let (start, end, path) = (start as u64, end as u64, &text[..len]);
        if !out.write(clock::now(), &Event::Module { start, end, offset, path }) {
            return;
        }
    }
    place.store(object.start(), Ordering::Relaxed);
}

/// Path, a zero, and the build id: how long that is.
fn describe(object: &Object, text: &mut [u8]) -> usize {
    let mut buffer = [0; LONGEST];
    let path = match object.name.to_bytes() {
        b"" => head::link(c"/proc/self/exe", &mut buffer),
        name => name,
    };
    let mut text = Text::new(text);
    text.add(&path[..path.len().min(LONGEST)]).add(b"\0").add(object.build_id());
    text.len()
}
