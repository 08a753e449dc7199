//! The kernel's allocators behind one trait: what they hand out is named by a token, and has an address.
//!
//! ```text
//! row of registry::kernels!   handles   make(pages)          ─► Handles<A>  ┐
//!                             caches    make(pages, size)    ─► Caches      │
//!                             objects   make(pages)          ─► Objects     ├─► Serve ─► a workload, compiled for each
//!                             pages     make(source)         ─► Areas       │
//! row of registry::blocks!    new()                          ─► Blocks<A>   ┘
//! ```
//!
//! Pages come from a buddy system on one region, as a kernel's do: a page costs no system call, here as there, and in [`Chosen`]
//! stands what else. Only `pages` ask the operating system: mappings are what they are about.
mod calls;
mod pages;

use core::alloc::Layout;
use core::cell::Cell;
use core::fmt::Debug;
use core::ptr::NonNull;
use std::rc::Rc;

use base::{AddMemory, BlockAllocator, HandleAllocator, Map};
use handle::zsmalloc::Classes;
use kernel::kmalloc::Kmalloc;
use kernel::kmem_cache::{KmemCache, Refused};
use kernel::vmalloc::{Caller, Vmalloc, VmallocError};
use source::os::Os;

use crate::subjects::{self, Visit as VisitBlocks};

use calls::Calls;
use pages::{PAGE, split};
pub use pages::{PageCost, Pages};

/// What can be chosen of an allocator and its pages.
#[derive(Debug, Clone, Default)]
pub struct Chosen {
    /// zsmalloc's sizes and chains.
    pub classes: Classes,
    /// What a page costs.
    pub cost: PageCost,
    /// Whether what is around a call of a handle allocator in a kernel is done here too: locks, and zsmalloc's handle.
    pub calls: bool,
}

/// Serves requests of any size, or refuses them.
pub trait Serve {
    /// Names what was handed out.
    type Token: Copy + Debug;

    /// Whether objects of other sizes, and of other users, come from it too.
    const IS_SHARED: bool = true;

    /// How many times fewer objects and requests it is given, where each is a system call.
    const SLOWER: (usize, u64) = (1, 1);

    /// From now on no request is for more than `most` bytes. Nothing is live.
    fn begin(&mut self, _most: usize) {}

    /// Something of `size` bytes, not written to. `None`: refused.
    fn allocate(&mut self, size: usize) -> Option<Self::Token>;

    /// Gives it back.
    /// # Safety
    /// `token` is live here.
    unsafe fn free(&mut self, token: Self::Token);

    /// Where its bytes are, until the next call.
    /// # Safety
    /// `token` is live here.
    unsafe fn address(&mut self, token: Self::Token) -> NonNull<u8>;

    /// Bytes of memory that it holds, its tables included; `None`: it does not know.
    fn held(&self) -> Option<usize> {
        None
    }
}

/// Something done with an allocator, whatever its type.
pub trait Visit {
    fn visit<A: Serve>(self, heap: A);
}

#[derive(Debug)]
pub struct Handles<A> {
    heap: A,
    calls: Calls,
    held: Rc<Cell<usize>>,
}

impl<A: HandleAllocator + Map> Serve for Handles<A> {
    type Token = (A::Handle, calls::Handle);

    #[inline(always)]
    fn allocate(&mut self, size: usize) -> Option<Self::Token> {
        let handle = self.calls.allocate();
        // SAFETY: no byte is read that was not written.
        let made = unsafe { self.heap.allocate_unwritten(size) };
        if made.is_err() {
            // SAFETY: allocated just now.
            unsafe { self.calls.free(handle) };
        }
        Some((made.ok()?, handle))
    }

    #[inline(always)]
    unsafe fn free(&mut self, (object, handle): Self::Token) {
        let freed = self.heap.free(object);
        debug_assert!(freed.is_ok(), "a live handle was refused");
        // SAFETY: the caller's promise.
        unsafe { self.calls.free(handle) };
    }

    unsafe fn address(&mut self, (object, _): Self::Token) -> NonNull<u8> {
        self.heap.bytes_mut(object).map_or(NonNull::dangling(), |bytes| NonNull::from(bytes).cast())
    }

    fn held(&self) -> Option<usize> {
        Some(self.held.get() * PAGE)
    }
}

