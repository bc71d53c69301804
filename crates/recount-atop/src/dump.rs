//! A log as text: every field of every structure, with the offset of the part that it was unpacked from.
//!
//! In parts, the offset within the unpacked structure precedes the field's name. Entries of arrays beyond the count are
//! uninitialised memory and aren't shown, nor are the GPU values of tasks that use none.

use std::fmt::{self, Write};

use recount_bytes::fields::Lines;
use recount_model::{Content, Health};

use crate::error::AtopError;
use crate::parts::{LEN_PID, unpack, unpack_each};
use crate::store::{read_header, walk};
use crate::structure::layout::{Layout, Slot, Type};
use crate::structure::{FILE_HEADER, FileHeader, LEN_RECORD_HEADER, Layouts, MAX_TASKS, Record};

/// Appends the dump of a log, up to a number of samples.
pub fn dump(content: &dyn Content, max_samples: usize, out: &mut dyn Write) -> Result<(), AtopError> {
    let file = content.bytes();
    let header = read_header(file)?;
    let version = header.layout_version();
    let layouts = Layouts::of(version.unwrap_or(header.version));
    let mut health = Health::default();
    let records = walk(file, &layouts.record, &mut health);
    let is_read = version.is_some();
    show(file, (&header, is_read), &layouts, &records, max_samples, out)?;
    for finding in health.findings() {
        Lines::new(out).fault(finding)?;
    }
    Ok(())
}

fn show(
    file: &[u8],
    (header, is_read): (&FileHeader, bool),
    layouts: &Layouts,
    records: &[Record],
    max_samples: usize,
    out: &mut dyn Write,
) -> fmt::Result {
    let mut lines = Lines::new(out);
    lines.structure(format!("file header (atop {})", header.version))?;
    show_fields(&mut lines, 0, file, 0, &Layout::new(FILE_HEADER, header.version.minor), |_| true)?;
    if !is_read {
        lines.fault("the lengths aren't those of one version: its parts aren't shown")?;
    }
    for record in records.iter().take(max_samples) {
        lines.at(record.ofs as u64).structure("sample")?;
        let bytes = file.get(record.ofs..record.ofs + LEN_RECORD_HEADER).unwrap_or_default();
        show_fields(&mut lines, record.ofs, bytes, 0, &layouts.record, |_| true)?;
        if is_read {
            lines.nested(|lines| show_parts(file, layouts, record, lines))?;
        }
    }
    if records.len() > max_samples {
        writeln!(out, "{} of {} samples not shown", records.len() - max_samples, records.len())?;
    }
    Ok(())
}

fn show_parts(file: &[u8], layouts: &Layouts, record: &Record, lines: &mut Lines<'_>) -> fmt::Result {
    if let Some((ofs, packed)) = record.part(file, 0) {
        lines.at(ofs as u64).structure(format!("system part ({} bytes packed)", packed.len()))?;
        let mut system = Vec::new();
        match unpack(packed, layouts.system.len, &mut system) {
            Ok(()) => lines.nested(|lines| show_system(lines, ofs, &system, &layouts.system))?,
            Err(what) => lines.fault(what)?,
        }
    }
    if let Some((ofs, packed)) = record.part(file, 1) {
        lines.at(ofs as u64).structure(format!("task part ({} bytes packed)", packed.len()))?;
        let mut shown = Ok(());
        let mut number = 0;
        let unpacked =
            unpack_each(packed, layouts.task.len, record.num_tasks.min(MAX_TASKS) as usize, |task| {
                if shown.is_ok() {
                    shown = lines.nested(|lines| show_task(lines, ofs, task, number, &layouts.task));
                }
                number += 1;
            });
        shown?;
        unpacked.or_else(|what| lines.fault(what))?;
    }
    for (part, name) in [(2, "cgroup part"), (3, "pid part")] {
        if let Some((ofs, packed)) = record.part(file, part) {
            lines.at(ofs as u64).structure(format!("{name} ({} bytes packed)", packed.len()))?;
            let shown = if part == 2 {
                show_cgroups(lines, ofs, packed, record, layouts)
            } else {
                show_pids(lines, ofs, packed, record)
            };
            shown?;
        }
    }
    Ok(())
}

fn show_system(lines: &mut Lines<'_>, ofs: usize, system: &[u8], layout: &Layout) -> fmt::Result {
    show_fields(lines, ofs, system, 0, layout, |slot| slot.len_entry == 0)?;
    for (array, count) in ARRAYS {
        let prefix = format!("{array}.");
        let fields: Vec<(&str, Slot)> =
            layout.fields().filter(|(name, _)| name.starts_with(&prefix)).collect();
        let count =
            layout.slot("cpu.n_slots").filter(|_| *count == "cpu.n_cpus").or_else(|| layout.slot(count));
        let num = count.map_or(0, |slot| usize::try_from(slot.int(system, 0)).unwrap_or(0));
        let room = fields.first().map_or(0, |(_, slot)| slot.room);
        for entry in 0..num.min(room) {
            lines.at(ofs as u64).structure(format!("{array}[{entry}]"))?;
            for (name, slot) in &fields {
                show_field(lines, ofs, system, entry, name, *slot)?;
            }
        }
    }
    Ok(())
}

