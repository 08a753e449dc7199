//! A class of thread-caching as `crates/malloc/src/thread_caching` has it, in plain vectors: its central list, the page heap
//! behind it, threads' caches and the list of members.
//!
//! The locks are loom's. Every function names the one it follows. An object has a loom cell that its owner writes to, so loom
//! finds two owners, and owners that do not see what the one before wrote.
use loom::cell::UnsafeCell;
use loom::sync::Mutex;

pub(crate) const OBJECTS: usize = 2;

/// An object: its span and its number there.
pub(crate) type Object = (usize, usize);

/// What the class's lock guards.
#[derive(Default)]
struct State {
    /// Spans that have an object, each with its free ones.
    open: Vec<(usize, Vec<usize>)>,
    batches: Vec<Vec<Object>>,
}

pub(crate) struct World {
    central: Mutex<State>,
    pages: Mutex<Vec<usize>>,
    /// The cache of each member; `None`: a spare record.
    members: Mutex<Vec<Option<Vec<Object>>>>,
    objects: Vec<[UnsafeCell<()>; OBJECTS]>,
    kept: usize,
}

impl World {
    pub(crate) fn new(spans: usize, kept: usize) -> World {
        World {
            central: Mutex::new(State::default()),
            pages: Mutex::new((0..spans).collect()),
            members: Mutex::new(Vec::new()),
            objects: (0..spans).map(|_| core::array::from_fn(|_| UnsafeCell::new(()))).collect(),
            kept,
        }
    }

    pub(crate) fn touch(&self, objects: &[Object]) {
        for &(span, object) in objects {
            self.objects[span][object].with_mut(|_| ());
        }
    }

    /// `Central::take`.
    pub(crate) fn take(&self, want: usize) -> Vec<Object> {
        let mut state = self.central.lock().expect("nobody panics");
        if want == OBJECTS
            && let Some(batch) = state.batches.pop()
        {
            self.touch(&batch);
            return batch;
        }
        let mut got = Vec::new();
        while got.len() < want {
            if state.open.is_empty() {
                // `Pages::allocate`, under the class's lock.
                let Some(span) = self.pages.lock().expect("nobody panics").pop() else { break };
                // All its memory is this thread's now.
                self.touch(&[(span, 0), (span, 1)]);
                state.open.push((span, vec![0, 1]));
            }
            let (span, free) = &mut state.open[0];
            let object = free.pop().expect("it is open");
            got.push((*span, object));
            if free.is_empty() {
                state.open.remove(0);
            }
        }
        drop(state);
        self.touch(&got);
        got
    }

    /// `Central::put`.
    pub(crate) fn put(&self, objects: Vec<Object>) {
        self.touch(&objects);
        let mut state = self.central.lock().expect("nobody panics");
        if objects.len() == OBJECTS && state.batches.len() < self.kept {
            state.batches.push(objects);
            return;
        }
        for (span, object) in objects {
            let at = state.open.iter().position(|(open, _)| *open == span).unwrap_or_else(|| {
                state.open.push((span, Vec::new()));
                state.open.len() - 1
            });
            let free = &mut state.open[at].1;
            assert!(!free.contains(&object), "an object was free that someone owned");
            free.push(object);
            if free.len() == OBJECTS {
                state.open.remove(at);
                // `Pages::free`, under the class's lock: the memory may become anything.
                let mut pages = self.pages.lock().expect("nobody panics");
                self.touch(&[(span, 0), (span, 1)]);
                assert!(!pages.contains(&span), "a span came back twice");
                pages.push(span);
            }
        }
    }

    /// `Members::enter`: a spare record, or a new one.
    pub(crate) fn enter(&self) -> usize {
        let mut members = self.members.lock().expect("nobody panics");
        let at = members.iter().position(Option::is_none).unwrap_or(members.len());
        if at == members.len() {
            members.push(None);
        }
        members[at] = Some(Vec::new());
        at
    }

    /// `Members::leave`, after what the thread kept went to the central list.
    pub(crate) fn leave(&self, record: usize, cache: Vec<Object>) {
        self.put(cache);
        let old = self.members.lock().expect("nobody panics")[record].take();
        assert!(old.is_some(), "a record is left once");
    }

    /// `Members::each`: how many there are.
    pub(crate) fn members(&self) -> usize {
        self.members.lock().expect("nobody panics").iter().flatten().count()
    }

    /// When every thread has ended: `held` objects are with threads, all others in spans and batches.
    pub(crate) fn end(&self, held: usize) {
        let state = self.central.lock().expect("all have ended");
        let pages = self.pages.lock().expect("all have ended");
        let open: usize = state.open.iter().map(|(_, free)| free.len()).sum();
        let batched: usize = state.batches.iter().map(Vec::len).sum();
        let all = self.objects.len() * OBJECTS;
        assert_eq!(open + batched + pages.len() * OBJECTS + held, all, "objects are lost");
        assert!(state.open.iter().all(|(_, free)| free.len() < OBJECTS), "an empty span was left");
    }
}
