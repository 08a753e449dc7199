//! What is exported while the recorder waits: a look at the word in front of the next function.

use core::mem::offset_of;

use super::{FILE, begin};
use crate::imp;
use crate::names::{SLOTS, Slot, Table, each_name};
use crate::next::PASS;

macro_rules! waiting {
    ($($name:ident: $type:ty;)*) => {
        /// The functions that wait.
        pub(super) static WAIT: Table = Table { $($name: Slot::of(of::$name as *const ()),)* };

        /// By the names they are exported under.
        #[allow(non_snake_case, reason = "the names of C++")]
        mod of {
            use super::*;

            $(
                #[unsafe(naked)]
                pub(super) unsafe extern "C" fn $name() {
                    imp::jump_unless!(FILE, begin, [PASS, SLOTS, offset_of!(Table, $name)])
                }
            )*
        }
    };
}
each_name!(waiting);
