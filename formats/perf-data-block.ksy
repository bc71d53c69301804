meta:
  id: perf_data_block
  title: Windows performance data block (PERF_DATA_BLOCK)
  application: RegQueryValueEx on HKEY_PERFORMANCE_DATA, Performance Monitor, recount
  file-extension: bin
  license: MIT OR Apache-2.0
  ks-version: '0.11'
  encoding: UTF-16LE
doc: |
  One sample of performance objects: a header, then objects, each with its counter definitions and, per
  instance, a definition and a counter block with the raw values. Integers have the byte order that the
  signature is written in. The stream may be longer than `body.len_total`.

  Offsets are relative to the structure that holds them. Names are given as bytes: they are UTF-16 in the
  block's byte order, or, for instances of objects with a code page, text in that code page.

  The raw value of counter `c` in a counter block has `c.len_value` bytes at `c.ofs_value - 4` of `values`.
doc-ref: formats/perf-data-block.md
-orig-id: PERF_DATA_BLOCK
seq:
  - id: signature
    -orig-id: Signature
    size: 8
    valid:
      any-of:
        - '[0x50, 0, 0x45, 0, 0x52, 0, 0x46, 0]'
        - '[0, 0x50, 0, 0x45, 0, 0x52, 0, 0x46]'
    doc: '"PERF" in UTF-16, in the block''s byte order'
  - id: body
    type: body
