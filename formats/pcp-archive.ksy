meta:
  id: pcp_archive
  title: Performance Co-Pilot archive, versions 2 and 3
  application: pmlogger, pmlogextract, pmlogreduce and import tools of PCP
  license: MIT OR Apache-2.0
  ks-version: '0.11'
  encoding: UTF-8
  endian: be
doc: |
  One file of an archive, decompressed. The label says which: `.meta`, `.index` or a volume.
doc-ref: formats/pcp-archive.md
seq:
  - id: label
    type: label
  - id: records
    type: record
    repeat: eos
    if: not is_index
  - id: entries
    type: entry
    repeat: eos
    if: is_index
instances:
  magic:
    pos: 4
    type: u4
  version:
    value: magic & 0xff
    doc: known before the label is read, which depends on it
  is_meta:
    value: label.volume == -1
  is_index:
    value: label.volume == -2
types:
  label:
    doc-ref: formats/pcp-archive.md#label
    seq:
      - id: len_record
        type: u4
        valid:
          any-of: [132, 808]
      - id: magic
        type: u4
        valid:
          any-of: [0x50052602, 0x50052603]
      - id: pid
        type: u4
      - id: time
        type: time
      - id: volume
        type: s4
        doc: -1 in .meta, -2 in .index
      - id: features
        type: u4
        if: _root.version == 3
        doc: any but bit 31 may mean another layout
      - id: reserved
        type: u4
        if: _root.version == 3
      - id: host
        type: strz
        size: '_root.version == 2 ? 64 : 256'
      - id: zone
        type: strz
        size: '_root.version == 2 ? 40 : 256'
        doc: a POSIX TZ string
      - id: zone_name
        type: strz
        size: 256
        if: _root.version == 3
      - id: len_record_again
        type: u4
        valid: len_record
  time:
    doc-ref: formats/pcp-archive.md#times
    seq:
      - id: seconds
        type: s4
        if: _root.version == 2
      - id: micros
        type: u4
        if: _root.version == 2
      - id: seconds_low
        type: u4
        if: _root.version == 3
      - id: seconds_high
        type: s4
        if: _root.version == 3
      - id: nanos
        type: u4
        if: _root.version == 3
  record:
    doc-ref: formats/pcp-archive.md#records
    seq:
      - id: len_record
        type: u4
        valid:
          min: 12
      - id: body
        size: len_record - 8
        type:
          switch-on: _root.is_meta
          cases:
            true: meta_record
            false: data_record
      - id: len_record_again
        type: u4
        valid: len_record
  meta_record:
    doc-ref: formats/pcp-archive.md#meta
    seq:
      - id: kind
        type: u4
        enum: kind
      - id: content
        type:
          switch-on: kind
          cases:
            'kind::metric': metric
            'kind::domain_2': domain
            'kind::domain_3': domain
            'kind::changes': domain
            'kind::labels_2': labels
            'kind::labels_3': labels
            'kind::help': help
  metric:
    doc-ref: formats/pcp-archive.md#metric
    seq:
      - id: id
        type: metric_id
      - id: value_type
        type: s4
      - id: domain
        type: domain_id
      - id: semantics
        type: u4
        doc: 1 counter, 3 instant, 4 discrete
      - id: units
        type: u4
      - id: num_names
        type: u4
      - id: names
        type: text
        repeat: expr
        repeat-expr: num_names
  metric_id:
    seq:
      - id: reserved
        type: b1
      - id: agent
        type: b9
      - id: cluster
        type: b12
      - id: item
        type: b10
  domain_id:
    seq:
      - id: word
        type: u4
        doc: all bits set means none
    instances:
      agent:
        value: word >> 22 & 0x1ff
      serial:
        value: word & 0x3fffff
  text:
    seq:
      - id: len
        type: u4
      - id: text
        type: strz
        size: len
  domain:
    doc-ref: formats/pcp-archive.md#instance-domain
    seq:
      - id: time
        type: time
      - id: id
        type: domain_id
      - id: num_instances
        type: u4
      - id: instances
        type: s4
        repeat: expr
        repeat-expr: num_instances
      - id: ofs_names
        type: s4
        repeat: expr
        repeat-expr: num_instances
        doc: in what follows; -1 among changes means that the instance is removed
      - id: names
        size-eos: true
        doc: each ends with a NUL
  labels:
    doc-ref: formats/pcp-archive.md#labels-help
    seq:
      - id: time
        type: time
      - id: level
        type: u4
        doc: 1 means the whole host
      - id: id
        type: u4
      - id: num_sets
        type: u4
      - id: sets
        type: label_set
        repeat: expr
        repeat-expr: num_sets
  label_set:
    seq:
      - id: instance
        type: s4
      - id: len_json
        type: u4
      - id: json
        type: strz
        size: len_json
      - id: num_labels
        type: s4
        doc: below 0, an error code in place of labels
      - id: places
        size: 'num_labels < 0 ? 0 : 8 * num_labels'
  help:
    doc-ref: formats/pcp-archive.md#labels-help
    seq:
      - id: kind
        type: u4
        doc: 5 is one line about a metric, 9 one about an instance domain
      - id: id
        type: u4
      - id: text
        type: strz
        size-eos: true
  data_record:
    doc-ref: formats/pcp-archive.md#volumes
    seq:
      - id: time
        type: time
      - id: num_sets
        type: u4
        doc: 0 is a mark
      - id: sets
        type: value_set
        repeat: expr
        repeat-expr: num_sets
  value_set:
    seq:
      - id: metric
        type: metric_id
      - id: num_values
        type: s4
        doc: below 0, an error code in place of values
      - id: format
        type: u4
        if: num_values > 0
        doc: 0 if values are in their words
      - id: values
        type: value(format)
        repeat: expr
        repeat-expr: num_values
        if: num_values > 0
  value:
    doc-ref: formats/pcp-archive.md#values
    params:
      - id: format
        type: u4
    seq:
      - id: instance
        type: s4
      - id: word
        type: u4
    instances:
      block:
        # Byte 4 w - 8 of the record, whose first 4 bytes aren't in this stream.
        pos: 4 * word - 12
        type: block
        if: format != 0
  block:
    seq:
      - id: value_type
        type: u1
      - id: len_block
        type: b24
        doc: with these 4 bytes
      - id: value
        size: len_block - 4
  entry:
    doc: A place in the other files by time. The offsets have 4 bytes in version 2, 8 in version 3.
    seq:
      - id: time
        type: time
      - id: volume
        type: s4
      - id: ofs_meta_2
        type: u4
        if: _root.version == 2
      - id: ofs_volume_2
        type: u4
        if: _root.version == 2
      - id: ofs_meta_3
        type: u8
        if: _root.version == 3
      - id: ofs_volume_3
        type: u8
        if: _root.version == 3
enums:
  kind:
    1: metric
    2: domain_2
    3: labels_2
    4: help
    5: domain_3
    6: changes
    7: labels_3
