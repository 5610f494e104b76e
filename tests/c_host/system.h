/* What differs between Windows and the others: libraries, files with any name, memory in use. Texts are UTF-8. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stdio.h>
#include <stdlib.h>

#ifdef _WIN32
#include <windows.h>

#include <psapi.h>

static wchar_t *wide(const char *text) {
    int n = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
    wchar_t *copy = calloc((size_t)n, sizeof *copy);
    MultiByteToWideChar(CP_UTF8, 0, text, -1, copy, n);
    return copy;
}

static void *library_open(const char *path) {
    wchar_t *name = wide(path);
    void *handle = (void *)LoadLibraryW(name);
    free(name);
    return handle;
}

static const char *library_error(void) {
    static char text[64];
    snprintf(text, sizeof text, "the library cannot be loaded, error %lu", (unsigned long)GetLastError());
    return text;
}

static void *library_symbol(void *handle, const char *name) { return (void *)GetProcAddress((HMODULE)handle, name); }

static int library_close(void *handle) { return FreeLibrary((HMODULE)handle) ? 0 : 1; }

static FILE *file_open(const char *path, const char *mode) {
    wchar_t *name = wide(path), *how = wide(mode);
    FILE *file = _wfopen(name, how);
    free(name);
    free(how);
    return file;
}

/* pages of 4096 bytes that the process holds */
static long resident(void) {
    PROCESS_MEMORY_COUNTERS counters;
    if (!GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters)) return -1;
    return (long)(counters.PagefileUsage / 4096);
}

/* arguments come as UTF-16 */
int host_main(int n, char **argument);
int wmain(int n, wchar_t **argument) {
    char **plain = calloc((size_t)n + 1, sizeof *plain);
    for (int i = 0; i < n; i++) {
        int size = WideCharToMultiByte(CP_UTF8, 0, argument[i], -1, NULL, 0, NULL, NULL);
        plain[i] = calloc((size_t)size, 1);
        WideCharToMultiByte(CP_UTF8, 0, argument[i], -1, plain[i], size, NULL, NULL);
    }
    return host_main(n, plain);
}
#define main host_main

#else
#include <dlfcn.h>

static void *library_open(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static const char *library_error(void) { return dlerror(); }
static void *library_symbol(void *handle, const char *name) { return dlsym(handle, name); }
static int library_close(void *handle) { return dlclose(handle); }
static FILE *file_open(const char *path, const char *mode) { return fopen(path, mode); }

/* pages that the process holds; -1 if the system does not tell */
static long resident(void) {
    long total, pages = -1;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return -1;
    if (fscanf(file, "%ld %ld", &total, &pages) != 2) pages = -1;
    fclose(file);
    return pages;
}
#endif
#endif
