//! What every [`BlockAllocator`](base::BlockAllocator) of the project is tested with.
//!
//! ```text
//! kind        an allocator type, what it can do, and what is expected of it
//! any         one whose allocator's type is forgotten
//! kinds       those of the project
//! growing     the arena form as an allocator that is given memory
//! memory      a piece of memory with guards around it
//! heap        an allocator on such memory, under the shadow model, checked around each call
//! rules       what any allocator must do, rule by rule; `conformance` runs them all
//! shape       a heap as one line: `used 64, free 2048, …`
//! exhaustive  every program of up to eight operations on a tiny heap
//! robson      the adversary that needs the most memory
//! ```
//!
//! A failure is a sentence that names the rule, the memory and the operation.

pub mod any;
pub mod exhaustive;
pub mod growing;
pub mod heap;
pub mod kind;
pub mod kinds;
pub mod memory;
pub mod robson;
pub mod room;
pub mod rules;
pub mod shape;

pub use any::AnyKind;
pub use heap::Heap;
pub use kind::Kind;
pub use memory::Memory;
pub use rules::conformance;
pub use shape::shape;
