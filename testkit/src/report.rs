//! `Report`: how each rule of a suite went.
use std::time::Instant;

#[derive(Debug)]
pub struct Report {
    /// What was tried.
    pub of: &'static str,
    /// A line for each rule, and what does not hold below it.
    pub text: String,
    pub failed: usize,
}

impl Report {
    pub(crate) fn new(of: &'static str) -> Report {
        Report { of, text: String::new(), failed: 0 }
    }

    /// Tries a rule; `Err` says what does not hold.
    pub(crate) fn rule(
        &mut self,
        name: &str,
        says: &str,
        test: impl FnOnce() -> Result<(), String>,
    ) {
        let start = Instant::now();
        let result = test();
        let how = if result.is_ok() { "ok    " } else { "FAILED" };
        let took = start.elapsed().as_millis();
        self.text.push_str(&format!("{how} {name:12} {took:6} ms  {says}\n"));
        if let Err(message) = result {
            self.failed += 1;
            self.text.push_str(&format!("       {}\n", message.replace('\n', "\n       ")));
        }
    }

    /// For tests.
    /// Panics: Prints the report unless every rule holds.
    pub fn assert_passed(&self) {
        assert!(self.failed == 0, "{}:\n{}", self.of, self.text);
    }
}
