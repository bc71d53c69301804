/* A performance extension DLL with known counters, after the public documentation of winperf.h and of the functions
 * OpenPerformanceData, CollectPerformanceData and ClosePerformanceData.
 *
 * All values are functions of n, the number of this collection in this process (1 for the first), so that whatever the
 * samples were asked for between, the value "Collect Number" in a sample tells what all others have to be. Counters with
 * a clock of their own use that of their object, 1,000 ticks per collection at 1,000 ticks per second. */
#include "objects.h"

#define OBJECT_TICKS 1000

static DWORD first_counter;
static DWORD first_help;
static ULONGLONG num_collected;

/* A cursor that counts on when the buffer is full, so that every writer may write without asking. */
struct out {
    BYTE *at;
    BYTE *end;
    BOOL is_full;
};

static void *reserve(struct out *out, DWORD len)
{
    if (out->is_full || (DWORD_PTR)(out->end - out->at) < len) {
        out->is_full = TRUE;
        return NULL;
    }
    void *reserved = out->at;
    ZeroMemory(reserved, len);
    out->at += len;
    return reserved;
}

static DWORD round_up_8(DWORD len)
{
    return (len + 7) & ~7u;
}

/* Values of the object without instances. */
static ULONGLONG single_value(DWORD counter, ULONGLONG n)
{
    LARGE_INTEGER frequency, now;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    switch (counter) {
    case 0: return n;                                          /* Collect Number */
    case 1: return 0xFFFFFFFFu - 7 * n;                        /* Raw Count: needs all 32 bits */
    case 2: return 0xFFFFFFFFu - 2500 + 1000 * n;              /* Counter/sec: wraps around at n = 3 */
    case 3: return (n << 33) + 5;                              /* Bulk Count/sec: needs more than 32 bits */
    case 4: return n;                                          /* % Raw Fraction */
    case 5: return n + 4;
    case 6: return n << 40;                                    /* % Large Raw Fraction */
    case 7: return (n + 1) << 40;
    case 8: return 10 * n * n;                                 /* Average Bulk */
    case 9: return 2 * n;
    case 10: return n * (ULONGLONG)(frequency.QuadPart / 4);   /* Average Timer: 1/4 s over 2 operations */
    case 11: return 2 * n;
    case 12: return 3 * n;                                     /* % Sample Fraction */
    case 13: return 4 * n;
    case 14: return n * n;                                     /* Delta */
    case 15: return n * n << 32;                               /* Large Delta */
    case 16: return OBJECT_TICKS / 4 * n;                      /* % Object Timer */
    case 17: return OBJECT_TICKS / 2 * n;                      /* % Precision Timer */
    case 18: return OBJECT_TICKS * n;
    case 19: return 3 * OBJECT_TICKS * n;                      /* Queue Length */
    case 20: return OBJECT_TICKS / 2;                          /* Elapsed Time: started half a second after n = 0 */
    /* Microseconds: the clock of PerfTime, read a moment after it */
    case 21: return (ULONGLONG)(1e6 * (double)now.QuadPart / (double)frequency.QuadPart);
    default: return 0;
    }
}

/* Values of the other objects, of the instance that is `rank`-th by name (1 for "a"). */
static ULONGLONG instance_value(int object, DWORD counter, ULONGLONG rank, ULONGLONG n)
{
    if (object != INSTANCES)
        return 100 * rank + n;
    switch (counter) {
    case 0: return 100 * rank + n;         /* Number */
    case 1: return rank * n * n;           /* Delta */
    case 2: return 5 * rank * n;           /* Average */
    default: return 2 * n;
    }
}

/* Appends a PERF_COUNTER_BLOCK. */
static void put_values(struct out *out, int object, const PERF_COUNTER_DEFINITION *definitions, ULONGLONG rank,
                       ULONGLONG n)
{
    const struct object *what = &OBJECTS[object];
    const PERF_COUNTER_DEFINITION *last = &definitions[what->num_counters - 1];
    DWORD len = round_up_8(last->CounterOffset + last->CounterSize);
    PERF_COUNTER_BLOCK *block = reserve(out, len);
    if (!block)
        return;
    block->ByteLength = len;
    for (DWORD counter = 0; counter < what->num_counters; counter++) {
        ULONGLONG value = what->has_instances ? instance_value(object, counter, rank, n) : single_value(counter, n);
        BYTE *at = (BYTE *)block + definitions[counter].CounterOffset;
        /* Little-endian: a value of four bytes is the lower half of eight. */
        CopyMemory(at, &value, definitions[counter].CounterSize);
    }
}

