//! A recording begins: the exported functions become those that record what is asked for.
//!
//! ```text
//! first call ─► begin ─┬─► nothing is asked for: the next functions, and no file
//!                      ├─► record: a file, and the slots are ours
//!                      └─► armed: the next functions, until begin_armed is asked to record
//! ```

use recorder::front::{self, Front};
use recorder::session::Begun;

use crate::next::{self, next};
#[cfg(target_arch = "x86_64")]
use crate::profile;
use crate::text::Text;
use crate::{armed, copy, live, mapping, names, noting, operators, record, session, snapshot};

/// What of a recording is decided here.
static FRONT: Front = Front {
    begins: |has_stacks| !live::is_asked_for() || has_stacks && live::begin(),
    rests: || {
        if armed::is_armed() {
            armed::rest();
        } else {
            pass_by();
        }
    },
    why_to_stop: armed::why_to_stop,
    due: snapshot::take_if_due,
    ends: |writer| {
        if session::options().copy && session::is_this_process() {
            copy::make(writer);
        }
    },
    malloc: || next::object_of(next().malloc.address()).map_or(c"", |(name, _)| name),
    describe,
    function: next::behind,
};

fn describe(text: &mut Text<'_>, is_child: bool) {
    if live::is_asked_for() {
        text.pair(b"events", b"live");
    }
    if armed::is_armed() && !is_child {
        text.pair(b"attached", b"1");
    }
}

/// Reads what is asked for, and begins to record or to pass by.
pub(crate) fn begin() {
    front::set(&FRONT);
    if !session::begin() {
        return pass_by();
    }
    mapping::find_malloc();
    let has_begun = if session::options().armed {
        snapshot::find();
        armed::arm()
    } else {
        record()
    };
    if !has_begun {
        pass_by();
    }
}

/// Has the calls recorded. `false`: there is no file.
fn record() -> bool {
    if !session::start(false) {
        return false;
    }
    let table = table();
    names::switch_to(table);
    operators::settle(table);
    true
}

/// The functions that record what is asked for.
fn table() -> &'static names::Table {
    #[cfg(target_arch = "x86_64")]
    if session::options().only_sampled {
        profile::watch_arena();
        return &profile::PROFILE;
    }
    if live::is_asked_for() {
        return &live::LIVE;
    }
    if session::has_stacks() { &noting::STACKS } else { &record::RECORD }
}

/// An armed recorder is asked for this, which `is_begun` notes.
pub(crate) fn begin_armed(asked: &[u8], is_begun: impl FnOnce()) -> Begun {
    session::begin_as(asked, || {
        is_begun();
        if !session::options().only_sampled {
            snapshot::begin();
        }
        record()
    })
}

/// From now on the next functions are called, and nothing is recorded.
pub(crate) fn pass_by() {
    names::switch_to(&next::PASS);
}
