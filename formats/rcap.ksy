meta:
  id: rcap
  title: recount capture log (.rcap)
  application: recount
  file-extension: rcap
  license: MIT OR Apache-2.0
  ks-version: '0.11'
  encoding: UTF-8
  endian: le
doc: |
  A log of performance data: frames, one after the other. Records stand in frames of their own until they are
  sealed, many of them, into a chunk.

  What is compressed by zstd is given as bytes. Once decompressed it is one of the types `text_table`,
  `record_table`, `section_structure`, `index_table`, or, for the columns of a section, for each class in turn
  `class_moves`, `class_forms` and `column_planes`: what their parameters are, and how records come of them, is
  beyond a static description and stands in rcap.md#decoding.

  This describes a log whose every frame is whole. After damage or an interrupted recording, look for the next
  sound `frame` as rcap.md#scanning says.
doc-ref: formats/rcap.md
seq:
  - id: frames
    type: frame
    repeat: eos
types:
  frame:
    doc-ref: formats/rcap.md#frames
    seq:
      - id: magic
        contents: [0x8d, RCF]
      - id: tag
        type: u4
        doc: The first four bytes of the capture's id, in all frames of a file
      - id: kind
        type: u2
        enum: frame_kind
        doc: From 0x8000 on private
      - id: version
        type: u2
      - id: len_payload
        type: u4
        valid:
          max: 0x20000000
      - id: crc_head
        type: u4
        doc: CRC-32C of the 16 bytes before
      - id: payload
        size: len_payload
        type:
          switch-on: described_kind
          cases:
            1: header
            2: facts
            3: texts
            4: record
            5: chunk
            6: index
      - id: crc_payload
        type: u4
        doc: CRC-32C of the payload
      - id: len_frame
        type: u4
        valid: len_payload + 28
        doc: Bytes from `magic` to here; at the end so that frames can be walked backwards
    instances:
      described_kind:
        value: '(version == 1 or (version == 2 and kind == frame_kind::chunk)) ? kind.to_i : 0'
        doc: 0 for what this description doesn't know, whose payload is given as bytes
  text:
    doc-ref: formats/rcap.md#conventions
    seq:
      - id: len_text
        type: u4
      - id: text
        type: str
        size: len_text
  header:
    doc: The file as a whole.
    doc-ref: formats/rcap.md#header
    seq:
      - id: capture_id
        size: 16
      - id: time_created
        type: s8
        doc: FILETIME, UTC
      - id: writer
        type: text
  facts:
    doc: About machine and recording. Each such frame replaces those before it.
    doc-ref: formats/rcap.md#facts
    seq:
      - id: num_facts
        type: u4
      - id: facts
        type: fact
        repeat: expr
        repeat-expr: num_facts
  fact:
    seq:
      - id: name
        type: text
      - id: value
        type: text
  texts:
    doc: Names and help texts of a language. Each such frame adds to those before it.
    doc-ref: formats/rcap.md#texts
    seq:
      - id: language
        type: text
        doc: 009 is English
      - id: num_texts
        type: u4
      - id: len_texts
        type: u4
        valid:
          max: 0x4000000
        doc: Bytes of the table, decompressed
      - id: texts_compressed
        size-eos: true
        doc: zstd; a `text_table`
  text_table:
    doc-ref: formats/rcap.md#texts
    params:
      - id: num_texts
        type: u4
    seq:
      - id: texts
        type: indexed_text
        repeat: expr
        repeat-expr: num_texts
  indexed_text:
    seq:
      - id: index
        type: u4
        doc: Name index
      - id: text
        type: text
  record:
    doc: One record, not sealed yet.
    doc-ref: formats/rcap.md#record
    seq:
      - id: number
        type: u8
        doc: Counts the records of the capture, from 0
      - id: time
        type: s8
        doc: FILETIME, UTC
      - id: kind
        type: u2
        enum: record_kind
        doc: From 0x8000 on private
      - id: reserved
        size: 6
      - id: record
        size-eos: true
        doc: For kind 1 a PERF_DATA_BLOCK (perf-data-block.ksy), for kind 2 an `event`, for kinds 4, 5 and 6 a message (ms-pcq.ksy), for 7 and 8 `processes`
  event:
    doc: Something that happened while recording; when, is the record's time.
    doc-ref: formats/rcap.md#event
    seq:
      - id: event_kind
        type: u2
        enum: event_kind
      - id: reserved
        size: 6
      - id: extent
        type: s8
        doc: 100 ns
      - id: count
        type: u8
      - id: text
        type: text
  processes:
    doc: Who processes are (kind 7), or how they ended (kind 8).
    doc-ref: formats/rcap.md#processes
    params:
      - id: kind
        type: u2
        enum: record_kind
    seq:
      - id: dictionary
        type: u4
        doc: Which dictionary the numbers of texts refer to
      - id: first_text
        type: u4
        valid:
          max: 0x10000
      - id: num_texts
        type: u4
      - id: texts
        type: text
        repeat: expr
        repeat-expr: num_texts
      - id: num_entries
        type: u4
      - id: entries
        type: process_entry(kind)
        repeat: expr
        repeat-expr: num_entries
  process_entry:
    doc-ref: formats/rcap.md#processes
    params:
      - id: kind
        type: u2
        enum: record_kind
    seq:
      - id: len_entry
        type: u4
      - id: entry
        size: len_entry
        type:
          switch-on: kind
          cases:
            record_kind::processes: described_process
            record_kind::ended_processes: ended_process
  described_process:
    doc: Texts are numbers in the dictionary, 0xFFFFFFFF for none.
    doc-ref: formats/rcap.md#processes
    seq:
      - id: pid
        type: u4
      - id: parent
        type: u4
      - id: start
        type: s8
        doc: FILETIME, UTC
      - id: name
        type: u4
      - id: executable
        type: u4
      - id: user_id
        type: u4
      - id: user
        type: u4
      - id: cgroup
        type: u4
      - id: container_name
        type: u4
      - id: session
        type: u4
      - id: scheduling_class
        type: u4
      - id: flags
        type: u4
        doc: 'Bit 0: the end of the command line is missing'
      - id: num_words
        type: u4
      - id: words
        type: text
        repeat: expr
        repeat-expr: num_words
  ended_process:
    doc-ref: formats/rcap.md#processes
    seq:
      - id: pid
        type: u4
      - id: parent
        type: u4
      - id: start
        type: s8
      - id: end
        type: s8
      - id: name
        type: u4
      - id: user_id
        type: u4
      - id: user
        type: u4
      - id: cgroup
        type: u4
      - id: user_time
        type: u8
        doc: 100 ns
      - id: privileged_time
        type: u8
      - id: len_read
        type: u8
      - id: len_written
        type: u8
      - id: len_storage_read
        type: u8
      - id: len_storage_written
        type: u8
      - id: peak_memory
        type: u8
        doc: Bytes; 0 if not known
      - id: count
        type: u8
        doc: How many processes this is
      - id: exit_status
        type: u4
      - id: reserved
        type: u4
  chunk:
    doc: Many records, sealed.
    doc-ref: formats/rcap.md#chunk
    seq:
      - id: number_first
        type: u8
        doc: Number of the first record; the others count on
      - id: time_min
        type: s8
      - id: time_max
        type: s8
      - id: len_raw
        type: u8
        doc: Bytes of all records
      - id: num_records
        type: u4
        valid:
          max: 0x100000
      - id: num_sections
        type: u4
        valid:
          max: 0x10000
      - id: len_table
        type: u4
        doc: Bytes of the record table, compressed
      - id: len_table_raw
        type: u4
        doc: The same, decompressed
      - id: crc_table
        type: u4
        doc: CRC-32C of the record table's bytes in the file
      - id: sections
        type: section_entry
        repeat: expr
        repeat-expr: num_sections
      - id: crc_head
        type: u4
        doc: CRC-32C of all before
      - id: table_compressed
        size: len_table
        doc: zstd; a `record_table`
      - id: bodies
        type: section_body(sections[_index].len_structure, sections[_index].len_columns)
        repeat: expr
        repeat-expr: num_sections
  section_entry:
    doc: What a section is and how long.
    doc-ref: formats/rcap.md#chunk
    seq:
      - id: section
        type: u4
        doc: Name index of the object; 0xFFFFFFFF for what belongs to none
      - id: flags
        type: u4
        doc: 'Bit 0: lost; bit 1, in chunks of version 2: the structure has known texts'
      - id: len_structure
        type: u4
      - id: len_structure_raw
        type: u4
      - id: len_columns
        type: u4
      - id: len_columns_raw
        type: u4
      - id: crc_structure
        type: u4
        doc: CRC-32C of the structure as it is in the file
      - id: crc_columns
        type: u4
    instances:
      is_lost:
        value: (flags & 1) != 0
      has_known_texts:
        value: (flags & 2) != 0
  section_body:
    doc-ref: formats/rcap.md#section
    params:
      - id: len_structure
        type: u4
      - id: len_columns
        type: u4
    seq:
      - id: structure_compressed
        size: len_structure
        doc: zstd; a `section_structure`
      - id: columns_compressed
        size: len_columns
        doc: zstd; per class `class_moves`, `class_forms`, `column_planes`
  numbers:
    doc: A list of integers of 64 bits as byte planes.
    doc-ref: formats/rcap.md#numbers
    params:
      - id: num
        type: u4
    seq:
      - id: transform
        type: u1
        enum: transform
        valid:
          in-enum: true
      - id: num_planes
        type: u1
        valid:
          max: 8
      - id: planes
        size: num
        repeat: expr
        repeat-expr: num_planes
        doc: Byte 0 (the least significant) of every integer, then byte 1, and so on
  record_table:
    doc: What the records of a chunk are, and of which sections' segments each is made.
    doc-ref: formats/rcap.md#record-table
    params:
      - id: num_records
        type: u4
    seq:
      - id: num_segments
        type: u4
      - id: time
        type: numbers(num_records)
      - id: kind
        type: numbers(num_records)
      - id: len_record
        type: numbers(num_records)
      - id: num_segments_of_record
        type: numbers(num_records)
      - id: section_of_segment
        type: numbers(num_segments)
        doc: Index in `sections` of the chunk
  section_structure:
    doc: Which rows the segments of a section are made of, and the first row of each stream.
    doc-ref: formats/rcap.md#section
    params:
      - id: has_known_texts
        type: bool
    seq:
      - id: num_segments
        type: u4
      - id: num_pieces
        type: u4
      - id: num_classes
        type: u4
      - id: num_streams
        type: u4
      - id: num_pieces_of_segment
        type: numbers(num_segments)
      - id: successor
        type: numbers(num_pieces)
        doc: 'Stream of every piece: 0 as predicted, else the stream + 1'
      - id: class_of_stream
        type: numbers(num_streams)
      - id: len_row
        type: numbers(num_classes)
        doc: 0 for a class that is a known text
      - id: num_known_texts
        type: u4
        if: has_known_texts
      - id: known_text
        type: numbers(num_known_texts)
        if: has_known_texts
        doc: Numbers of the texts of the classes whose `len_row` is 0; formats/rcap.md#known-texts has the file
      - id: first_rows
        size-eos: true
        doc: 'Class by class: byte 0 of the first row of every stream, byte 1 of every stream, and so on'
  class_moves:
    doc: Which rows of a class differ from the row before.
    doc-ref: formats/rcap.md#columns
    params:
      - id: num_bits
        type: u4
        doc: Rows of the class less its streams
    seq:
      - id: moves
        size: (num_bits + 7) / 8
        doc: Bit `i` is bit `i % 8` of byte `i / 8`, bit 0 the least significant
  class_forms:
    doc: How each column is written. Not there for a class without moves.
    doc-ref: formats/rcap.md#columns
    params:
      - id: len_row
        type: u4
      - id: num_moving
        type: u4
        doc: Streams with at least one move
    seq:
      - id: modes
        type: mode
        repeat: expr
        repeat-expr: num_columns
      - id: references
        type: references(modes[_index].num_references)
        repeat: expr
        repeat-expr: num_columns
      - id: scales
        type: scale(modes[_index].is_scaled)
        repeat: expr
        repeat-expr: num_columns
      - id: bitmaps
        type: 'bitmap(modes[_index].is_own ? (num_moving + 7) / 8 : 0)'
        repeat: expr
        repeat-expr: num_columns
    instances:
      num_columns:
        value: len_row / 4 + len_row % 4
        doc: Columns of 4 bytes, then columns of 1 byte
  mode:
    doc-ref: formats/rcap.md#columns
    seq:
      - id: mode
        type: u1
    instances:
      form:
        value: mode & 7
        enum: form
      num_planes:
        value: mode >> 4
      is_own:
        value: mode != 0 and num_references == 0
        doc: Whether the column has values of its own
      is_scaled:
        value: is_own and (mode & 8) != 0
      num_references:
        value: '(mode & 7) == 4 ? 1 : ((mode & 7) == 5 or (mode & 7) == 6 ? 2 : 0)'
  references:
    doc: The columns that a column follows from. No bytes for other columns.
    doc-ref: formats/rcap.md#relations
    params:
      - id: num
        type: u4
    seq:
      - id: columns
        type: u2
        repeat: expr
        repeat-expr: num
  scale:
    doc: What the steps of a column are multiples of. No bytes for other columns.
    doc-ref: formats/rcap.md#columns
    params:
      - id: is_scaled
        type: bool
    seq:
      - id: scale
        type: u4
        if: is_scaled
  bitmap:
    doc: Which of the moving streams have values in a column. No bytes for other columns.
    doc-ref: formats/rcap.md#columns
    params:
      - id: len
        type: u4
    seq:
      - id: bits
        size: len
  column_planes:
    doc: The values of a column, one per move of the streams that its bitmap names.
    doc-ref: formats/rcap.md#columns
    params:
      - id: num
        type: u4
      - id: num_planes
        type: u4
    seq:
      - id: planes
        size: num
        repeat: expr
        repeat-expr: num_planes
  index:
    doc: Where everything is, at the end of a closed log.
    doc-ref: formats/rcap.md#index
    seq:
      - id: num_frames
        type: u8
      - id: num_entries
        type: u8
      - id: num_records
        type: u8
      - id: len_table
        type: u8
        doc: Bytes of the table, decompressed
      - id: table_compressed
        size-eos: true
        doc: zstd; an `index_table`
  index_table:
    doc-ref: formats/rcap.md#index
    params:
      - id: num_frames
        type: u4
      - id: num_entries
        type: u4
      - id: num_records
        type: u4
    seq:
      - id: kind
        type: numbers(num_frames)
      - id: ofs_frame
        type: numbers(num_frames)
      - id: len_frame
        type: numbers(num_frames)
      - id: num_records_of_frame
        type: numbers(num_frames)
      - id: number_first
        type: numbers(num_entries)
        doc: For frames of records and chunks only
      - id: time
        type: numbers(num_records)
      - id: record_kind
        type: numbers(num_records)
      - id: len_record
        type: numbers(num_records)
enums:
  frame_kind:
    1: header
    2: facts
    3: texts
    4: record
    5: chunk
    6: index
  record_kind:
    1: block
    2: event
    3: file_part
    4: message
    5: message_sample
    6: message_copy
    7: processes
    8: ended_processes
  event_kind:
    1: begin
    2: end
    3: late
    4: missed
    5: clock_step
    6: suspended
    7: unreadable
    8: lost
    9: mark
    10: reconnected
  transform:
    0: verbatim
    1: delta
    2: delta2
  form:
    0: constant
    1: verbatim
    2: delta
    3: delta2
    4: same
    5: sum
    6: difference
