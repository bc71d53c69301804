meta:
  id: blg
  title: Windows performance log (.blg)
  application: Performance Monitor, PDH, logman, relog, recount
  file-extension: blg
  license: MIT OR Apache-2.0
  ks-version: '0.11'
  imports:
    - perf-data-block
  encoding: UTF-16LE
  endian: le
doc: |
  A trace file (the container of `.etl`) whose events come from the performance counter logger. Its buffers
  hold events; the payload of an event, or of several joined, is a message: a name table, the counter list,
  a data block or the catalog.

  A message that fits one event is described to its last field. One that was cut in fragments has to be joined
  before it can be read, which is beyond a static description: its fragments are given as bytes. Once joined
  (blg.md#messages) they are a `data_block`, a `counter_list` or a `catalog` of this description.

  Unlike the readers of blg.md#damage, this doesn't skip damage: an impossible field ends the parsing.
doc-ref: formats/blg.md
seq:
  - id: buffers
    type: buffer
    size: 'len_buffer < _io.size - _io.pos ? len_buffer : _io.size - _io.pos'
    repeat: until
    repeat-until: _io.size - _io.pos < 72
    doc: The last one may be cut short.
  - id: torn
    size-eos: true
    doc: Less than the header of a buffer, in a file that was cut short; else empty
instances:
  len_buffer:
    -orig-id: BufferSize
    pos: 0
    type: u4
    valid:
      expr: _ >= 1024 and _ % 512 == 0
    doc: Bytes of every buffer of the file, as the first one states them
types:
  buffer:
    doc: A buffer, header included. What follows the bytes used is fill, mostly 0xFF.
    doc-ref: formats/blg.md#buffers
    -orig-id: WMI_BUFFER_HEADER
    seq:
      - id: header
        type: buffer_header
        size: 72
      - id: content
        size: len_events
        type:
          switch-on: header.is_compressed
          cases:
            false: events
      - id: fill
        size-eos: true
    instances:
      len_room:
        value: _io.size - 72
        doc: Bytes after the header
      len_stated:
        value: 'header.len_used < 72 ? 0 : header.len_used - 72'
        doc: Bytes of events by the header; none in a buffer that was never written
      len_events:
        value: 'len_stated < len_room ? len_stated : len_room'
  buffer_header:
    doc-ref: formats/blg.md#buffers
    -orig-id: WMI_BUFFER_HEADER
    seq:
      - id: len_buffer
        -orig-id: BufferSize
        type: u4
      - id: ofs_saved
        -orig-id: SavedOffset
        type: u4
        doc: Mostly equal to `len_used`; not to be relied on
      - id: ofs_current
        -orig-id: CurrentOffset
        type: u4
        doc: May lie after the end of the buffer; not to be relied on
      - id: num_references
        -orig-id: ReferenceCount
        type: s4
      - id: flush_time
        -orig-id: FlushTime
        type: s8
        doc: FILETIME, UTC; 0 if unknown
      - id: sequence
        -orig-id: SequenceNumber
        type: s8
      - id: clock
        -orig-id: ClockType, Frequency
        type: u8
      - id: processor
        -orig-id: ProcessorNumber, Alignment
        type: u2
        doc: 'The low byte is the processor and the high byte the alignment, unless `has_processor_index`'
      - id: logger_id
        -orig-id: LoggerId
        type: u2
      - id: state
        -orig-id: State
        type: u4
      - id: len_used
        -orig-id: FilledBytes
        type: u4
        doc: Bytes used, this header included
      - id: flags
        -orig-id: Flags
        type: u2
      - id: buffer_type
        -orig-id: BufferType
        type: u2
        enum: buffer_type
      - id: left_over
        size: 16
        doc: Pointers of the process that wrote the buffer
    instances:
      is_flush_marker:
        value: flags & 0x01 != 0
      has_processor_index:
        value: flags & 0x20 != 0
      is_compressed:
        value: flags & 0x40 != 0
  events:
    seq:
      - id: event
        type: event
        repeat: until
        repeat-until: _io.size - _io.pos < 8
        if: _io.size >= 8
      - id: rest
        size-eos: true
  event:
    doc: An event with the padding that brings the next one to a multiple of 8 bytes.
    doc-ref: formats/blg.md#events
    seq:
      - id: first_word
        type: u2
        doc: Size of a full event; version of a system event
      - id: header_type
        type: u1
        enum: header_type
      - id: marker
        type: u1
        valid:
          expr: _ & 0x80 != 0
      - id: body
        type:
          switch-on: is_system
          cases:
            true: system_event
            false: plain_event
      - id: padding
        size: 'len_padding < _io.size - _io.pos ? len_padding : _io.size - _io.pos'
        doc: Stale bytes
    instances:
      is_system:
        value: >-
          (header_type.to_i >= 0x01 and header_type.to_i <= 0x04)
          or header_type.to_i == 0x10 or header_type.to_i == 0x11
      is_full:
        value: header_type == header_type::full_32 or header_type == header_type::full_64
      len_padding:
        value: (8 - _io.pos % 8) % 8
  plain_event:
    doc: Any event but a system event, from its fifth byte on.
    doc-ref: formats/blg.md#full-event-header
    seq:
      - id: content
        size: len_event - 4
        type:
          switch-on: _parent.is_full and len_event >= 48
          cases:
            true: full_event
    instances:
      len_event:
        -orig-id: Size
        value: _parent.first_word
  full_event:
    doc: A full event from its fifth byte on.
    doc-ref: formats/blg.md#full-event-header
    -orig-id: EVENT_TRACE_HEADER
    seq:
      - id: message_type
        -orig-id: Class.Type
        type: u1
        enum: message_type
      - id: level
        -orig-id: Class.Level
        type: u1
      - id: version
        -orig-id: Class.Version
        type: u2
      - id: thread
        -orig-id: ThreadId
        type: u4
      - id: process
        -orig-id: ProcessId
        type: u4
      - id: time
        -orig-id: TimeStamp
        type: s8
        doc: FILETIME in local time
      - id: provider
        -orig-id: Guid
        size: 16
      - id: processor_time
        -orig-id: ProcessorTime
        type: u8
      - id: content
        size-eos: true
        type:
          switch-on: is_pdh
          cases:
            true: pdh_event(message_type.to_i)
    instances:
      is_pdh:
        value: >-
          provider == [0xb3, 0x3b, 0x3f, 0x93, 0x3e, 0x94, 0x0d, 0x49,
          0x9c, 0xed, 0x3c, 0xbb, 0x14, 0xc1, 0x44, 0x79]
          and _io.size >= 68
        doc: 'Provider {933F3BB3-943E-490D-9CED-3CBB14C14479}, and room for the prefix'
  pdh_event:
    doc: The prefix of all events of the performance counter provider, and the payload.
    doc-ref: formats/blg.md#pdh-prefix
    params:
      - id: message_type
        type: u1
    seq:
      - id: log
        size: 16
        doc: GUID of the log
      - id: fragment
        type: u4
        doc: Number of this fragment, from 1
      - id: num_fragments
        type: u4
      - id: payload
        size-eos: true
        type:
          switch-on: 'is_whole ? message_type : 0'
          cases:
            0x20: counter_list
            0x22: data_block
            0x23: catalog
            0x24: name_table
    instances:
      is_whole:
        value: fragment == 1 and num_fragments == 1
  system_event:
    doc: A system event from its fifth byte on.
    doc-ref: formats/blg.md#trace-header
    -orig-id: SYSTEM_TRACE_HEADER
    seq:
      - id: len_event
        -orig-id: Packet.Size
        type: u2
        valid:
          min: 16
      - id: hook
        -orig-id: Packet.Type, Packet.Group
        type: u2
      - id: content
        size: len_event - 8
        type:
          switch-on: is_trace_header
          cases:
            true: trace_event
    instances:
      is_trace_header:
        value: hook == 0 and _parent.header_type.to_i <= 2 and len_event >= 32
  trace_event:
    doc: The event that holds the logfile header, from its ninth byte on.
    doc-ref: formats/blg.md#trace-header
    -orig-id: SYSTEM_TRACE_HEADER
    seq:
      - id: thread
        -orig-id: ThreadId
        type: u4
      - id: process
        -orig-id: ProcessId
        type: u4
      - id: time
        -orig-id: SystemTime
        type: s8
        doc: FILETIME, UTC
      - id: processor_time
        -orig-id: KernelTime, UserTime
        type: u8
      - id: header
        size-eos: true
        type: trace_header
  trace_header:
    doc: What the trace session says about itself and its machine. Times are UTC.
    doc-ref: formats/blg.md#trace-header
    -orig-id: TRACE_LOGFILE_HEADER
    seq:
      - id: len_buffer
        -orig-id: BufferSize
        type: u4
      - id: os_version
        -orig-id: VersionDetail
        size: 4
        doc: Major, minor, and two further bytes
      - id: os_build
        -orig-id: ProviderVersion
        type: u4
      - id: num_processors
        -orig-id: NumberOfProcessors
        type: u4
      - id: end_time
        -orig-id: EndTime
        type: s8
      - id: timer_resolution
        -orig-id: TimerResolution
        type: u4
        doc: In 100 ns
      - id: max_size_mb
        -orig-id: MaximumFileSize
        type: u4
        doc: In MB; 0 for none
      - id: mode
        -orig-id: LogFileMode
        type: u4
      - id: num_buffers
        -orig-id: BuffersWritten
        type: u4
      - id: num_start_buffers
        -orig-id: StartBuffers
        type: u4
      - id: len_pointer
        -orig-id: PointerSize
        type: u4
      - id: num_events_lost
        -orig-id: EventsLost
        type: u4
      - id: cpu_mhz
        -orig-id: CpuSpeedInMHz
        type: u4
      - id: pointers
        -orig-id: LoggerName, LogFileName
        size: 'len_pointer == 8 ? 16 : 8'
        doc: Two pointers of the process that wrote the file
      - id: time_zone
        -orig-id: TimeZone
        type: time_zone
      - id: padding
        size: (8 - _io.pos % 8) % 8
      - id: boot_time
        -orig-id: BootTime
        type: s8
      - id: perf_freq
        -orig-id: PerfFreq
        type: s8
        doc: In Hz
      - id: start_time
        -orig-id: StartTime
        type: s8
      - id: clock_type
        -orig-id: ReservedFlags
        type: u4
      - id: num_buffers_lost
        -orig-id: BuffersLost
        type: u4
      - id: logger_name
        type: strz
        eos-error: false
      - id: file_name
        type: strz
        eos-error: false
    instances:
      is_circular:
        value: mode & 0x2 != 0
  time_zone:
    doc-ref: formats/blg.md#time-zone
    -orig-id: TIME_ZONE_INFORMATION
    seq:
      - id: bias
        -orig-id: Bias
        type: s4
        doc: UTC minus local, in minutes
      - id: standard_name
        -orig-id: StandardName
        type: strz
        size: 64
      - id: standard_date
        -orig-id: StandardDate
        type: system_time
      - id: standard_bias
        -orig-id: StandardBias
        type: s4
      - id: daylight_name
        -orig-id: DaylightName
        type: strz
        size: 64
      - id: daylight_date
        -orig-id: DaylightDate
        type: system_time
      - id: daylight_bias
        -orig-id: DaylightBias
        type: s4
  system_time:
    doc: A date, or with year 0 a rule; `day` is then the occurrence of the weekday in the month, 5 the last.
    doc-ref: formats/blg.md#time-zone
    -orig-id: SYSTEMTIME
    seq:
      - id: year
        -orig-id: wYear
        type: u2
      - id: month
        -orig-id: wMonth
        type: u2
      - id: day_of_week
        -orig-id: wDayOfWeek
        type: u2
      - id: day
        -orig-id: wDay
        type: u2
      - id: hour
        -orig-id: wHour
        type: u2
      - id: minute
        -orig-id: wMinute
        type: u2
      - id: second
        -orig-id: wSecond
        type: u2
      - id: milliseconds
        -orig-id: wMilliseconds
        type: u2
  name_table:
    doc: Names of one machine's objects and counters, by index.
    doc-ref: formats/blg.md#name-table
    seq:
      - id: machine
        type: strz
      - id: names
        type: indexed_name
        repeat: eos
  indexed_name:
    doc-ref: formats/blg.md#name-table
    seq:
      - id: index
        type: strz
        doc: In decimal digits
      - id: name
        type: strz
  counter_list:
    doc: What the records of the data blocks that follow hold, by position.
    doc-ref: formats/blg.md#counter-list
    seq:
      - id: version
        type: u4
      - id: log_type
        type: u4
      - id: entries
        type: list_entry
        repeat: eos
  list_entry:
    doc-ref: formats/blg.md#counter-list-entry
    seq:
      - id: len_entry
        type: u4
        valid:
          min: 52
      - id: content
        size: len_entry - 4
        type: list_entry_content
  list_entry_content:
    doc: An entry from its fifth byte on. Its strings start 48 bytes into this type's stream.
    doc-ref: formats/blg.md#counter-list-entry
    seq:
      - id: kind
        type: u4
        doc: 0 for one value, 1 for a wildcard over instances, 0x10 for a whole object
      - id: reserved
        type: u4
      - id: counter_type
        type: u4
      - id: time_base
        type: u8
        doc: Ticks per second
      - id: default_scale
        type: s4
        doc: Power of ten
      - id: ofs_machine
        type: u4
      - id: ofs_object
        type: u4
      - id: ofs_instance
        type: u4
      - id: ofs_parent
        type: u4
      - id: instance_index
        type: u4
      - id: ofs_counter
        type: u4
    instances:
      machine:
        pos: 48 + ofs_machine
        type: strz
        if: ofs_machine != 0xffffffff
      object:
        pos: 48 + ofs_object
        type: strz
        if: ofs_object != 0xffffffff
      instance:
        pos: 48 + ofs_instance
        type: strz
        if: ofs_instance != 0xffffffff
      parent:
        pos: 48 + ofs_parent
        type: strz
        if: ofs_parent != 0xffffffff
      counter:
        pos: 48 + ofs_counter
        type: strz
        if: ofs_counter != 0xffffffff
  data_block:
    doc: One sample, an outer record of kind 0 around a record per entry of the counter list.
    doc-ref: formats/blg.md#data-block
    seq:
      - id: head
        type: record_head
      - id: content
        size: head.len_record - 8
        type: records
  records:
    doc-ref: formats/blg.md#data-block
    seq:
      - id: records
        type: record
        repeat: eos
  record_head:
    doc-ref: formats/blg.md#data-block
    seq:
      - id: signature
        contents: BL
      - id: reserved
        type: u1
      - id: kind
        type: u1
        enum: record_kind
      - id: len_record
        type: u4
        valid:
          min: 8
        doc: This head included
  record:
    doc-ref: formats/blg.md#data-block
    seq:
      - id: head
        type: record_head
      - id: content
        size: head.len_record - 8
        type:
          switch-on: head.kind
          cases:
            'record_kind::single': single
            'record_kind::instances': instances
            'record_kind::object': perf_data_block
  single:
    doc: One raw value.
    doc-ref: formats/blg.md#single-value
    -orig-id: PDH_RAW_COUNTER
    seq:
      - id: status
        -orig-id: CStatus
        type: u4
      - id: time
        -orig-id: TimeStamp
        type: s8
        doc: FILETIME in local time
      - id: padding
        type: u4
      - id: first_value
        -orig-id: FirstValue
        type: u8
      - id: second_value
        -orig-id: SecondValue
        type: u8
      - id: multi_count
        -orig-id: MultiCount
        type: u4
      - id: padding_end
        type: u4
  instances:
    doc: One counter of many instances.
    doc-ref: formats/blg.md#instances
    seq:
      - id: len_rest
        type: u4
        doc: Bytes from this field on to the end of the record
      - id: num_instances
        type: u4
      - id: status
        type: u4
      - id: reserved
        type: u4
      - id: time
        type: s8
        doc: FILETIME in local time
      - id: items
        type: item
        repeat: expr
        repeat-expr: num_instances
  item:
    doc: The raw value of one instance.
    doc-ref: formats/blg.md#instances
    seq:
      - id: ofs_name
        type: u4
        doc: From `len_rest` of the record on
      - id: reserved
        type: u4
      - id: first_value
        type: u8
      - id: second_value
        type: u8
    instances:
      name:
        pos: ofs_name
        type: strz
  catalog:
    doc: Summary at the end of a log of whole objects.
    doc-ref: formats/blg.md#catalog
    seq:
      - id: first_time
        type: s8
        doc: FILETIME in local time
      - id: last_time
        type: s8
        doc: FILETIME in local time
      - id: num_blocks
        type: u4
      - id: num_records
        type: u4
      - id: len_catalog
        type: u4
      - id: version
        type: u4
      - id: records
        type: catalog_record
        repeat: expr
        repeat-expr: num_records
  catalog_record:
    doc-ref: formats/blg.md#catalog
    seq:
      - id: head
        type: record_head
      - id: content
        size: head.len_record - 8
        type:
          switch-on: head.kind
          cases:
            'record_kind::object': catalog_object
  catalog_object:
    doc: An object's counters, and all instances it ever had in the log.
    doc-ref: formats/blg.md#catalog
    seq:
      - id: num_instances
        type: s4
        doc: -1 for an object without instances
      - id: num_counters
        type: u4
      - id: name_indexes
        type: u4
        repeat: expr
        repeat-expr: num_counters
      - id: counter_types
        type: u4
        repeat: expr
        repeat-expr: num_counters
      - id: time_bases
        type: u8
        repeat: expr
        repeat-expr: num_counters
      - id: default_scales
        type: s4
        repeat: expr
        repeat-expr: num_counters
      - id: padding
        size: (8 - _io.pos % 8) % 8
      - id: instances
        type: catalog_instance
        repeat: expr
        repeat-expr: 'num_instances < 0 ? 0 : num_instances'
      - id: names
        size-eos: true
        type: string_area
  catalog_instance:
    doc-ref: formats/blg.md#catalog
    seq:
      - id: ofs_name
        type: u4
        doc: From the end of the array of instances on
      - id: number
        type: u4
        doc: Occurrence number among equal names
      - id: reserved
        type: s4
        repeat: expr
        repeat-expr: 2
    instances:
      name:
        io: _parent.names._io
        pos: ofs_name
        type: strz
  string_area:
    doc: Bytes that offsets point into.
enums:
  buffer_type:
    0: ordinary
    4: header
  header_type:
    0x01:
      id: system_32
      -orig-id: TRACE_HEADER_TYPE_SYSTEM32
    0x02:
      id: system_64
      -orig-id: TRACE_HEADER_TYPE_SYSTEM64
    0x0a:
      id: full_32
      -orig-id: TRACE_HEADER_TYPE_FULL_HEADER32
    0x14:
      id: full_64
      -orig-id: TRACE_HEADER_TYPE_FULL_HEADER64
  message_type:
    0x20: counter_list
    0x22: data_block
    0x23: catalog
    0x24: name_table
  record_kind:
    0x00: outer
    0x01: single
    0x02: instances
    0x05: object
