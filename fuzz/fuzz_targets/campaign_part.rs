//! Any bytes as a part of a campaign.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| volvelle_oracles::campaign_part(bytes));