/* Appends a PERF_INSTANCE_DEFINITION and its counter block. `parent` is the place among INSTANCES, -1 for none. */
static void put_instance(struct out *out, int object, const PERF_COUNTER_DEFINITION *definitions, const WCHAR *name,
                         LONG parent, ULONGLONG rank, ULONGLONG n)
{
    DWORD len_name = (DWORD)(lstrlenW(name) + 1) * sizeof(WCHAR);
    DWORD len = round_up_8(sizeof(PERF_INSTANCE_DEFINITION) + len_name);
    PERF_INSTANCE_DEFINITION *instance = reserve(out, len);
    if (!instance)
        return;
    instance->ByteLength = len;
    instance->ParentObjectTitleIndex = parent < 0 ? 0 : first_counter + object_offset(INSTANCES);
    instance->ParentObjectInstance = parent < 0 ? 0 : (DWORD)parent;
    instance->UniqueID = PERF_NO_UNIQUE_ID;
    instance->NameOffset = sizeof(PERF_INSTANCE_DEFINITION);
    instance->NameLength = len_name;
    CopyMemory(instance + 1, name, len_name);
    put_values(out, object, definitions, rank, n);
}

/* Appends the instances of this collection and says how many there are. "a" and the two "c" are always there; "b" is in
 * collections 4, 5, 8, 9, 12, 13, ... . Of the children, "x" belongs to the first "a"; "y", to the last instance, the
 * second "c", is missing in every third collection, when there are no children at all. */
static LONG put_instances(struct out *out, int object, const PERF_COUNTER_DEFINITION *definitions, ULONGLONG n)
{
    BOOL has_b = n >= 4 && n % 4 < 2;
    if (object == INSTANCES) {
        put_instance(out, object, definitions, L"a", -1, 1, n);
        if (has_b)
            put_instance(out, object, definitions, L"b", -1, 2, n);
        put_instance(out, object, definitions, L"c", -1, 3, n);
        put_instance(out, object, definitions, L"c", -1, 4, n);
        return has_b ? 4 : 3;
    }
    if (n % 3 == 0)
        return 0;
    put_instance(out, object, definitions, L"x", 0, 1, n);
    put_instance(out, object, definitions, L"y", has_b ? 3 : 2, 2, n);
    return 2;
}

/* Appends the counter definitions, each value aligned to its size. */
static const PERF_COUNTER_DEFINITION *put_definitions(struct out *out, int object)
{
    const struct object *what = &OBJECTS[object];
    PERF_COUNTER_DEFINITION *definitions = reserve(out, what->num_counters * sizeof(*definitions));
    DWORD offset = sizeof(PERF_COUNTER_BLOCK);
    for (DWORD counter = 0; definitions && counter < what->num_counters; counter++) {
        DWORD len_value = what->counters[counter].len_value;
        offset = (offset + len_value - 1) & ~(len_value - 1);
        definitions[counter] = (PERF_COUNTER_DEFINITION){
            .ByteLength = sizeof(PERF_COUNTER_DEFINITION),
            .CounterNameTitleIndex = first_counter + counter_offset(object, counter),
            .CounterHelpTitleIndex = first_help + counter_offset(object, counter),
            .DetailLevel = PERF_DETAIL_NOVICE,
            .CounterType = what->counters[counter].type,
            .CounterSize = len_value,
            .CounterOffset = offset,
        };
        offset += len_value;
    }
    return definitions;
}

/* Appends a whole object. */
static void put_object(struct out *out, int object, ULONGLONG n)
{
    BYTE *begin = out->at;
    const struct object *what = &OBJECTS[object];
    PERF_OBJECT_TYPE *header = reserve(out, sizeof(*header));
    const PERF_COUNTER_DEFINITION *definitions = put_definitions(out, object);
    LONG num_instances = PERF_NO_INSTANCES;
    if (!header || !definitions)
        return;
    header->DefinitionLength = (DWORD)(out->at - begin);
    if (what->has_instances)
        num_instances = put_instances(out, object, definitions, n);
    else
        put_values(out, object, definitions, 0, n);
    header->TotalByteLength = (DWORD)(out->at - begin);
    header->HeaderLength = sizeof(*header);
    header->ObjectNameTitleIndex = first_counter + object_offset(object);
    header->ObjectHelpTitleIndex = first_help + object_offset(object);
    header->DetailLevel = PERF_DETAIL_NOVICE;
    header->NumCounters = what->num_counters;
    header->DefaultCounter = 0;
    header->NumInstances = num_instances;
    header->PerfTime.QuadPart = (LONGLONG)(OBJECT_TICKS * n);
    header->PerfFreq.QuadPart = OBJECT_TICKS;
}

