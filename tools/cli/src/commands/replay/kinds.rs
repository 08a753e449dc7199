//! In which order calls are made, and which memory is touched.

use clap::ValueEnum;
use replay::Order;

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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TouchArg {
    /// Of large blocks as many pages as the program touched, where that is known
    Recorded,
    /// Of each page a byte, and the last byte
    Pages,
    /// Nothing
    None,
}

/// A value as it is typed.
pub(crate) fn word(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}
