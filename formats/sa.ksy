meta:
  id: sa
  title: sysstat daily data (sa), format 0x2175
  application: sadc and sar -o of sysstat 11.7.1 and later, recount
  license: MIT OR Apache-2.0
  ks-version: '0.11'
  encoding: UTF-8
doc: |
  A header says which activities (groups of statistics) the file holds, and how long their items are. Records follow, each a
  sample of all activities, a restart or a comment. Numbers are those of the machine that wrote the file, in the byte order of
  `magic`; longs are 8 bytes wide, of which `len_long` count.

  Structures begin with so many numbers of 8 bytes, longs, and numbers of 4 bytes as the triple says that the file has for them:
  later versions append to each group.
doc-ref: formats/sa.md
seq:
  - id: magic
    -orig-id: sysstat_magic
    size: 2
    valid:
      any-of:
        - '[0x96, 0xd5]'
        - '[0xd5, 0x96]'
  - id: body
    type: body
types:
  body:
    meta:
      endian:
        switch-on: _root.magic
        cases:
          '[0x96, 0xd5]': le
          '[0xd5, 0x96]': be
    seq:
      - id: format
        -orig-id: format_magic
        type: u2
        valid: 0x2175
      - id: version
        -orig-id: sysstat_version
        type: u1
        repeat: expr
        repeat-expr: 4
      - id: len_header
        -orig-id: header_size
        type: u4
        valid:
          min: 1
          max: 8192
      - id: upgraded
        type: u4
      - id: header_types
        -orig-id: hdr_types
        type: triple
      - id: reserved
        size: 48
      - id: header
        type: header
        size: len_header
      - id: activities
        type: activity
        size: header.len_activity
        repeat: expr
        repeat-expr: header.num_activities
      - id: extras
        type: extras
        if: header.extra_next != 0
      - id: records
        type: record
        repeat: eos
    types:
      triple:
        doc: How many numbers of each group a structure begins with.
        seq:
          - id: quads
            type: u4
          - id: longs
            type: u4
          - id: words
            type: u4
      header:
        doc-ref: formats/sa.md#file_header
        -orig-id: file_header
        seq:
          - id: created
            -orig-id: ust_time
            type: u8
          - id: other_quads
            size: 8 * (_parent.header_types.quads - 1)
          - id: longs
            size: 8 * _parent.header_types.longs
          - id: words
            type: u4
            repeat: expr
            repeat-expr: _parent.header_types.words
          - id: day
            type: u1
          - id: month
            type: u1
            doc: from 0
          - id: len_long
            -orig-id: sizeof_long
            type: u1
          - id: sysname
            type: strz
            size: 65
          - id: nodename
            type: strz
            size: 65
            doc: the host
          - id: release
            type: strz
            size: 65
          - id: machine
            type: strz
            size: 65
        instances:
          num_activities:
            -orig-id: act_nr
            value: words[1]
          num_words_of_activity:
            -orig-id: act_types
            value: words[5]
          num_quads_of_record:
            -orig-id: rec_types
            value: words[6]
          num_longs_of_record:
            value: words[7]
          num_words_of_record:
            value: words[8]
          len_activity:
            -orig-id: act_size
            value: words[9]
          len_record_head:
            -orig-id: rec_size
            value: words[10]
          extra_next:
            value: '_parent.header_types.words > 11 ? words[11] : 0'
      activity:
        doc-ref: formats/sa.md#activities
        -orig-id: file_activity
        seq:
          - id: words
            type: u4
            repeat: expr
            repeat-expr: _parent.header.num_words_of_activity
        instances:
          id:
            value: words[0]
          magic:
            value: words[1]
            doc: which layout
          num_items:
            -orig-id: nr
            value: words[2]
          num_items_below:
            -orig-id: nr2
            value: words[3]
          has_count:
            -orig-id: has_nr
            value: words[4] != 0
            doc: whether each record says how many items it has
          len_item:
            -orig-id: size
            value: words[5]
      extras:
        doc: Structures that make room for things to come.
        doc-ref: formats/sa.md#extra-structures
        seq:
          - id: all
            type: extra
            repeat: until
            repeat-until: _.next == 0
      extra:
        -orig-id: extra_desc
        seq:
          - id: num
            -orig-id: extra_nr
            type: u4
          - id: len
            -orig-id: extra_size
            type: u4
          - id: next
            -orig-id: extra_next
            type: u4
          - id: types
            type: triple
          - id: content
            size: num * len
      record:
        doc-ref: formats/sa.md#records
        seq:
          - id: head
            type: record_head
            size: _parent.header.len_record_head
          - id: extras_of_head
            type: extras
            if: head.extra_next != 0 and head.kind != 2 and head.kind != 4
          - id: items
            type: items(_index)
            repeat: expr
            repeat-expr: _parent.header.num_activities
            if: head.kind == 1 or head.kind == 3
          - id: num_cpus
            -orig-id: cpu_nr
            type: u4
            if: head.kind == 2
            doc: CPUs + 1, of a restart
          - id: comment
            type: strz
            size: 64
            if: head.kind == 4
          - id: extras_of_body
            type: extras
            if: head.extra_next != 0 and (head.kind == 2 or head.kind == 4)
      record_head:
        -orig-id: record_header
        seq:
          - id: uptime
            type: u8
            doc: in 1/100 s
          - id: time
            -orig-id: ust_time
            type: u8
            doc: seconds since 1970, UTC
          - id: other_numbers
            size: 8 * (_parent._parent.header.num_quads_of_record + _parent._parent.header.num_longs_of_record - 2)
          - id: words
            type: u4
            repeat: expr
            repeat-expr: _parent._parent.header.num_words_of_record
          - id: kind
            -orig-id: record_type
            type: u1
            valid:
              min: 1
              max: 15
          - id: hour
            type: u1
          - id: minute
            type: u1
          - id: second
            type: u1
        instances:
          extra_next:
            value: '_parent._parent.header.num_words_of_record > 0 ? words[0] : 0'
      items:
        params:
          - id: index
            type: u4
        seq:
          - id: num_told
            type: u4
            if: activity.has_count
          - id: content
            size: num * activity.num_items_below * activity.len_item
        instances:
          activity:
            value: _parent._parent.activities[index]
          num:
            value: 'activity.has_count ? num_told : activity.num_items'
