#include "machine.h"

#include <string.h>

struct device *machine_device(struct machine *m, unsigned number)
{
	for (size_t i = 0; i < m->device_count; i++)
		if (m->devices[i].slot.number == number)
			return &m->devices[i];
	return NULL;
}

const struct fault *machine_fault(const struct machine *m, const struct device *d,
				  enum fault_kind kind, const char *attr)
{
	for (size_t i = 0; i < m->opt.fault_count; i++) {
		const struct fault *f = &m->opt.faults[i];

		if (f->kind != kind || f->number != d->slot.number)
			continue;
		if (attr && strcmp(attr, f->attr) != 0)
			continue;
		if (fault_is_active(f, m->now_ms))
			return f;
	}
	return NULL;
}
