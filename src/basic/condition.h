/* Condition variables with deadlines. */
#pragma once

#include <pthread.h>

/* Initializes a condition variable whose deadlines are times of CLOCK_MONOTONIC, so that setting
 * the clock does not change them. */
void condition_init(pthread_cond_t *condition);