/// A cache of one size, anew for each range of sizes.
#[derive(Debug)]
pub struct Caches {
    memory: NonNull<[u8]>,
    make: fn(Pages, usize) -> Result<KmemCache<Pages>, Refused>,
    cache: Option<KmemCache<Pages>>,
    held: Rc<Cell<usize>>,
    cost: PageCost,
    size: usize,
}

impl Serve for Caches {
    type Token = NonNull<u8>;

    const IS_SHARED: bool = false;

    /// No cache where objects would be too large for one: then all is refused.
    fn begin(&mut self, most: usize) {
        // The old one's slabs go with it.
        self.cache = None;
        // SAFETY: the memory is this one's for good, and nothing is in it any more.
        let Some((pages, held)) = (unsafe { Pages::on(self.memory, self.cost) }) else { return };
        self.cache = (self.make)(pages, most).ok();
        (self.held, self.size) = (held, most);
    }

    #[inline(always)]
    fn allocate(&mut self, size: usize) -> Option<NonNull<u8>> {
        if size > self.size {
            return None;
        }
        self.cache.as_mut()?.allocate()
    }

    #[inline(always)]
    unsafe fn free(&mut self, token: NonNull<u8>) {
        if let Some(cache) = &mut self.cache {
            // SAFETY: the caller's promise.
            unsafe { cache.free(token) };
        }
    }

    unsafe fn address(&mut self, token: NonNull<u8>) -> NonNull<u8> {
        token
    }

    fn held(&self) -> Option<usize> {
        Some(self.held.get() * PAGE)
    }
}

#[derive(Debug)]
pub struct Objects {
    heap: Kmalloc<Pages>,
    held: Rc<Cell<usize>>,
}

impl Serve for Objects {
    type Token = NonNull<u8>;

    #[inline(always)]
    fn allocate(&mut self, size: usize) -> Option<NonNull<u8>> {
        self.heap.allocate(size)
    }

    #[inline(always)]
    unsafe fn free(&mut self, token: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { self.heap.free(token) };
    }

    unsafe fn address(&mut self, token: NonNull<u8>) -> NonNull<u8> {
        token
    }

    fn held(&self) -> Option<usize> {
        Some(self.held.get() * PAGE)
    }
}

pub struct Areas(Vmalloc<Os>);

impl Serve for Areas {
    type Token = NonNull<u8>;

    const SLOWER: (usize, u64) = (10, 50);

    #[inline(always)]
    fn allocate(&mut self, size: usize) -> Option<NonNull<u8>> {
        self.0.vmalloc(size, Caller::Name("bench")).ok()
    }

    #[inline(always)]
    unsafe fn free(&mut self, token: NonNull<u8>) {
        // SAFETY: the caller's promise.
        let freed = unsafe { self.0.vfree(token.as_ptr()) };
        debug_assert!(freed.is_ok(), "a live area was refused");
    }

    unsafe fn address(&mut self, token: NonNull<u8>) -> NonNull<u8> {
        token
    }

    /// What areas map; what is freed costs no memory, mapped or not.
    fn held(&self) -> Option<usize> {
        Some(self.0.usage().mapped)
    }
}

/// A block, and the size that goes with it when it is freed.
#[derive(Debug, Clone, Copy)]
pub struct Block {
    at: NonNull<u8>,
    size: usize,
}

/// A block allocator on a region, without a lock. Some write addresses of themselves into it, so it stays where it is.
#[derive(Debug)]
pub struct Blocks<A>(Box<A>);

/// C's guarantee, for blocks of any size.
fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, 16).unwrap_or(Layout::new::<u128>())
}

impl<A: BlockAllocator> Serve for Blocks<A> {
    type Token = Block;

    #[inline(always)]
    fn allocate(&mut self, size: usize) -> Option<Block> {
        Some(Block { at: self.0.allocate(layout(size))?, size })
    }

    #[inline(always)]
    unsafe fn free(&mut self, token: Block) {
        // SAFETY: live, of this layout.
        unsafe { self.0.deallocate(token.at, layout(token.size)) };
    }

    unsafe fn address(&mut self, token: Block) -> NonNull<u8> {
        token.at
    }
}

/// Visits a block allocator once it has its region.
struct OnRegion<V> {
    memory: NonNull<[u8]>,
    visit: Option<V>,
}

