/* bcryptprimitives.dll with the one function of it that Rust's standard library imports and Wine 8 lacks. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *data, SIZE_T len)
{
    while (len > 0) {
        ULONG part = len > 1 << 20 ? 1 << 20 : (ULONG)len;
        if (!RtlGenRandom(data, part))
            return FALSE;
        data += part;
        len -= part;
    }
    return TRUE;
}
