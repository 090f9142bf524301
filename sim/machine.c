#include "machine.h"

#include <string.h>

struct sim_device *machine_device(struct machine *m, unsigned number)
{
	for (size_t i = 0; i < m->device_count; i++)
		if (m->devices[i].slot.number == number)
			return &m->devices[i];
	return NULL;
}

const struct fault *machine_fault(const struct machine *m, const struct sim_device *d,
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

enum place_on_bus machine_place(const struct machine *m, const struct sim_device *d)
{
	if (machine_fault(m, d, FAULT_GONE, NULL))
		return PLACE_GONE;
	if (machine_fault(m, d, FAULT_VFIO, NULL))
		return PLACE_VFIO;
	return machine_fault(m, d, FAULT_UNBOUND, NULL) ? PLACE_UNBOUND : PLACE_SERVED;
}

void machine_judge(const struct machine *m, struct sim_device *d)
{
	d->off_bus = machine_fault(m, d, FAULT_DEAD, NULL);
	d->in_reset = machine_fault(m, d, FAULT_RESET, NULL);
	/* Before 2.9 reads during a reset did not fail but returned the words of the chip. */
	if (d->in_reset && !version_at_least(&m->opt.driver, 2, 9))
		d->off_bus = true;
}