/* Whether a list of decimal numbers has one. */
static BOOL has_number(const WCHAR *list, DWORD wanted)
{
    DWORD number = 0;
    for (const WCHAR *at = list;; at++) {
        if (*at >= L'0' && *at <= L'9') {
            number = 10 * number + (DWORD)(*at - L'0');
        } else {
            if (number == wanted)
                return TRUE;
            number = 0;
        }
        if (!*at)
            return FALSE;
    }
}

/* Whether the value that is queried asks for an object. */
static BOOL is_wanted(const WCHAR *query, int object)
{
    if (!query || !lstrcmpiW(query, L"Global"))
        return OBJECTS[object].collected == ALWAYS;
    if (!lstrcmpiW(query, L"Costly"))
        return OBJECTS[object].collected == WHEN_COSTLY;
    return has_number(query, first_counter + object_offset(object));
}

static DWORD registered_number(HKEY key, const WCHAR *name, DWORD *number)
{
    DWORD type, len = sizeof(*number);
    DWORD status = RegQueryValueExW(key, name, NULL, &type, (BYTE *)number, &len);
    return status == ERROR_SUCCESS && type != REG_DWORD ? ERROR_BADDB : status;
}

__declspec(dllexport) DWORD APIENTRY RecountTestOpen(LPWSTR device_names)
{
    HKEY key;
    HMODULE pinned;
    (void)device_names;
    DWORD status = RegOpenKeyExW(HKEY_LOCAL_MACHINE, PERFORMANCE_KEY, 0, KEY_READ, &key);
    if (status != ERROR_SUCCESS)
        return status;
    status = registered_number(key, L"First Counter", &first_counter);
    if (status == ERROR_SUCCESS)
        status = registered_number(key, L"First Help", &first_help);
    RegCloseKey(key);
    /* Wine loads and frees the DLL for each query, which would begin the count anew. */
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                       (const WCHAR *)(const void *)RecountTestOpen, &pinned);
    return status;
}

/* Where the objects belong, if they are asked for in another place. Wine 8 asks for the first object sizeof(PERF_DATA_BLOCK)
 * bytes behind the HeaderLength that it then states, and states a TotalByteLength without this gap: the end of the last
 * object would be cut off. Elsewhere, and with other objects before ours, the place is right and stays. */
static BYTE *true_place(BYTE *asked)
{
    const DWORD gap = sizeof(PERF_DATA_BLOCK);
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    if (!ntdll || !GetProcAddress(ntdll, "wine_get_version"))
        return asked;
    /* Between the header and its gap stands the name of the machine. */
    for (DWORD len_header = gap; len_header <= gap + 8 + 2 * MAX_COMPUTERNAME_LENGTH; len_header += 8) {
        const PERF_DATA_BLOCK *block = (const PERF_DATA_BLOCK *)(asked - gap - len_header);
        if (!memcmp(block->Signature, L"PERF", sizeof(block->Signature)))
            return asked - gap;
    }
    return asked;
}

__declspec(dllexport) DWORD APIENTRY RecountTestCollect(LPWSTR query, LPVOID *data, LPDWORD num_bytes,
                                                        LPDWORD num_object_types)
{
    BYTE *begin = true_place(*data);
    struct out out = { begin, begin + *num_bytes, FALSE };
    DWORD num_objects = 0;
    for (int object = 0; object < NUM_OBJECTS; object++) {
        if (is_wanted(query, object)) {
            put_object(&out, object, num_collected + 1);
            num_objects++;
        }
    }
    *num_object_types = 0;
    if (out.is_full) {
        *num_bytes = 0;
        return ERROR_MORE_DATA;
    }
    num_collected += num_objects > 0;
    *num_bytes = (DWORD)(out.at - begin);
    *num_object_types = num_objects;
    *data = (BYTE *)*data + *num_bytes;
    return ERROR_SUCCESS;
}

__declspec(dllexport) DWORD APIENTRY RecountTestClose(void)
{
    return ERROR_SUCCESS;
}
