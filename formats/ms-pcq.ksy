meta:
  id: ms_pcq
  title: Performance Counter Query Protocol (MS-PCQ), a session of its buffers
  application: PerflibV2, recount
  file-extension: pcq
  license: MIT OR Apache-2.0
  ks-version: '0.11'
  encoding: UTF-16LE
  endian: le
doc: |
  Answers of a server of Performance Library 2.0, each with what was asked. The buffers are those of the protocol
  document; the header before each, and the padding after, are recount's.

  Structures begin at multiples of 8, counted from the start of their buffer. Padding may hold anything. Texts end with a
  NUL and are given as UTF-16 units, the NUL included.
doc-ref: formats/ms-pcq.md
seq:
  - id: messages
    type: message
    repeat: eos
types:
  message:
    doc: One answer, with what was asked.
    doc-ref: formats/ms-pcq.md#messages
    seq:
      - id: signature
        contents: PCQM
      - id: len_message
        type: u4
        valid:
          min: 48
        doc: Bytes of this header and the buffer
      - id: opnum
        type: u2
        enum: opnum
      - id: request_code
        type: u2
        doc: Of opnum 1; 0 otherwise
      - id: argument
        type: u4
        doc: 'RequestLCID of opnum 1 (a language or a counter id), dwAdd of opnum 7; 0 otherwise'
      - id: counterset_guid
        type: guid
      - id: return_code
        type: u4
      - id: query
        type: u4
        doc: Number that stands for the handle of a query
      - id: time
        type: s8
        doc: When it was received, FILETIME in UTC; 0 if unknown
      - id: buffer
        size: len_message - 48
        type:
          switch-on: 'return_code == 0 ? opnum.to_i * 256 + request_code : -1'
          cases:
            0x000: guids
            0x101: registration
            0x102: counter_reg_info
            0x103: text
            0x104: text
            0x105: string_buffer
            0x106: string_buffer
            0x107: text
            0x108: guid
            0x109: text
            0x10a: string_buffer
            0x200: instance_list
            0x500: identifier_list
            0x600: query_data
            0x700: identifier_list
        doc: lpData, as far as pdwOutSize says
      - id: padding
        size: (8 - len_message % 8) % 8
        if: not _io.eof
  guid:
    -orig-id: GUID
    seq:
      - id: data1
        type: u4
      - id: data2
        type: u2
      - id: data3
        type: u2
      - id: data4
        size: 8
  guids:
    doc: The countersets of a server.
    doc-ref: MS-PCQ 3.1.4.1.1
    seq:
      - id: guids
        type: guid
        repeat: eos
  registration:
    doc: A counterset and its counters.
    doc-ref: MS-PCQ 3.1.4.1.2, RequestCode 1
    seq:
      - id: counterset
        type: counterset_reg_info
      - id: counters
        type: counter_reg_info
        repeat: expr
        repeat-expr: counterset.num_counters
  counterset_reg_info:
    doc-ref: MS-PCQ 2.2.4.1
    -orig-id: _PERF_COUNTERSET_REG_INFO
    seq:
      - id: guid
        -orig-id: CounterSetGuid
        type: guid
      - id: counterset_type
        -orig-id: CounterSetType
        type: u4
        doc: Unused
      - id: detail_level
        -orig-id: DetailLevel
        type: u4
        enum: detail_level
      - id: num_counters
        -orig-id: NumCounters
        type: u4
      - id: instance_type
        -orig-id: InstanceType
        type: u4
        enum: instance_type
  counter_reg_info:
    doc-ref: MS-PCQ 2.2.4.2
    -orig-id: _PERF_COUNTER_REG_INFO
    seq:
      - id: counter_id
        -orig-id: CounterId
        type: u4
      - id: counter_type
        -orig-id: Type
        type: u4
        doc: formats/counter-types.md
      - id: attributes
        -orig-id: Attrib
        type: u8
        doc: '1 reference, 2 no display, 4 no group separator, 8 display as real, 16 display as hexadecimal'
      - id: detail_level
        -orig-id: DetailLevel
        type: u4
        enum: detail_level
      - id: default_scale
        -orig-id: DefaultScale
        type: s4
        doc: Power of ten, -10 to 10
      - id: base_counter_id
        -orig-id: BaseCounterId
        type: u4
      - id: perf_time_id
        -orig-id: PerfTimeId
        type: u4
      - id: perf_freq_id
        -orig-id: PerfFreqId
        type: u4
      - id: multi_id
        -orig-id: MultiId
        type: u4
      - id: aggregate_func
        -orig-id: AggregateFunc
        type: u4
        enum: aggregate_func
      - id: reserved
        -orig-id: Reserved
        type: u4
  text:
    doc: A text with its NUL, and what follows.
    doc-ref: MS-PCQ 3.1.4.1.2, RequestCode 3, 4, 7, 9
    seq:
      - id: units
        type: u2
        repeat: until
        repeat-until: _ == 0
      - id: padding
        size-eos: true
  string_buffer:
    doc: Texts of counters.
    doc-ref: MS-PCQ 2.2.4.3 and 3.1.4.1.2, RequestCode 5, 6, 10
    -orig-id: _STRING_BUFFER_HEADER
    seq:
      - id: len
        -orig-id: dwSize
        type: u4
      - id: num_counters
        -orig-id: dwCounters
        type: u4
      - id: counters
        type: string_counter_header
        repeat: expr
        repeat-expr: num_counters
    instances:
      len_headers:
        value: 8 + 8 * num_counters
      low_counters:
        pos: 8
        type: string_counter_header
        repeat: until
        repeat-until: _.ofs_text < len_headers or _io.pos >= len_headers
        if: num_counters > 0
        doc: The counters up to the first whose offset is below the end of the headers, or all
      ofs_origin:
        value: '(num_counters == 0 or low_counters.last.ofs_text < len_headers) ? len_headers : 0'
        doc: What offsets count from. The tables of perflib.h count from their start, so no offset of theirs leads into the headers
  string_counter_header:
    doc-ref: MS-PCQ 2.2.4.4
    -orig-id: _STRING_COUNTER_HEADER
    seq:
      - id: counter_id
        -orig-id: dwCounterId
        type: u4
      - id: ofs_text
        -orig-id: dwOffset
        type: u4
        doc: From the end of these headers; in tables of perflib.h, from the start of the table, and 0xffffffff for no string
    instances:
      units:
        pos: _parent.ofs_origin + ofs_text
        if: ofs_text != 0xffffffff
        type: u2
        repeat: until
        repeat-until: _ == 0
  instance_list:
    doc: The active instances of a counterset.
    doc-ref: MS-PCQ 3.1.4.1.3
    seq:
      - id: instances
        type: instance
        repeat: eos
  instance:
    doc-ref: MS-PCQ 2.2.4.5
    -orig-id: _PERF_INSTANCE_HEADER
    seq:
      - id: len
        -orig-id: Size
        type: u4
        valid:
          min: 8
      - id: instance_id
        -orig-id: InstanceId
        type: u4
      - id: name
        size: len - 8
        type: text
        doc: With padding to a multiple of 8
  identifier_list:
    doc: What a query asks for.
    doc-ref: MS-PCQ 3.1.4.1.5 and 3.1.4.1.7
    seq:
      - id: identifiers
        type: identifier
        repeat: eos
  identifier:
    doc-ref: MS-PCQ 2.2.4.6
    -orig-id: _PERF_COUNTER_IDENTIFIER
    seq:
      - id: guid
        -orig-id: CounterSetGuid
        type: guid
      - id: status
        -orig-id: Status
        type: u4
      - id: len
        -orig-id: Size
        type: u4
        valid:
          min: 40
      - id: counter_id
        -orig-id: CounterId
        type: u4
        doc: 0xffffffff stands for any
      - id: instance_id
        -orig-id: InstanceId
        type: u4
      - id: index
        -orig-id: Index
        type: u4
        doc: Position of its block in the answers of PerflibV2QueryCounterData
      - id: reserved
        -orig-id: Reserved
        type: u4
      - id: name
        size: len - 40
        type: text
        if: len > 40
        doc: '"*" stands for any'
  query_data:
    doc: The values of a query's counters, a block for each identifier.
    doc-ref: MS-PCQ 2.2.4.7 and 3.1.4.1.6
    -orig-id: _PERF_DATA_HEADER
    seq:
      - id: len_total
        -orig-id: dwTotalSize
        type: u4
      - id: num_blocks
        -orig-id: dwNumCounter
        type: u4
      - id: perf_time_stamp
        -orig-id: PerfTimeStamp
        type: u8
      - id: perf_time_100ns
        -orig-id: PerfTime100NSec
        type: u8
      - id: perf_freq
        -orig-id: PerfFreq
        type: u8
      - id: system_time
        -orig-id: SystemTime
        type: u2
        repeat: expr
        repeat-expr: 8
      - id: blocks
        type: counter_block
        repeat: expr
        repeat-expr: num_blocks
  counter_block:
    doc-ref: MS-PCQ 2.2.4.8
    -orig-id: _PERF_COUNTER_HEADER
    seq:
      - id: status
        -orig-id: dwStatus
        type: u4
      - id: block_type
        -orig-id: dwType
        type: u4
        enum: block_type
      - id: len
        -orig-id: dwSize
        type: u4
        valid:
          min: 16
      - id: reserved
        -orig-id: Reserved
        type: u4
      - id: content
        size: len - 16
        type:
          switch-on: block_type
          cases:
            'block_type::single_counter': counter_data
            'block_type::multi_counters': multi_counters
            'block_type::multi_instances': multi_instances
            'block_type::counterset': counterset
  counter_data:
    doc-ref: MS-PCQ 2.2.4.9
    -orig-id: _PERF_COUNTER_DATA
    seq:
      - id: len_data
        -orig-id: dwDataSize
        type: u4
      - id: len
        -orig-id: dwSize
        type: u4
        valid:
          min: 8 + len_data
      - id: value
        size: len_data
      - id: padding
        size: len - 8 - len_data
  counter_ids:
    doc-ref: MS-PCQ 2.2.4.11
    -orig-id: _PERF_MULTI_COUNTERS
    seq:
      - id: len
        -orig-id: dwSize
        type: u4
        valid:
          min: 8
      - id: num_counters
        -orig-id: dwCounters
        type: u4
      - id: ids
        type: u4
        repeat: expr
        repeat-expr: num_counters
      - id: padding
        size: len - 8 - 4 * num_counters
  instances_header:
    doc-ref: MS-PCQ 2.2.4.10
    -orig-id: _PERF_MULTI_INSTANCES
    seq:
      - id: len_total
        -orig-id: dwTotalSize
        type: u4
        doc: Bytes of this header and the instances
      - id: num_instances
        -orig-id: dwInstances
        type: u4
  multi_counters:
    doc: Several counters of one instance.
    doc-ref: MS-PCQ 3.1.4.1.6, PERF_MULTI_COUNTERS
    seq:
      - id: counters
        type: counter_ids
      - id: values
        type: counter_data
        repeat: expr
        repeat-expr: counters.num_counters
  multi_instances:
    doc: One counter of several instances.
    doc-ref: MS-PCQ 3.1.4.1.6, PERF_MULTI_INSTANCES
    seq:
      - id: header
        type: instances_header
      - id: instances
        type: instance_with_values(1)
        repeat: expr
        repeat-expr: header.num_instances
  counterset:
    doc: All counters asked for of several instances.
    doc-ref: MS-PCQ 3.1.4.1.6, PERF_COUNTERSET
    seq:
      - id: counters
        type: counter_ids
      - id: header
        type: instances_header
      - id: instances
        type: instance_with_values(counters.num_counters)
        repeat: expr
        repeat-expr: header.num_instances
  instance_with_values:
    params:
      - id: num_values
        type: u4
    seq:
      - id: instance
        type: instance
      - id: values
        type: counter_data
        repeat: expr
        repeat-expr: num_values
enums:
  opnum:
    0: enumerate_counter_set
    1: query_counter_set_registration_info
    2: enumerate_counter_set_instances
    3: open_query_handle
    4: close_query_handle
    5: query_counter_info
    6: query_counter_data
    7: validate_counters
  detail_level:
    100: novice
    200: advanced
  instance_type:
    0: single
    2: multiple
    4: global_aggregate
    6: multiple_aggregate
    12: global_aggregate_history
    22: instance_aggregate
  aggregate_func:
    0: undefined
    1: total
    2: average
    3: minimum
    4: maximum
  block_type:
    0: error_return
    1: single_counter
    2: multi_counters
    4: multi_instances
    6: counterset
