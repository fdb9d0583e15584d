//! What an adapter written in Rust needs: the contract oriel/1 by the standard
//! library alone.
//!
//! Translate makes a view of one observation and must be pure. Invoke carries out
//! one action; the functions of `host` are for it, and returning their faults with
//! `?` is right. What an adapter calls decides what its manifest must ask for.

mod host;
mod json;
mod node;
mod tree;
mod view;
mod words;

pub use host::*;
pub use json::Value;
pub use node::*;
pub use tree::{Frame, Rect, Tree, Window};
pub use view::{code, Action, Block, Content, Effect, Fault, Field, Outcome, View};
pub use words::*;

/// A request for one action.
pub struct Call<'a> {
    /// The action's name.
    pub action: &'a str,
    /// The arguments, an object that is valid by the action's schema.
    pub args: Value,
    /// The fresh observation that the action was checked against.
    pub window: Tree<'a>,
}

impl<'a> Call<'a> {
    fn read(b: &'a [u8]) -> Result<Call<'a>, Fault> {
        let broken = |why| Err(Fault::new(code::INTERNAL, format!("reading call: {}", why)));
        if b.len() < 8 {
            return broken("shorter than its header");
        }
        let size = |at: usize| u32::from_le_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]]) as usize;
        let (action, args, rest) = (size(0), size(4), &b[8..]);
        if action as u64 + args as u64 > rest.len() as u64 {
            return broken("the name and the arguments are longer than the call");
        }
        let (head, observation) = rest.split_at(action + args);
        let (action, args) = match (std::str::from_utf8(&head[..action]), std::str::from_utf8(&head[action..])) {
            (Ok(action), Ok(args)) => (action, args.trim_end_matches(' ')),
            _ => return broken("the name or the arguments are not UTF-8"),
        };
        let args = if args.is_empty() { Value::Null } else { Value::parse(args)? };
        Ok(Call { action, args, window: Tree::read(observation)? })
    }
}

/// Makes the exports of the module of translate and, if there is one, invoke:
/// `oriel::adapter!(translate, invoke);`
#[macro_export]
macro_rules! adapter {
    ($translate:path $(, $invoke:path)?) => {
        /// Gives the host a buffer for its input.
        #[no_mangle]
        pub extern "C" fn oriel_alloc(n: u32) -> *mut u8 {
            $crate::exports::alloc(n)
        }

        /// Makes a view.
        #[no_mangle]
        pub extern "C" fn oriel_translate(_: *const u8, n: u32) -> u64 {
            $crate::exports::translate($translate, n)
        }

        $(
            /// Carries out an action.
            #[no_mangle]
            pub extern "C" fn oriel_invoke(_: *const u8, n: u32) -> u64 {
                $crate::exports::invoke($invoke, n)
            }
        )?
    };
}

/// What the exports call; `adapter!` makes them.
pub mod exports {
    use super::{Call, Fault, Outcome, Tree, View};

    // A module has one thread, and the host calls it once at a time.
    static mut INPUT: Vec<u8> = Vec::new();
    static mut OUTPUT: String = String::new();

    #[doc(hidden)]
    pub fn alloc(n: u32) -> *mut u8 {
        unsafe {
            INPUT.resize(n as usize, 0);
            INPUT.as_mut_ptr()
        }
    }

    fn input(n: u32) -> &'static [u8] {
        unsafe { INPUT.get(..n as usize).unwrap_or(&[]) }
    }

    /// The address and the length of the output, which stays until the next call.
    fn packed(out: String) -> u64 {
        unsafe {
            OUTPUT = out;
            (OUTPUT.as_ptr() as usize as u64) << 32 | OUTPUT.len() as u64
        }
    }

    #[doc(hidden)]
    pub fn translate(f: fn(&Tree) -> Result<View, Fault>, n: u32) -> u64 {
        packed(match Tree::read(input(n)).and_then(|t| f(&t)) {
            Ok(view) => view.json(),
            Err(fault) => fault.json(),
        })
    }

    #[doc(hidden)]
    pub fn invoke(f: fn(&Call) -> Result<Outcome, Fault>, n: u32) -> u64 {
        packed(match Call::read(input(n)).and_then(|c| f(&c)) {
            Ok(outcome) => outcome.json(),
            Err(fault) => fault.json(),
        })
    }
}
