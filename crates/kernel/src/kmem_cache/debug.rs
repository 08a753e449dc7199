//! What a cache with checks writes beside and into objects, and looks for.
//!
//! ```text
//!          free                                   in use
//! part  │ bb bb │ 6b 6b … 6b a5 │ bb bb │ users │ 5a │   │ cc cc │ the user's │ cc cc │ users │ 5a │
//! ```
//!
//! The kernel's bytes. Without poison the object is left alone; a cache with a constructor has none. O(stride) a call.
use core::ptr::NonNull;

use super::misuse::{Finding, Misuse, Users};
use super::settings::DebugFlags;
use super::slab::Slab;
use super::slabs::Slabs;

/// Behind a red zone while the object is free, and while it is in use.
const RED: [u8; 2] = [0xbb, 0xcc];
const FREE: u8 = 0x6b;
const FREE_END: u8 = 0xa5;
const PADDING: u8 = 0x5a;

/// The bytes of one object's part, as offsets from the object.
struct Part {
    object: NonNull<u8>,
    left: usize,
    size: usize,
    /// Where the red zone behind the object ends.
    right: usize,
    padding: (usize, usize),
}

impl Part {
    fn of(slabs: &Slabs, object: NonNull<u8>) -> Self {
        let shape = &slabs.shape;
        let tracked = if has(slabs, DebugFlags::USER) { 2 * size_of::<u64>() } else { 0 };
        let users = shape.users - shape.left;
        let padding = (users + tracked, shape.stride - shape.left);
        Self { object, left: shape.left, size: shape.size, right: users, padding }
    }

    fn fill(&self, from: usize, to: usize, value: u8) {
        // SAFETY: within the object's part, which is ours while this runs.
        let start = unsafe { self.object.byte_add(from) };
        // SAFETY: as above.
        unsafe { start.write_bytes(value, to - from) };
    }

    fn front(&self) -> NonNull<u8> {
        // SAFETY: the red zone in front of the object.
        unsafe { self.object.byte_sub(self.left) }
    }

    fn paint_red(&self, value: u8) {
        // SAFETY: the red zone in front of the object.
        unsafe { self.front().write_bytes(value, self.left) };
        self.fill(self.size, self.right, value);
    }

    /// The first byte of `len` from `start` that is not `value`.
    fn other(start: NonNull<u8>, len: usize, value: u8) -> Option<(usize, u8)> {
        (0..len).find_map(|index| {
            // SAFETY: the caller names bytes of the part.
            let at = unsafe { start.byte_add(index) };
            // SAFETY: as above; every byte of a slab was written.
            let found = unsafe { at.read() };
            (found != value).then(|| (start.addr().get() + index, found))
        })
    }

    fn from(&self, offset: usize) -> NonNull<u8> {
        // SAFETY: within the object's part.
        unsafe { self.object.byte_add(offset) }
    }

    fn check_red(&self, value: u8) -> Result<(), Finding> {
        let found = Self::other(self.front(), self.left, value)
            .or_else(|| Self::other(self.from(self.size), self.right - self.size, value));
        found.map_or(Ok(()), |(at, found)| Err(Finding::RedZone { at, found }))
    }

    fn check_free(&self) -> Result<(), Finding> {
        let last = self.size - 1;
        let found = Self::other(self.object, last, FREE)
            .or_else(|| Self::other(self.from(last), 1, FREE_END));
        found.map_or(Ok(()), |(at, found)| Err(Finding::UseAfterFree { at, found }))
    }

    fn check_padding(&self) -> Result<(), Finding> {
        let (from, to) = self.padding;
        let found = Self::other(self.from(from), to - from, PADDING);
        found.map_or(Ok(()), |(at, found)| Err(Finding::Padding { at, found }))
    }

    fn poison(&self) {
        self.fill(0, self.size - 1, FREE);
        self.fill(self.size - 1, self.size, FREE_END);
    }
}

fn has(slabs: &Slabs, flag: DebugFlags) -> bool {
    slabs.settings.debug.has(flag)
}

fn look(slabs: &Slabs, object: NonNull<u8>, is_taken: bool) -> Result<(), Misuse> {
    let part = Part::of(slabs, object);
    let red = if has(slabs, DebugFlags::RED_ZONE) {
        part.check_red(RED[usize::from(is_taken)])
    } else {
        Ok(())
    };
    let poison = has(slabs, DebugFlags::POISON);
    red.and_then(|()| if poison { part.check_padding() } else { Ok(()) })
        .and_then(|()| if poison && !is_taken { part.check_free() } else { Ok(()) })
        .map_err(|finding| slabs.misuse(object, finding))
}

/// A slab was made: all its objects are free.
pub(super) fn made(slabs: &Slabs, slab: Slab) {
    for object in slabs.objects_of(slab) {
        let part = Part::of(slabs, object);
        if has(slabs, DebugFlags::RED_ZONE) {
            part.paint_red(RED[0]);
        }
        if has(slabs, DebugFlags::POISON) {
            part.fill(part.padding.0, part.padding.1, PADDING);
            part.poison();
        }
        set_users(slabs, object, Users::default());
    }
}

/// An object is about to be handed out.
#[cold]
#[inline(never)]
pub(super) fn allocated(slabs: &Slabs, object: NonNull<u8>, user: usize) {
    if let Err(misuse) = look(slabs, object, false) {
        (slabs.settings.on_misuse)(&misuse);
    }
    if has(slabs, DebugFlags::RED_ZONE) {
        Part::of(slabs, object).paint_red(RED[1]);
    }
    let users = users(slabs, object).unwrap_or_default();
    set_users(slabs, object, Users { allocated: user, ..users });
}

/// An object is about to be free.
#[cold]
#[inline(never)]
pub(super) fn freed(slabs: &Slabs, object: NonNull<u8>, user: usize) -> Result<(), Misuse> {
    look(slabs, object, true)?;
    let part = Part::of(slabs, object);
    if has(slabs, DebugFlags::RED_ZONE) {
        part.paint_red(RED[0]);
    }
    if has(slabs, DebugFlags::POISON) {
        part.poison();
    }
    let users = users(slabs, object).unwrap_or_default();
    set_users(slabs, object, Users { freed: user, ..users });
    Ok(())
}

fn users_at(slabs: &Slabs, object: NonNull<u8>) -> NonNull<Users> {
    // SAFETY: within the object's part.
    unsafe { object.byte_add(slabs.shape.users - slabs.shape.left) }.cast()
}

/// Who allocated and freed an object of the cache last.
pub(super) fn users(slabs: &Slabs, object: NonNull<u8>) -> Option<Users> {
    // SAFETY: `made` wrote them.
    has(slabs, DebugFlags::USER).then(|| unsafe { users_at(slabs, object).read() })
}

fn set_users(slabs: &Slabs, object: NonNull<u8>, users: Users) {
    if has(slabs, DebugFlags::USER) {
        // SAFETY: two words of the object's part.
        unsafe { users_at(slabs, object).write(users) };
    }
}

/// Looks at every object of every slab; how many.
pub(super) fn validate(slabs: &Slabs) -> Result<usize, Misuse> {
    let mut seen = 0;
    for slab in slabs.iter() {
        for (index, object) in (0..).zip(slabs.objects_of(slab)) {
            look(slabs, object, slab.is_taken(index))?;
            seen += 1;
        }
    }
    Ok(seen)
}