impl<V: Visit> VisitBlocks for OnRegion<V> {
    fn visit<A: BlockAllocator + AddMemory + 'static>(&mut self, _: &'static str, make: fn() -> A) {
        let mut heap = Box::new(make());
        // SAFETY: the caller of `one` gave it for good.
        let added = unsafe { heap.add_memory(self.memory.cast().as_ptr(), self.memory.len()) };
        if added.is_ok()
            && let Some(visit) = self.visit.take()
        {
            visit.visit(Blocks(heap));
        }
    }
}

macro_rules! kernels {
    ($({
        name: $name:literal, id: $id:ident, about: $about:literal,
        kind: $kind:ident, make: $make:expr, settings: $settings:tt, abilities: $abilities:tt,
    })*) => {
        /// Visits the allocator of this name, of the kernel's or of those on a region, in memory that is its own; whether there
        /// is one, and the memory was enough.
        /// # Safety
        /// The memory is valid, and nobody else's for ever.
        pub unsafe fn one(
            name: &str,
            chosen: Chosen,
            memory: NonNull<[u8]>,
            visit: impl Visit,
        ) -> bool {
            match name {
                // SAFETY: the caller's promise.
                $($name => unsafe { make::$kind($name, memory, chosen, $make, visit) }.is_some(),)*
                _ if subjects::NAMES.contains(&name)
                    || registry::FORMS.contains(&name)
                    || registry::PEERS.contains(&name) =>
                {
                    let mut on_region = OnRegion { memory, visit: Some(visit) };
                    subjects::one(name, &mut on_region);
                    on_region.visit.is_none()
                }
                _ => false,
            }
        }
    };
}

/// How an allocator of each kind is made by its row.
mod make {
    use super::{
        Areas, Caches, Calls, Cell, Chosen, Classes, HandleAllocator, Handles, Kmalloc, KmemCache,
        Map, NonNull, Objects, Os, Pages, Rc, Refused, Visit, Vmalloc, VmallocError, split,
    };

    /// # Safety
    /// As of [`one`](super::one); so of the others.
    pub(super) unsafe fn handles<A: HandleAllocator + Map>(
        name: &str,
        memory: NonNull<[u8]>,
        Chosen { classes, cost, calls }: Chosen,
        make: impl FnOnce(Pages, Classes) -> A,
        visit: impl Visit,
    ) -> Option<()> {
        // Handles get the last sixteenth.
        let (memory, rest) = split(memory, memory.len() / 16 * 15);
        // SAFETY: the caller's promise.
        let (pages, held) = unsafe { Pages::on(memory, cost) }?;
        let calls = if calls {
            // SAFETY: the caller's promise.
            Calls::of(name, || Some(unsafe { Pages::on(rest, cost) }?.0))
        } else {
            Calls::none()
        };
        visit.visit(Handles { heap: make(pages.singly(), classes), calls, held });
        Some(())
    }

    pub(super) unsafe fn caches(
        _: &str,
        memory: NonNull<[u8]>,
        Chosen { cost, .. }: Chosen,
        make: fn(Pages, usize) -> Result<KmemCache<Pages>, Refused>,
        visit: impl Visit,
    ) -> Option<()> {
        // SAFETY: the caller's promise.
        unsafe { Pages::on(memory, cost) }?;
        let held = Rc::new(Cell::new(0));
        visit.visit(Caches { memory, make, cache: None, held, cost, size: 0 });
        Some(())
    }

    pub(super) unsafe fn objects(
        _: &str,
        memory: NonNull<[u8]>,
        Chosen { cost, .. }: Chosen,
        make: impl FnOnce(Pages) -> Kmalloc<Pages>,
        visit: impl Visit,
    ) -> Option<()> {
        // SAFETY: the caller's promise.
        let (pages, held) = unsafe { Pages::on(memory, cost) }?;
        visit.visit(Objects { heap: make(pages), held });
        Some(())
    }

    pub(super) unsafe fn pages(
        _: &str,
        _memory: NonNull<[u8]>,
        _: Chosen,
        make: impl FnOnce(Os) -> Result<Vmalloc<Os>, VmallocError>,
        visit: impl Visit,
    ) -> Option<()> {
        visit.visit(Areas(make(Os).ok()?));
        Some(())
    }
}

registry::kernels!(kernels);
