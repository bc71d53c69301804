//! Makes `recount.html` of the module that `cargo xtask page` has built.
//!
//! `cargo run -p recount-page --example recount-html -- MODULE.wasm recount.html`

use std::error::Error;
use std::io::Write;
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;
use recount_page::{Entry, dense, hash, render, script, style};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1);
    let (Some(module), Some(page)) = (arguments.next(), arguments.next()) else {
        return Err("expected the module, and the page to write".into());
    };
    let module = fs::read(module)?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&module)?;
    let packed = packed.finish()?;
    let (style, script) = (style(), script(Entry::Local));
    let text = render(
        "local.html",
        &json!({
            "title": "recount", "generator": concat!("recount ", env!("CARGO_PKG_VERSION")),
            "style_hash": hash(&style), "script_hash": hash(&script), "style": style, "script": script,
            "worker": recount_page::script(Entry::Worker), "module": dense(&packed),
        }),
    )?;
    fs::write(&page, &text)?;
    #[expect(clippy::print_stdout, reason = "a program that says what it made")]
    {
        println!(
            "{}: {} bytes; its module has {}, {} by gzip",
            page.display(),
            text.len(),
            module.len(),
            packed.len()
        );
    }
    Ok(())
}
