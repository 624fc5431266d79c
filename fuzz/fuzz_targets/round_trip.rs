//! Whatever can be said survives being written and read.

#![cfg_attr(fuzzing, no_main)]

nightcrow_fuzz::target!(nightcrow_fuzz::round_trip::check);
