/* Registers the test provider: register.exe DLL. Prints the names and help texts of its indexes, as `recount convert --names`
 * takes them: Windows has them where lodctr puts them, but Wine 8 has a fixed table that nothing can be added to. */
#include "objects.h"

#include <stdio.h>

/* Far above the indexes of a system's own counters. */
#define FIRST_COUNTER 50000
#define FIRST_HELP (FIRST_COUNTER + 1)

static void fail(const char *function, LSTATUS status)
{
    fprintf(stderr, "register: %s: error %ld\n", function, (long)status);
    ExitProcess(1);
}

static void set_value(HKEY key, const WCHAR *name, DWORD type, const void *data, DWORD len)
{
    LSTATUS status = RegSetValueExW(key, name, 0, type, data, len);
    if (status != ERROR_SUCCESS)
        fail("RegSetValueExW", status);
}

static void set_number(HKEY key, const WCHAR *name, DWORD number)
{
    set_value(key, name, REG_DWORD, &number, sizeof(number));
}

static void set_text(HKEY key, const WCHAR *name, const WCHAR *text)
{
    set_value(key, name, REG_SZ, text, (DWORD)(lstrlenW(text) + 1) * sizeof(WCHAR));
}

static void register_service(const WCHAR *dll)
{
    HKEY key;
    DWORD last = object_offset(NUM_OBJECTS) - 2;
    LSTATUS status = RegCreateKeyExW(HKEY_LOCAL_MACHINE, PERFORMANCE_KEY, 0, NULL, 0, KEY_WRITE, NULL, &key, NULL);
    if (status != ERROR_SUCCESS)
        fail("RegCreateKeyExW", status);
    set_text(key, L"Library", dll);
    set_text(key, L"Open", L"RecountTestOpen");
    set_text(key, L"Collect", L"RecountTestCollect");
    set_text(key, L"Close", L"RecountTestClose");
    set_number(key, L"First Counter", FIRST_COUNTER);
    set_number(key, L"Last Counter", FIRST_COUNTER + last);
    set_number(key, L"First Help", FIRST_HELP);
    set_number(key, L"Last Help", FIRST_HELP + last);
    RegCloseKey(key);
}

static void print_names(void)
{
    for (int object = 0; object < NUM_OBJECTS; object++) {
        printf("%lu\n%ls\n", FIRST_COUNTER + object_offset(object), OBJECTS[object].name);
        for (DWORD counter = 0; counter < OBJECTS[object].num_counters; counter++)
            printf("%lu\n%ls\n", FIRST_COUNTER + counter_offset(object, counter),
                   OBJECTS[object].counters[counter].name);
    }
}

int wmain(int argc, WCHAR **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: register DLL\n");
        return 2;
    }
    register_service(argv[1]);
    print_names();
    return 0;
}
