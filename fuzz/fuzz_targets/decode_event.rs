//! A plugin reads whatever a host sends.

#![cfg_attr(fuzzing, no_main)]

nightcrow_fuzz::target!(nightcrow_fuzz::decode_event::check);
