//! Frames that are handed out by their numbers, and `vmap`, which puts them behind addresses in a row.
use core::ptr::NonNull;

use source::{FrameSource, Mapped};

use super::addresses::{Area, Kind};
use super::frames::{FREE, GIVEN, MOST, Run};
use super::{Caller, Left, Vmalloc, VmallocError};

impl<S: FrameSource> Vmalloc<S> {
    /// Hands out as many frames as `frames` has room for, all or none. They are reached by [`vmap`](Self::vmap), and keep
    /// their contents until they are freed. O(frames).
    /// Errors: [`NoFrames`](VmallocError::NoFrames), [`Refused`](VmallocError::Refused).
    ///
    /// ```
    /// use heapwright_kernel_allocators::vmalloc::{Caller, Vmalloc, VmallocLimits};
    /// use source::os::Os;
    ///
    /// let mut areas = Vmalloc::new(Os, VmallocLimits::of(&Os)).unwrap();
    /// let mut frames = [0; 2];
    /// areas.alloc_frames(&mut frames).unwrap();
    /// // A ring: the first frame comes again behind the last.
    /// let [one, two] = frames;
    /// let ring = areas.vmap(&[one, two, one], Caller::Name("ring")).unwrap();
    /// let page = areas.page_size();
    /// // SAFETY: three pages of ours.
    /// unsafe { ring.write(7) };
    /// // SAFETY: as above; the third page is the first.
    /// assert_eq!(unsafe { ring.add(2 * page).read() }, 7);
    /// // SAFETY: nobody uses it any more.
    /// unsafe { areas.vunmap(ring.as_ptr()) }.unwrap();
    /// areas.free_frames(&frames).unwrap();
    /// ```
    pub fn alloc_frames(&mut self, frames: &mut [u32]) -> Result<(), VmallocError> {
        self.need_frames(frames.len())?;
        let mut done = 0;
        while done < frames.len() {
            let Some(run) = self.frames.take(&self.source, frames.len() - done, GIVEN) else {
                self.give_back(&frames[..done], true);
                return Err(VmallocError::Refused);
            };
            for (at, frame) in frames[done..done + run.len].iter_mut().enumerate() {
                *frame = base::bits::low32(run.first + at);
            }
            if run.dirty {
                // SAFETY: just taken. What the source refuses again shows as old contents.
                unsafe { self.source.punch_frames(self.file, run.first, run.len) };
            }
            done += run.len;
        }
        Ok(())
    }

    /// Takes frames back, all or none; their memory is free at once. O(frames), and a system call for each run.
    /// Errors: [`NoFrame`](VmallocError::NoFrame), [`FrameMapped`](VmallocError::FrameMapped).
    pub fn free_frames(&mut self, frames: &[u32]) -> Result<(), VmallocError> {
        // Each becomes mapped once for the moment, so that a frame named twice shows.
        let pinned = self.pin(frames, |state| state == GIVEN);
        self.unpin(&frames[..pinned.err().unwrap_or(frames.len())]);
        if let Err(done) = pinned {
            let frame = frames[done];
            let mapped = self.state_of(frame) > GIVEN;
            return Err(if mapped {
                VmallocError::FrameMapped(frame)
            } else {
                VmallocError::NoFrame(frame)
            });
        }
        self.give_back(frames, false);
        Ok(())
    }

