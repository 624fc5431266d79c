//! The yardstick of speed: how fast a general-purpose reader takes the same bytes.

#![cfg_attr(fuzzing, no_main)]

nightcrow_fuzz::target!(nightcrow_fuzz::serde_value::check);
