/* What a client's table says: the operations of client_ops that read it. */
#pragma once

#include "daemon/reporter.h"

void client_describe(const struct reporter *reporter, struct image_process *record);
uint32_t client_usages(struct reporter *reporter, struct image_usage *ret, uint32_t *flags);
uint32_t client_count_usages(struct reporter *reporter);
uint32_t client_count_allocations(struct reporter *reporter);
void client_list(struct reporter *reporter, struct image_writer *writer, uint32_t *flags);
