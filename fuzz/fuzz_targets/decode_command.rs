//! A host reads whatever a plugin sends.

#![cfg_attr(fuzzing, no_main)]

nightcrow_fuzz::target!(nightcrow_fuzz::decode_command::check);
