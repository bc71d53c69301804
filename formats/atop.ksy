meta:
  id: atop
  title: atop raw log, versions 2.3 to 2.13
  application: atop -w, recount
  license: MIT OR Apache-2.0
  ks-version: '0.11'
  encoding: UTF-8
  endian: le
doc: |
  A header and samples, whose parts are packed by zlib, each on its own. What is in the parts depends on the version: formats/atop.md
  has the structures.
doc-ref: formats/atop.md
seq:
  - id: header
    type: header
    size: 480
  - id: samples
    type: sample
    repeat: eos
types:
  header:
    doc-ref: formats/atop.md#file-header
    seq:
      - id: magic
        contents: [0xef, 0xbe, 0xed, 0xfe]
      - id: version
        type: u2
        doc: bits 8 to 14 are the first number, 0 to 7 the second
      - id: reserved
        size: 4
      - id: len_header
        type: u2
        valid: 480
      - id: len_record_header
        type: u2
        valid: 96
      - id: hertz
        type: u2
        doc: clock ticks per second; 0 stands for 100
      - id: num_pid_digits
        type: u2
      - id: reserved_2
        size: 10
      - id: len_system
        type: u4
      - id: len_task
        type: u4
      - id: system
        type: strz
        size: 65
      - id: host
        type: strz
        size: 65
      - id: release
        type: strz
        size: 65
      - id: kernel_version
        type: strz
        size: 65
      - id: machine
        type: strz
        size: 65
      - id: domain
        type: strz
        size: 65
      - id: reserved_3
        size: 10
      - id: page_size
        type: u4
        doc: bytes; 0 stands for 4096
      - id: support
        type: u4
      - id: kernel_major
        type: s4
      - id: kernel_minor
        type: s4
      - id: kernel_patch
        type: s4
      - id: len_cgroup
        type: s4
        doc: 0 before 2.11
    instances:
      minor:
        value: version & 0xff
  sample:
    doc-ref: formats/atop.md#record-header
    seq:
      - id: time
        type: s8
        doc: end of the interval, seconds since 1970, UTC
      - id: flags
        type: u2
        doc: 1 is a sample since boot
      - id: num_cgroups
        type: u2
      - id: reserved
        size: 4
      - id: len_system_part
        type: u4
      - id: len_task_part
        type: u4
      - id: interval
        type: u4
      - id: num_tasks
        type: u4
      - id: num_active
        type: u4
      - id: num_tasks_again
        type: u4
      - id: num_processes
        type: u4
      - id: num_running
        type: u4
      - id: num_sleeping
        type: u4
      - id: num_blocked
        type: u4
      - id: num_zombies
        type: u4
      - id: num_exited
        type: u4
      - id: overflow
        type: u4
      - id: num_idle
        type: u4
      - id: len_cgroup_part
        type: u4
      - id: len_cgroups
        type: u4
        doc: of the cgroup part, unpacked
      - id: num_pids
        type: u4
      - id: len_pid_part
        type: u4
      - id: reserved_2
        size: 8
      - id: system_part
        size: len_system_part
        doc: packed by zlib
      - id: task_part
        size: len_task_part
        doc: packed by zlib, structures of `len_task`
      - id: cgroup_part
        size: len_cgroup_part
        if: _root.header.minor >= 11
      - id: pid_part
        size: len_pid_part
        if: _root.header.minor >= 11