/// The arrays of the system structure, with the fields that count their entries.
const ARRAYS: &[(&str, &str)] = &[
    ("cpu.cpus", "cpu.n_cpus"),
    ("nic.nics", "nic.n"),
    ("numa_mem.nodes", "numa_mem.n"),
    ("numa_cpu.nodes", "numa_cpu.n"),
    ("disk.disks", "disk.n_disks"),
    ("disk.md", "disk.n_md"),
    ("disk.lvm", "disk.n_lvm"),
    ("nfs.mounts.mounts", "nfs.mounts.n"),
    ("containers.containers", "containers.n"),
    ("gpu.gpus", "gpu.n"),
    ("infiniband.ports", "infiniband.n"),
    ("llc.caches", "llc.n"),
];

fn show_task(lines: &mut Lines<'_>, ofs: usize, task: &[u8], number: usize, layout: &Layout) -> fmt::Result {
    lines.at(ofs as u64).structure(format!("task {number}"))?;
    for (name, slot) in layout.fields() {
        // Left-over memory.
        if !name.starts_with("gpu.") && name != "gen.cgroup_index" {
            show_field(lines, ofs, task, 0, name, slot)?;
        }
    }
    Ok(())
}

fn show_cgroups(
    lines: &mut Lines<'_>,
    ofs: usize,
    packed: &[u8],
    record: &Record,
    layouts: &Layouts,
) -> fmt::Result {
    let mut bytes = Vec::new();
    if let Err(what) = unpack(packed, record.len_cgroups as usize, &mut bytes) {
        return lines.fault(what);
    }
    let mut rest = bytes.as_slice();
    for number in 0..record.num_cgroups {
        let len = layouts.cgroup.slot("gen.length").map_or(0, |slot| slot.int(rest, 0));
        let len = usize::try_from(len).unwrap_or(0);
        let Some((cgroup, next)) = rest.split_at_checked(len).filter(|_| len >= layouts.cgroup.len) else {
            return lines.fault(format!("cgroup {number}: {len} bytes can't be one"));
        };
        lines.nested(|lines| {
            lines.at(ofs as u64).structure(format!("cgroup {number}"))?;
            show_fields(lines, ofs, cgroup, 0, &layouts.cgroup, |_| true)?;
            let name = cgroup.get(layouts.cgroup.len..).unwrap_or_default();
            let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
            lines.value(
                format!("+{} name", layouts.cgroup.len),
                0,
                format!("{:?}", String::from_utf8_lossy(name)),
            )
        })?;
        rest = next;
    }
    Ok(())
}

fn show_pids(lines: &mut Lines<'_>, ofs: usize, packed: &[u8], record: &Record) -> fmt::Result {
    let mut pids = String::new();
    let unpacked = unpack_each(packed, LEN_PID, record.num_pids as usize, |bytes| {
        let pid = bytes.try_into().map_or(0, i32::from_le_bytes);
        // Writing to a string can't fail.
        let _ = write!(pids, " {pid}");
    });
    match unpacked {
        Ok(()) => lines.at(ofs as u64).value("pids", 0, pids.trim_start()),
        Err(what) => lines.fault(what),
    }
}

fn show_fields(
    lines: &mut Lines<'_>,
    ofs: usize,
    structure: &[u8],
    entry: usize,
    layout: &Layout,
    is_shown: impl Fn(&Slot) -> bool,
) -> fmt::Result {
    for (name, slot) in layout.fields().filter(|(_, slot)| is_shown(slot)) {
        show_field(lines, ofs, structure, entry, name, slot)?;
    }
    Ok(())
}

fn show_field(
    lines: &mut Lines<'_>,
    ofs: usize,
    structure: &[u8],
    entry: usize,
    name: &str,
    slot: Slot,
) -> fmt::Result {
    let at = slot.ofs + entry * slot.len_entry;
    let name = format!("+{at} {name}");
    lines.at(ofs as u64);
    match slot.of {
        Type::Text(_) => lines.value(name, 0, format!("{:?}", slot.text(structure, entry))),
        Type::F32 => lines.value(name, 0, slot.float(structure, entry)),
        Type::C8 => {
            let byte = slot.int(structure, entry) as u8;
            if byte.is_ascii_graphic() {
                lines.value(name, 0, char::from(byte))
            } else {
                lines.value(name, 0, byte)
            }
        }
        _ if name.ends_with(" magic") || name.ends_with(" flags") || name.ends_with(" version") => {
            lines.value(name, 0, format!("{:#x}", slot.int(structure, entry)))
        }
        _ => lines.value(name, 0, slot.int(structure, entry)),
    }
}
