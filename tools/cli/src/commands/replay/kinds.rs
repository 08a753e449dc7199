//! In which order calls are made, and which memory is touched.

use clap::ValueEnum;
use replay::Order;

/// In which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OrderArg {
    /// Threads as recorded; what depends on each other in the recorded order
    Causal,
    /// By one thread
    Serial,
    /// As causal, with the recorded pauses
    Timed,
}

impl OrderArg {
    pub(crate) fn order(self) -> Order {
        match self {
            Self::Causal => Order::Causal,
            Self::Serial => Order::Serial,
            Self::Timed => Order::Timed,
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Causal => "causal",
            Self::Serial => "serial",
            Self::Timed => "timed",
        }
    }
}

/// Which memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TouchArg {
    /// Of large blocks as many pages as the program touched, where that is known
    Recorded,
    /// Of each page a byte, and the last byte
    Pages,
    /// Nothing
    None,
}

impl TouchArg {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Pages => "pages",
            Self::Recorded => "recorded",
            Self::None => "none",
        }
    }
}
