//! `sysstat.sa`, `sysstat-be.sa` and `sysstat-rhel6.sa`: what sadc writes today on a PC, what it wrote in 2013 on a machine of 32
//! bits whose numbers are big-endian, and what it wrote on RHEL 6.

use recount_bytes::ByteOrder;

use crate::other_logs::sa::{CREATED, Entry, Writer};

const CPU: Entry = (1, 0x8b, 3, true, 80, [10, 0, 0]);
const SWITCHES: Entry = (2, 0x8b, 1, false, 16, [1, 1, 0]);
const MEMORY: Entry = (7, 0x8b, 1, false, 136, [17, 0, 0]);
const DISKS: Entry = (11, 0x8c, 1, true, 80, [3, 3, 8]);
const INTERFACES: Entry = (12, 0x8d, 1, true, 80, [7, 0, 1]);
const TEMPERATURES: Entry = (32, 0x8a, 1, true, 44, [3, 0, 0]);

/// Samples, of which the machine boots after so many.
const NUM_SAMPLES: u64 = 8;
const NUM_BEFORE_BOOT: u64 = 5;
const INTERVAL_S: u64 = 10;

/// A sample every 10 s. CPU 1 is off in sample 2, a USB disk is there in samples 1 to 3, a comment follows sample 2, and the
/// machine is restarted after sample 4.
pub(crate) fn today() -> Vec<u8> {
    let entries = [CPU, SWITCHES, MEMORY, DISKS, INTERFACES, TEMPERATURES];
    let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &entries);
    for k in 0..NUM_SAMPLES {
        if k == NUM_BEFORE_BOOT {
            writer.restart(k * INTERVAL_S * 100 - 500);
        }
        put_sample(&mut writer, k);
        if k == 2 {
            writer.comment(2_200, "deployed 4.2");
        }
    }
    writer.bytes.all
}

fn put_sample(writer: &mut Writer, k: u64) {
    let is_booted = k >= NUM_BEFORE_BOOT;
    // Intervals that the machine has been up.
    let step = if is_booted { k - NUM_BEFORE_BOOT + 1 } else { 100 + k };
    let bytes = writer.record_at(1, step * INTERVAL_S * 100, CREATED + k * INTERVAL_S);
    // While it is off, a CPU doesn't count.
    let step_1 = if k > 2 && !is_booted { step - 1 } else { step };
    let one = [400 * step, 0, 100 * step, 500 * step, 0];
    let other = if k == 2 { [0; 5] } else { [100 * step_1, 0, 0, 850 * step_1, 50 * step_1] };
    bytes.put(3_u32);
    for ticks in [[0, 1, 2, 3, 4].map(|at| one[at] + other[at]), one, other] {
        bytes.quads(&ticks).quads(&[0; 5]);
    }
    bytes.quads(&[5_000 * step]).longs(&[20 * step]);
    let (free, buffers, cached, total) = (2_000_000 - 1_000 * k, 50_000, 1_500_000, 8_000_000);
    let (swap_free, swap_total) = (750_000, 1_000_000);
    bytes.quads(&[free, buffers, cached, total, swap_free, swap_total, 0, 4_500_000]);
    bytes.quads(&[3_000_000, 1_000_000, 200 + k, 2_500_000, 400_000, 10_000, 30_000, 40_000]);
    bytes.quads(&[3_600_000 - 1_000 * k]);
    let has_usb = (1..=3).contains(&k);
    bytes.put(1 + u32::from(has_usb));
    bytes.quads(&[50 * step, 0, 0]).longs(&[400 * step, 1_200 * step, 0]);
    bytes.words(&[100, 300, 250, 400].map(|ms| ms * step as u32)).words(&[8, 0, 0, 0]);
    if has_usb {
        bytes.quads(&[10 * k, 0, 0]).longs(&[80 * k, 0, 0]).words(&[
            20 * k as u32,
            0,
            20 * k as u32,
            20 * k as u32,
        ]);
        bytes.words(&[8, 16, 0, 0]);
    }
    bytes.put(1_u32).quads(&[1_000 * step, 500 * step, 1_024_000 * step, 102_400 * step, 0, 0, 3 * step]);
    let (speed_mbit, full_duplex) = (1_000_u32, 2_u8);
    bytes.put(speed_mbit).text("eth0", 16).put([full_duplex]).text("", 3);
    bytes.put(1_u32).quads(&[45.5 + k as f64, -10.0, 90.0].map(f64::to_bits)).text("coretemp-isa-0000", 20);
}

const OLD_CPU: Entry = (1, 0x8a, 2, false, 160, [0; 3]);
const OLD_SWITCHES: Entry = (2, 0x8a, 1, false, 32, [0; 3]);
const OLD_MEMORY: Entry = (7, 0x8a, 1, false, 80, [0; 3]);
const OLD_QUEUE: Entry = (9, 0x8b, 1, false, 32, [0; 3]);
const OLD_INTERFACES: Entry = (12, 0x8a, 2, false, 72, [0; 3]);

