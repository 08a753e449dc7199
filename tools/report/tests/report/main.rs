//! The page, its plots, and the page in a browser.

mod sample;

mod browser;
mod page;
mod plots;
