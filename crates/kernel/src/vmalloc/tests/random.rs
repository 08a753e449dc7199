//! Random operations beside a model: contents verified through the scattered mappings, `check` after each step.
use super::*;
use crate::shapes::Random;

struct Live {
    at: NonNull<u8>,
    pages: usize,
    byte: u8,
    vmap: Option<Vec<u32>>,
}

struct Model {
    areas: Vmalloc<Os>,
    live: Vec<Live>,
    random: Random,
    scattered: usize,
}

impl Model {
    fn verify(&self, live: &Live) {
        let page = self.areas.page_size();
        for at in 0..live.pages {
            for offset in [0, page / 2 + at % 64, page - 1] {
                assert_eq!(byte(live.at, at * page + offset), live.byte);
            }
        }
    }

    fn add(&mut self, step: usize) {
        let page = self.areas.page_size();
        let pages = 1 + self.random.below(12);
        let size = pages * page - self.random.below(page);
        let zero = self.random.below(2) == 0;
        let made = if zero { self.areas.vzalloc(size, ME) } else { self.areas.vmalloc(size, ME) };
        match made {
            Ok(at) => {
                assert!(
                    !zero || (0..pages * page).step_by(512).all(|offset| byte(at, offset) == 0)
                );
                let byte = base::bits::low8(1 + step % 255);
                fill(at, pages, page, byte);
                let runs = frames(&self.areas, at, pages);
                self.scattered += usize::from(runs.windows(2).any(|two| two[0] + 1 != two[1]));
                self.live.push(Live { at, pages, byte, vmap: None });
            }
            Err(error) => assert!(matches!(error, VmallocError::NoFrames { .. }), "{error}"),
        }
    }

    fn add_vmap(&mut self, step: usize) {
        let page = self.areas.page_size();
        let mut given = vec![0; 1 + self.random.below(6)];
        if self.areas.alloc_frames(&mut given).is_err() {
            return;
        }
        given.reverse();
        let at = self.areas.vmap(&given, ME).unwrap();
        let byte = base::bits::low8(1 + step % 255);
        fill(at, given.len(), page, byte);
        self.live.push(Live { at, pages: given.len(), byte, vmap: Some(given) });
    }

    fn remove(&mut self) {
        if self.live.is_empty() {
            return;
        }
        let at = self.random.below(self.live.len());
        let live = self.live.swap_remove(at);
        self.verify(&live);
        match live.vmap {
            None => {
                // SAFETY: live until now.
                unsafe { self.areas.vfree(live.at.as_ptr()) }.unwrap();
            }
            Some(frames) => {
                // SAFETY: live until now.
                unsafe { self.areas.vunmap(live.at.as_ptr()) }.unwrap();
                self.areas.free_frames(&frames).unwrap();
            }
        }
    }

    fn resize(&mut self) {
        let page = self.areas.page_size();
        let Some(at) = (!self.live.is_empty()).then(|| self.random.below(self.live.len())) else {
            return;
        };
        if self.live[at].vmap.is_some() {
            return;
        }
        let pages = 1 + self.random.below(20);
        // SAFETY: live, and the old address is forgotten.
        if let Ok(new) = unsafe { self.areas.vrealloc(self.live[at].at.as_ptr(), pages * page) } {
            let live = &mut self.live[at];
            (live.at, live.pages) = (new, live.pages.min(pages));
            let byte = live.byte;
            self.verify(&self.live[at]);
            self.live[at].pages = pages;
            fill(new, pages, page, byte);
        }
    }
}

#[test]
fn contents_stay_and_invariants_hold() {
    for seed in 1..4 {
        let mut model =
            Model { areas: small(200), live: vec![], random: Random(seed), scattered: 0 };
        let page = model.areas.page_size();
        for step in 0..3000 {
            match model.random.below(20) {
                0..=7 => model.add(step),
                8..=9 => model.add_vmap(step),
                10..=12 => model.resize(),
                13 => assert!(model.areas.purge().is_multiple_of(page)),
                _ => model.remove(),
            }
            model.areas.check().unwrap();
            let pages: usize = model.live.iter().map(|live| live.pages).sum();
            assert_eq!(model.areas.usage().mapped, pages * page);
            assert_eq!(model.areas.usage().areas, model.live.len());
        }
        assert!(model.scattered > 100, "{} areas were scattered", model.scattered);
        while !model.live.is_empty() {
            model.remove();
        }
        model.areas.purge();
        model.areas.check().unwrap();
        let purges = model.areas.usage().purges;
        let nothing = VmallocUsage { free: 200 * page, purges, ..VmallocUsage::default() };
        assert_eq!(model.areas.usage(), nothing);
    }
}
