//! What a cache is asked to be: sizes, policy, constructors, checks.
use core::fmt;
use core::ops::BitOr;
use core::ptr::NonNull;

use super::misuse::Misuse;

const NAME: usize = 31;

/// A cache's name: what is longer than 31 bytes is cut off.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Name {
    bytes: [u8; NAME],
    len: u8,
}

impl Name {
    /// A copy of `name`.
    #[must_use]
    pub const fn new(name: &str) -> Self {
        let (from, mut bytes) = (name.as_bytes(), [0; NAME]);
        let mut len = if from.len() < NAME { from.len() } else { NAME };
        while !name.is_char_boundary(len) {
            len -= 1;
        }
        let mut at = 0;
        while at < len {
            bytes[at] = from[at];
            at += 1;
        }
        Self { bytes, len: base::bits::low8(len) }
    }

    /// Its characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.len.into()]).unwrap_or_default()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// Which free object is handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// Of the present slab, the one that was freed last; a fresh slab in the order of addresses. Every call sees every mistake.
    /// The kernel's up to 6.17, without its random order.
    #[default]
    SlabLifo,
    /// Out of a magazine, the one that was freed last whatever its slab: the fastest. At least this many rounds; 0: as many as
    /// the kernel would have for the size (60, 28, 12 or 4). The kernel's since 7.0.
    Magazine(usize),
    /// As [`SlabLifo`](Self::SlabLifo), but a fresh slab is handed out in an order that the seed decides, from a place that differs
    /// from slab to slab.
    Random(u64),
}

/// What is checked at every call. All of them find double frees and foreign pointers at once; a cache with any has no magazines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DebugFlags(u8);

impl DebugFlags {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Every call goes to the slabs, which see what is free. The kernel's letter is F.
    pub const SANITY: Self = Self(1);
    /// Bytes in front of and behind an object, 0xbb while it is free and 0xcc while it is in use. Z.
    pub const RED_ZONE: Self = Self(2);
    /// A free object is 0x6b and a last 0xa5, what is between objects 0x5a. Not with a constructor. P.
    pub const POISON: Self = Self(4);
    /// A number for who allocated and one for who freed, of each object. U.
    pub const USER: Self = Self(8);
    /// All of them.
    pub const ALL: Self = Self(15);

    /// Whether all of `flags` are in it.
    #[must_use]
    pub const fn has(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    pub(super) const fn without(self, flags: Self) -> Self {
        Self(self.0 & !flags.0)
    }

    pub(super) const fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for DebugFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A function that is called with a context and an object: a constructor.
#[derive(Debug, Clone, Copy)]
pub struct Hook {
    call: unsafe fn(*mut (), NonNull<u8>),
    context: *mut (),
}

impl Hook {
    /// Calls `call` with `context`.
    /// # Safety
    /// As long as a cache has it, `call` may be called with `context` and an object's memory, from any thread that uses the
    /// cache, and does not use the cache itself.
    pub const unsafe fn new(call: unsafe fn(*mut (), NonNull<u8>), context: *mut ()) -> Self {
        Self { call, context }
    }

    /// The caller promises: `object` is one of the cache's, and nobody's.
    pub(super) unsafe fn run(self, object: NonNull<u8>) {
        // SAFETY: `new` was promised that it may be called so.
        unsafe { (self.call)(self.context, object) };
    }
}

/// Why a cache was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// Objects of no bytes.
    Empty,
    /// An object is larger than the largest block of pages, 1,024 of them.
    TooLarge,
    /// The alignment is not a power of two, or larger than a page.
    Alignment,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::Empty => "objects of no bytes",
            Refused::TooLarge => "an object is larger than 1,024 pages",
            Refused::Alignment => "the alignment is not a power of two up to a page",
        })
    }
}

impl core::error::Error for Refused {}

/// What a cache is asked to be.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    pub(super) name: Name,
    pub(super) size: usize,
    pub(super) align: usize,
    pub(super) by_lines: bool,
    pub(super) policy: Policy,
    pub(super) debug: DebugFlags,
    pub(super) cpus: usize,
    pub(super) ctor: Option<Hook>,
    pub(super) on_misuse: fn(&Misuse) -> !,
}

impl Settings {
    /// Objects of `size` bytes, aligned to 8; nothing checked but what is free, slabs
    /// as on a machine with two processors.
    #[must_use]
    pub const fn new(name: &str, size: usize) -> Self {
        Self {
            name: Name::new(name),
            size,
            align: 8,
            by_lines: false,
            policy: Policy::SlabLifo,
            debug: DebugFlags::NONE,
            cpus: 2,
            ctor: None,
            on_misuse: panics,
        }
    }

    /// Aligned to at least this, a power of two up to a page. Never less than before: a constructor may rely on that.
    #[must_use]
    pub const fn align(mut self, align: usize) -> Self {
        // What is no power of two stays, and is refused.
        let is_more = align > self.align || !align.is_power_of_two();
        if self.align.is_power_of_two() && is_more {
            self.align = align;
        }
        self
    }

    /// Aligned to 64, or to as large a part of it as holds an object: 8 of 8 bytes share a line, but none of 40 crosses one. The
    /// kernel's `SLAB_HWCACHE_ALIGN`.
    #[must_use]
    pub const fn align_to_lines(mut self) -> Self {
        self.by_lines = true;
        self
    }

    /// Which free object is handed out.
    #[must_use]
    pub const fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// What is checked.
    #[must_use]
    pub const fn debug(mut self, flags: DebugFlags) -> Self {
        self.debug = flags;
        self
    }

    /// Slabs are as large as on a machine with this many processors.
    #[must_use]
    pub const fn processors(mut self, count: usize) -> Self {
        self.cpus = count;
        self
    }

    /// Called for each object when its slab is made, not when it is handed out: an object must be freed in the state that its
    /// constructor leaves.
    #[must_use]
    pub const fn ctor(mut self, ctor: Hook) -> Self {
        self.ctor = Some(ctor);
        self
    }

    /// Called when a pointer is found to be wrong; by default it panics with the misuse's message.
    #[must_use]
    pub const fn on_misuse(mut self, end: fn(&Misuse) -> !) -> Self {
        self.on_misuse = end;
        self
    }
}

#[cold]
#[inline(never)]
fn panics(misuse: &Misuse) -> ! {
    panic!("{misuse}")
}
