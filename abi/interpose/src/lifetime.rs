//! The begin of the library, and the end of the process.

use recorder::lifetime;

use crate::errno::Kept;
use crate::{armed, first};

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = {
    extern "C" fn begin() {
        first::begin();
    }
    begin
};

#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = {
    extern "C" fn end() {
        let _errno = Kept::now();
        armed::end();
        lifetime::process_ends();
    }
    end
};
