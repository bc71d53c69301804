/* What the test provider has: objects and counters, the one table for the provider and for its registration. The values,
 * as functions of the collect number n = 1, 2, ..., are in provider.c; check.py says what is to be computed of them. */
#ifndef RECOUNT_TEST_OBJECTS_H
#define RECOUNT_TEST_OBJECTS_H

#include <windows.h>
#include <winperf.h>

/* Where a performance DLL is registered, below HKEY_LOCAL_MACHINE. */
#define PERFORMANCE_KEY L"SYSTEM\\CurrentControlSet\\Services\\RecountTest\\Performance"

struct counter {
    const WCHAR *name;
    DWORD type;
    DWORD len_value;
};

enum collected { ALWAYS, WHEN_COSTLY };

struct object {
    const WCHAR *name;
    enum collected collected;
    BOOL has_instances;
    DWORD num_counters;
    const struct counter *counters;
};

/* Object without instances: one counter of each main type, both sizes. */
static const struct counter SINGLE_COUNTERS[] = {
    { L"Collect Number", PERF_COUNTER_LARGE_RAWCOUNT, 8 },
    { L"Raw Count", PERF_COUNTER_RAWCOUNT, 4 },
    { L"Counter/sec", PERF_COUNTER_COUNTER, 4 },
    { L"Bulk Count/sec", PERF_COUNTER_BULK_COUNT, 8 },
    { L"% Raw Fraction", PERF_RAW_FRACTION, 4 },
    { L"% Raw Fraction Base", PERF_RAW_BASE, 4 },
    { L"% Large Raw Fraction", PERF_LARGE_RAW_FRACTION, 8 },
    { L"% Large Raw Fraction Base", PERF_LARGE_RAW_BASE, 8 },
    { L"Average Bulk", PERF_AVERAGE_BULK, 8 },
    { L"Average Bulk Base", PERF_AVERAGE_BASE, 4 },
    { L"Average Timer", PERF_AVERAGE_TIMER, 4 },
    { L"Average Timer Base", PERF_AVERAGE_BASE, 4 },
    { L"% Sample Fraction", PERF_SAMPLE_FRACTION, 4 },
    { L"% Sample Fraction Base", PERF_SAMPLE_BASE, 4 },
    { L"Delta", PERF_COUNTER_DELTA, 4 },
    { L"Large Delta", PERF_COUNTER_LARGE_DELTA, 8 },
    { L"% Object Timer", PERF_OBJ_TIME_TIMER, 8 },
    { L"% Precision Timer", PERF_PRECISION_OBJECT_TIMER, 8 },
    { L"% Precision Timer Base", PERF_PRECISION_TIMESTAMP, 8 },
    { L"Queue Length", PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE, 8 },
    { L"Elapsed Time", PERF_ELAPSED_TIME, 8 },
    { L"Microseconds", PERF_COUNTER_LARGE_RAWCOUNT, 8 },
};

/* Object with instances that come and go. */
static const struct counter INSTANCE_COUNTERS[] = {
    { L"Number", PERF_COUNTER_RAWCOUNT, 4 },
    { L"Delta", PERF_COUNTER_LARGE_DELTA, 8 },
    { L"Average", PERF_AVERAGE_BULK, 8 },
    { L"Average Base", PERF_AVERAGE_BASE, 4 },
};

/* Object whose instances have parents. */
static const struct counter CHILD_COUNTERS[] = {
    { L"Number", PERF_COUNTER_RAWCOUNT, 4 },
};

/* Object that is collected on request only. */
static const struct counter COSTLY_COUNTERS[] = {
    { L"Number", PERF_COUNTER_LARGE_RAWCOUNT, 8 },
};

#define NUM_OF(array) (sizeof(array) / sizeof((array)[0]))
#define COUNTERS(array) NUM_OF(array), array

enum { SINGLE, INSTANCES, CHILDREN, COSTLY, NUM_OBJECTS };

static const struct object OBJECTS[NUM_OBJECTS] = {
    [SINGLE] = { L"Recount Test", ALWAYS, FALSE, COUNTERS(SINGLE_COUNTERS) },
    [INSTANCES] = { L"Recount Test Instances", ALWAYS, TRUE, COUNTERS(INSTANCE_COUNTERS) },
    [CHILDREN] = { L"Recount Test Children", ALWAYS, TRUE, COUNTERS(CHILD_COUNTERS) },
    [COSTLY] = { L"Recount Test Costly", WHEN_COSTLY, FALSE, COUNTERS(COSTLY_COUNTERS) },
};

/* Name index of an object, relative to the registered "First Counter": as in the headers that lodctr takes, objects and
 * their counters have successive even numbers. Help indexes are those plus one, as "First Help" is registered. */
static inline DWORD object_offset(int object)
{
    DWORD offset = 0;
    for (int before = 0; before < object; before++)
        offset += 2 * (1 + OBJECTS[before].num_counters);
    return offset;
}

static inline DWORD counter_offset(int object, DWORD counter)
{
    return object_offset(object) + 2 * (counter + 1);
}

#endif
