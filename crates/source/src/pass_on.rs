//! What a source that wraps another one passes on to it unchanged, by name: for tests, which wrap the system to refuse,
//! to count or to pretend.

/// Methods of [`PageSource`](crate::PageSource) and [`FrameSource`](crate::FrameSource) that call the inner source's:
/// `pass_on! { self: self.inner => page_size reserve }`.
#[macro_export]
macro_rules! pass_on {
    ($self:ident: $inner:expr => $($name:ident)*) => { $($crate::pass_on!(@$name $self $inner);)* };

    (@page_size $s:ident $i:expr) => { $crate::pass_on!(safe $s $i, page_size() -> usize); };
    (@reserve $s:ident $i:expr) => {
        $crate::pass_on!(safe $s $i, reserve(len: usize, align: usize) -> Option<usize>);
    };
    (@reserve_at $s:ident $i:expr) => {
        $crate::pass_on!(safe $s $i, reserve_at(at: usize, len: usize) -> $crate::Claim);
    };
    (@claim $s:ident $i:expr) => {
        $crate::pass_on!(safe $s $i, claim(at: usize, len: usize) -> $crate::Claim);
    };
    (@map $s:ident $i:expr) => {
        $crate::pass_on!(safe $s $i, map(len: usize, align: usize) -> Option<usize>);
    };
    (@commit $s:ident $i:expr) => {
        $crate::pass_on!(unsafe $s $i, commit(at: usize, len: usize) -> bool);
    };
    (@decommit $s:ident $i:expr) => {
        $crate::pass_on!(unsafe $s $i, decommit(at: usize, len: usize) -> $crate::Mapped);
    };
    (@purge $s:ident $i:expr) => {
        $crate::pass_on!(unsafe $s $i, purge(at: usize, len: usize) -> bool);
    };
    (@purge_each $s:ident $i:expr) => {
        $crate::pass_on!(unsafe $s $i, purge_each(stretches: &[$crate::Stretch]) -> usize);
    };
    (@release $s:ident $i:expr) => {
        $crate::pass_on!(unsafe $s $i, release(at: usize, len: usize) -> bool);
    };
    (@resize $s:ident $i:expr) => {
        $crate::pass_on!(unsafe $s $i,
            resize(at: usize, old: usize, new: usize, align: usize) -> Option<usize>);
    };
    (@renew $s:ident $i:expr) => {
        $crate::pass_on!(unsafe $s $i, renew(at: usize, len: usize) -> bool);
    };
    (@move_pages $s:ident $i:expr) => {
        $crate::pass_on!(unsafe $s $i, move_pages(from: usize, to: usize, len: usize) -> $crate::Move);
    };
    (@prefer_huge $s:ident $i:expr) => {
        $crate::pass_on!(unsafe $s $i, prefer_huge(at: usize, len: usize, huge: bool) -> ());
    };
    (@huge_pages $s:ident $i:expr) => {
        $crate::pass_on!(safe $s $i, huge_pages() -> $crate::HugePages);
    };
    (@is_confined $s:ident $i:expr) => { $crate::pass_on!(safe $s $i, is_confined() -> bool); };
    (@address_limit $s:ident $i:expr) => {
        $crate::pass_on!(safe $s $i, address_limit() -> Option<usize>);
    };
    (@has_addresses $s:ident $i:expr) => {
        $crate::pass_on!(safe $s $i, has_addresses(len: usize) -> bool);
    };
    (@physical_memory $s:ident $i:expr) => {
        $crate::pass_on!(safe $s $i, physical_memory() -> usize);
    };
    (@memory_limit $s:ident $i:expr) => {
        $crate::pass_on!(safe $s $i, memory_limit() -> Option<usize>);
    };
    (@charges_commit $s:ident $i:expr) => { $crate::pass_on!(safe $s $i, charges_commit() -> bool); };
    (@now_ms $s:ident $i:expr) => { $crate::pass_on!(safe $s $i, now_ms() -> u64); };
    (@is_only_thread $s:ident $i:expr) => { $crate::pass_on!(safe $s $i, is_only_thread() -> bool); };
    (@node $s:ident $i:expr) => { $crate::pass_on!(safe $s $i, node() -> u32); };

    (@create_frames $s:ident $i:expr) => {
        $crate::pass_on!(safe $s $i, create_frames(count: usize) -> Option<$crate::FrameFile>);
    };
    (@is_open $s:ident $i:expr) => {
        $crate::pass_on!(safe $s $i, is_open(file: $crate::FrameFile) -> bool);
    };
    (@close_frames $s:ident $i:expr) => {
        $crate::pass_on!(unsafe $s $i, close_frames(file: $crate::FrameFile) -> ());
    };
    (@punch_frames $s:ident $i:expr) => {
        $crate::pass_on!(unsafe $s $i,
            punch_frames(file: $crate::FrameFile, first: usize, count: usize) -> bool);
    };
    (@most_mappings $s:ident $i:expr) => {
        $crate::pass_on!(safe $s $i, most_mappings() -> Option<usize>);
    };
    (@processors $s:ident $i:expr) => { $crate::pass_on!(safe $s $i, processors() -> usize); };

    (safe $s:ident $i:expr, $name:ident($($arg:ident: $type:ty),*) -> $out:ty) => {
        fn $name(&$s, $($arg: $type),*) -> $out {
            $i.$name($($arg),*)
        }
    };
    (unsafe $s:ident $i:expr, $name:ident($($arg:ident: $type:ty),*) -> $out:ty) => {
        unsafe fn $name(&$s, $($arg: $type),*) -> $out {
            // SAFETY: the caller's promise is passed on.
            unsafe { $i.$name($($arg),*) }
        }
    };
}

/// [`Park`](base::lock::Park) and [`Report`](crate::Report) of a source that wraps one of the type `$inner`: what that
/// does. `park_and_report! { [S] Failing<S> => S }`.
#[macro_export]
macro_rules! park_and_report {
    ([$($generics:tt)*] $source:ty => $inner:ty) => {
        // SAFETY: the inner source's numbers.
        unsafe impl<$($generics)*> base::lock::Park for $source
        where
            $inner: base::lock::Park,
        {
            fn me() -> usize {
                <$inner>::me()
            }

            fn wait(word: &base::sync::AtomicUsize, expected: usize) {
                <$inner>::wait(word, expected);
            }

            fn wake_one(word: &base::sync::AtomicUsize) {
                <$inner>::wake_one(word);
            }

            fn nap(word: &base::sync::AtomicUsize, expected: usize) {
                <$inner>::nap(word, expected);
            }

            fn begin() {
                <$inner>::begin();
            }

            fn end() {
                <$inner>::end();
            }

            fn is_busy() -> bool {
                <$inner>::is_busy()
            }
        }

        impl<$($generics)*> $crate::Report for $source
        where
            $inner: $crate::Report,
        {
            fn print(message: core::fmt::Arguments<'_>) {
                <$inner>::print(message);
            }

            fn fatal(message: core::fmt::Arguments<'_>) -> ! {
                <$inner>::fatal(message)
            }
        }
    };
}
