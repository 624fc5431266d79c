//! Writes the JSON Schemas of the contract to `spec/schema/plugin-v3/`.

use std::path::Path;
use std::{fs, io};

use nightcrow_protocol::schema;

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/schema/plugin-v3");
    fs::create_dir_all(&folder)?;
    for (name, schema) in [("command", schema::command()), ("event", schema::event())] {
        let json = serde_json::to_string_pretty(&schema)? + "\n";
        fs::write(folder.join(format!("{name}.schema.json")), json)?;
    }
    Ok(())
}
