/* Paths below /proc/PID, without the cost of printf(): a sample needs several of each process. */
#pragma once

#include <stdint.h>

enum { PROC_PATH_SIZE = 48 };

/* Writes "proc/PID/file" and returns it. The name of the file has at most 30 bytes. */
const char *proc_path(char path[PROC_PATH_SIZE], int32_t pid, const char *file);