    /// Maps frames that were handed out, in this order, to addresses in a row with a guard page behind them. A frame may be
    /// named more than once: then it is behind several pages. O(frames), and a system call for each run.
    /// Errors: [`Empty`](VmallocError::Empty), [`NoFrame`](VmallocError::NoFrame),
    /// [`FrameMapped`](VmallocError::FrameMapped): 124 times already; [`NoAddresses`](VmallocError::NoAddresses),
    /// [`TooManyMappings`](VmallocError::TooManyMappings), [`Refused`](VmallocError::Refused),
    /// [`Closed`](VmallocError::Closed).
    pub fn vmap(&mut self, frames: &[u32], caller: Caller) -> Result<NonNull<u8>, VmallocError> {
        if frames.is_empty() {
            return Err(VmallocError::Empty);
        }
        let size = frames.len() * self.addresses.page;
        if frames.len() >= self.addresses.row.count() {
            return Err(VmallocError::NoAddresses);
        }
        if let Err(done) = self.pin(frames, |state| (GIVEN..MOST).contains(&state)) {
            let frame = frames[done];
            let mapped = self.state_of(frame) > GIVEN;
            self.unpin(&frames[..done]);
            return Err(if mapped {
                VmallocError::FrameMapped(frame)
            } else {
                VmallocError::NoFrame(frame)
            });
        }
        let area = Area::new(Kind::Vmap, frames.len(), size, caller);
        let first = match self.take_addresses(area, 1) {
            Ok(first) => first,
            Err(error) => {
                self.unpin(frames);
                return Err(error);
            }
        };
        for (at, &frame) in frames.iter().enumerate() {
            self.addresses.set_frame(first + at, Some(frame as usize));
        }
        self.map_or_undo(first)?;
        self.count(self.addresses.areas.get(first));
        Ok(self.pointer(first))
    }

    /// Unmaps what [`vmap`](Self::vmap) mapped; the frames stay handed out, with their contents. Null is fine. O(pages), and
    /// two system calls.
    /// Errors: as of [`vfree`](Self::vfree), with [`IsVmalloc`](VmallocError::IsVmalloc) in place of `IsVmap`, and
    /// [`Refused`](VmallocError::Refused): nothing has changed then.
    /// # Safety
    /// Nobody uses the area any more.
    pub unsafe fn vunmap(&mut self, address: *const u8) -> Result<(), VmallocError> {
        if address.is_null() {
            return Ok(());
        }
        let first = self.live_area(address, Kind::Vmap)?;
        let area = self.addresses.areas.get(first);
        let (at, len) = (self.addresses.address(first), area.whole() * self.addresses.page);
        // SAFETY: the caller's area, which nobody uses.
        let left = match unsafe { self.source.unmap_frames(at, len) } {
            Mapped::Done => Left::Unmapped,
            Mapped::Lost => Left::Lost,
            Mapped::Refused | Mapped::Closed => return Err(VmallocError::Refused),
        };
        self.uncount(area);
        self.mappings -= area.mappings();
        self.undo(first, left);
        Ok(())
    }

    fn state_of(&self, frame: u32) -> u8 {
        self.frames.state(frame as usize).unwrap_or(FREE)
    }

    /// Counts each frame as mapped once more if its state is one that `may` be; else how many were.
    fn pin(&mut self, frames: &[u32], may: impl Fn(u8) -> bool) -> Result<(), usize> {
        for (done, &frame) in frames.iter().enumerate() {
            let state = self.state_of(frame);
            if !may(state) {
                return Err(done);
            }
            *self.frames.states.entry_mut(frame as usize) += 1;
        }
        Ok(())
    }

    fn unpin(&mut self, frames: &[u32]) {
        for &frame in frames {
            *self.frames.states.entry_mut(frame as usize) -= 1;
        }
    }

    /// Frees frames that are handed out and not mapped; `clean`: they were never seen.
    fn give_back(&mut self, frames: &[u32], clean: bool) {
        let mut rest = frames;
        while let Some(&first) = rest.first() {
            let follows = |&(at, &frame): &(usize, &u32)| frame as usize == first as usize + at;
            let len = rest.iter().enumerate().take_while(follows).count();
            let first = first as usize;
            // SAFETY: the caller's frames, which are not mapped.
            let punched = clean || unsafe { self.punch_own(first, len) };
            self.frames.give(Run { first, len, dirty: !punched });
            rest = &rest[len..];
        }
    }
}
