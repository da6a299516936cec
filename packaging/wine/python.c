/* python.exe, which the wheel with the DLLs of CPython does not have. */
#include <windows.h>

int Py_Main(int, wchar_t **);

int wmain(int count, wchar_t **arguments) { return Py_Main(count, arguments); }
