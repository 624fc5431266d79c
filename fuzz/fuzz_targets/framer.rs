//! Lines do not depend on how reads cut the stream.

#![cfg_attr(fuzzing, no_main)]

use nightcrow_fuzz::allocator::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

nightcrow_fuzz::target!(nightcrow_fuzz::framer::check);