types:
  body:
    meta:
      endian:
        switch-on: _root.signature
        cases:
          '[0x50, 0, 0x45, 0, 0x52, 0, 0x46, 0]': le
          '[0, 0x50, 0, 0x45, 0, 0x52, 0, 0x46]': be
    doc: The header after the signature, and all that follows.
    doc-ref: formats/perf-data-block.md#header
    -orig-id: PERF_DATA_BLOCK
    seq:
      - id: little_endian
        -orig-id: LittleEndian
        type: u4
        doc: 1 if little endian, 0 if big endian; agrees with the signature
      - id: version
        -orig-id: Version
        type: u4
      - id: revision
        -orig-id: Revision
        type: u4
      - id: len_total
        -orig-id: TotalByteLength
        type: u4
        valid:
          min: 88
      - id: len_header
        -orig-id: HeaderLength
        type: u4
        valid:
          min: 88
          max: len_total
      - id: num_objects
        -orig-id: NumObjectTypes
        type: u4
      - id: default_object
        -orig-id: DefaultObject
        type: s4
      - id: system_time
        -orig-id: SystemTime
        type: system_time
      - id: padding
        type: u4
      - id: perf_time
        -orig-id: PerfTime
        type: s8
      - id: perf_freq
        -orig-id: PerfFreq
        type: s8
      - id: perf_time_100ns
        -orig-id: PerfTime100nSec
        type: s8
      - id: len_system_name
        -orig-id: SystemNameLength
        type: u4
      - id: ofs_system_name
        -orig-id: SystemNameOffset
        type: u4
    instances:
      system_name:
        pos: ofs_system_name
        size: len_system_name
        if: len_system_name != 0
        doc: UTF-16 in the block's byte order, with a NUL
      objects:
        pos: len_header
        type: perf_object
        repeat: expr
        repeat-expr: num_objects
    types:
      system_time:
        doc: A civil date and time.
        doc-ref: formats/perf-data-block.md#systemtime
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
      perf_object:
        doc: An object; the next one stands `len_total` bytes after its start.
        doc-ref: formats/perf-data-block.md#object
        -orig-id: PERF_OBJECT_TYPE
        seq:
          - id: len_total
            -orig-id: TotalByteLength
            type: u4
            valid:
              min: 64
          - id: content
            size: len_total - 4
            type: perf_object_content
      perf_object_content:
        doc: |
          An object after its TotalByteLength. This type's stream starts 4 bytes into the object, so its
          positions are 4 less than the offsets of the format.
        doc-ref: formats/perf-data-block.md#object
        -orig-id: PERF_OBJECT_TYPE
        seq:
          - id: len_definition
            -orig-id: DefinitionLength
            type: u4
            valid:
              min: 64
          - id: len_header
            -orig-id: HeaderLength
            type: u4
            valid:
              min: 64
              max: len_definition
          - id: name_index
            -orig-id: ObjectNameTitleIndex
            type: u4
          - id: name_title
            -orig-id: ObjectNameTitle
            type: u4
          - id: help_index
            -orig-id: ObjectHelpTitleIndex
            type: u4
          - id: help_title
            -orig-id: ObjectHelpTitle
            type: u4
          - id: detail_level
            -orig-id: DetailLevel
            type: u4
            enum: detail_level
          - id: num_counters
            -orig-id: NumCounters
            type: u4
          - id: default_counter
            -orig-id: DefaultCounter
            type: s4
          - id: num_instances
            -orig-id: NumInstances
            type: s4
            valid:
              min: -1
            doc: -1 for an object without instances
          - id: code_page
            -orig-id: CodePage
            type: u4
          - id: perf_time
            -orig-id: PerfTime
            type: s8
          - id: perf_freq
            -orig-id: PerfFreq
            type: s8
        instances:
          counters:
            pos: len_header - 4
            type: counter
            repeat: expr
            repeat-expr: num_counters
          counter_block:
            pos: len_definition - 4
            type: counter_block
            if: num_instances == -1
          instances:
            pos: len_definition - 4
            type: instance
            repeat: expr
            repeat-expr: num_instances
            if: num_instances > 0
      counter:
        doc: Defines one counter, or the base of the counter before.
        doc-ref: formats/perf-data-block.md#counter
        -orig-id: PERF_COUNTER_DEFINITION
        seq:
          - id: len
            -orig-id: ByteLength
            type: u4
            valid:
              min: 40
          - id: name_index
            -orig-id: CounterNameTitleIndex
            type: u4
          - id: name_title
            -orig-id: CounterNameTitle
            type: u4
          - id: help_index
            -orig-id: CounterHelpTitleIndex
            type: u4
          - id: help_title
            -orig-id: CounterHelpTitle
            type: u4
          - id: default_scale
            -orig-id: DefaultScale
            type: s4
          - id: detail_level
            -orig-id: DetailLevel
            type: u4
            enum: detail_level
          - id: counter_type
            -orig-id: CounterType
            type: u4
          - id: len_value
            -orig-id: CounterSize
            type: u4
          - id: ofs_value
            -orig-id: CounterOffset
            type: u4
            doc: from the start of the counter block, its ByteLength included
          - id: tail
            size: len - 40
      instance:
        doc: An instance and its raw values.
        doc-ref: formats/perf-data-block.md#instance
        -orig-id: PERF_INSTANCE_DEFINITION
        seq:
          - id: len
            -orig-id: ByteLength
            type: u4
            valid:
              min: 24
          - id: definition
            size: len - 4
            type: instance_definition
          - id: counter_block
            type: counter_block
      instance_definition:
        doc: |
          An instance's definition after its ByteLength. This type's stream starts 4 bytes into the
          definition, so its positions are 4 less than the offsets of the format.
        doc-ref: formats/perf-data-block.md#instance
        -orig-id: PERF_INSTANCE_DEFINITION
        seq:
          - id: parent_object_index
            -orig-id: ParentObjectTitleIndex
            type: u4
          - id: parent_instance
            -orig-id: ParentObjectInstance
            type: u4
          - id: unique_id
            -orig-id: UniqueID
            type: s4
          - id: ofs_name
            -orig-id: NameOffset
            type: u4
          - id: len_name
            -orig-id: NameLength
            type: u4
        instances:
          name:
            pos: ofs_name - 4
            size: len_name
            if: len_name != 0
      counter_block:
        doc: Raw values, where the counter definitions say.
        doc-ref: formats/perf-data-block.md#counter-block
        -orig-id: PERF_COUNTER_BLOCK
        seq:
          - id: len
            -orig-id: ByteLength
            type: u4
            valid:
              min: 4
          - id: values
            size: len - 4
    enums:
      detail_level:
        100:
          id: novice
          -orig-id: PERF_DETAIL_NOVICE
        200:
          id: advanced
          -orig-id: PERF_DETAIL_ADVANCED
        300:
          id: expert
          -orig-id: PERF_DETAIL_EXPERT
        400:
          id: wizard
          -orig-id: PERF_DETAIL_WIZARD
