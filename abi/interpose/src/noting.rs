//! The recording functions where stacks are recorded: those that allocate note first where they were called from.

use crate::names::{each_name, table};

// The recording functions, with stacks.
each_name!(table pub(crate) STACKS:);

/// Functions that go on in others when they have noted it.
macro_rules! noting {
    ($($name:ident => $function:path;)*) => {$(
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name() {
            recorder::note_caller!(
                $crate::thread::BUSY, $crate::thread::SP, $crate::thread::RBP, $function
            )
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
pub(crate) use noting;

/// By the names they are exported under: those that allocate stand in place of those of [`record`](crate::record).
#[allow(non_snake_case, reason = "the names of C++")]
pub(crate) mod of {
    use super::after;
    use crate::record;
    pub(crate) use crate::record::of::*;

    noting! {
        malloc => record::malloc;
        calloc => record::calloc;
        realloc => record::realloc;
        reallocarray => record::reallocarray;
        memalign => record::memalign;
        aligned_alloc => record::aligned_alloc;
        posix_memalign => record::posix_memalign;
        valloc => record::valloc;
        pvalloc => record::pvalloc;
    }

    crate::operators::new!(
        crate::operators::before,
        crate::next::NEXT,
        after::plain,
        after::aligned
    );
}

/// Behind an operator's call, where all is as it was before it.
mod after {
    use crate::operators;

    noting! {
        plain => operators::after;
        aligned => operators::after_aligned;
    }
}