/// A sample every 10 minutes. Received bytes are beyond 32 bits after sample 2. The second interface is an unused slot.
pub(crate) fn big_endian() -> Vec<u8> {
    const INTERVAL_CS: u64 = 60_000;
    let entries = [OLD_CPU, OLD_SWITCHES, OLD_MEMORY, OLD_QUEUE, OLD_INTERFACES];
    let mut writer = Writer::new(0x2173, ByteOrder::Big, 4, &entries);
    for k in 0..6 {
        let bytes = writer.record(1, INTERVAL_CS * k);
        // User, system and idle ticks, of all CPUs and of the only one; in slots of 16 bytes.
        let step = k + 2;
        for _ in 0..2 {
            for ticks in [24_000 * step, 0, 6_000 * step, 30_000 * step, 0, 0, 0, 0, 0, 0] {
                bytes.quads(&[ticks, 0]);
            }
        }
        bytes.quads(&[120_000 * k, 0]).longs(&[600 * k, 0]);
        bytes.longs(&[64_000, 4_000, 32_000, 256_000, 60_000, 128_000, 0, 90_000, 100_000, 50_000]);
        bytes.longs(&[2, 1]).words(&[150, 75, 25, 80]);
        let received = 0xFFFF_FFFF - 13_000_000 + 6_144_000 * k;
        bytes.longs(&[6_000 * k, 3_000 * k, received, 614_400 * k, 0, 0, 0]).text("eth0", 16);
        bytes.longs(&[0; 7]).text("", 16);
    }
    writer.comment(INTERVAL_CS * 5 + 100, "disk ordered");
    writer.bytes.all
}

const EARLY_CPU: Entry = (1, 0, 2, false, 144, [0; 3]);
const EARLY_SWITCHES: Entry = (2, 0, 1, false, 32, [0; 3]);
const EARLY_PAGES: Entry = (5, 0, 1, false, 64, [0; 3]);
const EARLY_SUMS: Entry = (6, 0, 1, false, 80, [0; 3]);
const EARLY_MEMORY: Entry = (7, 0, 1, false, 64, [0; 3]);
const EARLY_DISKS: Entry = (11, 0, 3, false, 80, [0; 3]);
const EARLY_INTERFACES: Entry = (12, 0, 2, false, 72, [0; 3]);

/// A sample every 10 minutes. After sample 3 the machine boots without a record of it, and counts faster from then on, so that
/// its uptime and its context switches are higher in sample 4. The first disk is removed after sample 1 and leaves a free slot;
/// the other one's milliseconds of reading pass 2^32 after sample 0.
pub(crate) fn rhel6() -> Vec<u8> {
    const INTERVAL_CS: u64 = 60_000;
    const NUM_BEFORE_BOOT: u64 = 4;
    let entries =
        [EARLY_CPU, EARLY_SWITCHES, EARLY_PAGES, EARLY_SUMS, EARLY_MEMORY, EARLY_DISKS, EARLY_INTERFACES];
    let mut writer = Writer::new(0x1170, ByteOrder::Little, 8, &entries);
    for k in 0..7 {
        let is_booted = k >= NUM_BEFORE_BOOT;
        let step = if is_booted { k - NUM_BEFORE_BOOT + 1 } else { 10 + k };
        let uptime_cs = if is_booted { 800_000 + INTERVAL_CS * k } else { 600_000 + INTERVAL_CS * k };
        let bytes = writer.record_at(1, uptime_cs, CREATED + 600 * k);
        for _ in 0..2 {
            for ticks in [24_000 * step, 0, 6_000 * step, 27_000 * step, 3_000 * step, 0, 0, 0, 0] {
                bytes.quads(&[ticks, 0]);
            }
        }
        let switches = if is_booted { 9_000_000 + 120_000 * k } else { 1_200_000 + 60_000 * k };
        bytes.quads(&[switches, 0]).longs(&[600 * step, 0]);
        bytes.longs(&[1_200 * step, 6_000 * step, 30_000 * step, 0, 18_000 * step, 0, 0, 0]);
        bytes.quads(&[3_000 * step, 0, 600 * step, 0, 2_400 * step, 0, 2_400 * step, 0, 12_000 * step, 0]);
        bytes.longs(&[2_000_000, 100_000, 900_000, 4_000_000, 1_000_000, 1_000_000, 0, 1_500_000]);
        if k < 2 {
            bytes
                .quads(&[1_200 * step, 0, 0, 0, 60 * step, 120 * step, 0, 60 * step, 120 * step])
                .words(&[8, 16]);
        } else {
            bytes.quads(&[0; 10]);
        }
        let reading = (0xFFFF_FFFF - 12_000 + 1_200 * step) & 0xFFFF_FFFF;
        bytes.quads(&[2_400 * step, 0, 12_000 * step, 0, 3_000 * step]);
        bytes.quads(&[reading, 4_800 * step, 3_000 * step, 6_000 * step]).words(&[253, 0]);
        bytes.quads(&[0; 10]);
        bytes
            .longs(&[6_000 * step, 3_000 * step, 6_144_000 * step, 614_400 * step, 0, 0, 0])
            .text("eth0", 16);
        bytes.longs(&[0; 7]).text("", 16);
    }
    writer.bytes.all
}
