//! The decoder and an independent one judge alike.

#![cfg_attr(fuzzing, no_main)]

nightcrow_fuzz::target!(nightcrow_fuzz::decode_vs_reference::check);
