/* Condition variables with deadlines. */
#pragma once

#include <pthread.h>

/* Initializes one whose deadlines are times of CLOCK_MONOTONIC: setting the clock moves none. */
void condition_init(pthread_cond_t *condition);
