//! The decoder and the published JSON Schema judge alike.

#![cfg_attr(fuzzing, no_main)]

nightcrow_fuzz::target!(nightcrow_fuzz::decode_vs_schema::check);
