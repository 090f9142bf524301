#include "source/identity.h"

#include "source/metal_id.h"

static bool device_has_address(const struct device *dev, uint64_t *ret)
{
	return device_knows(dev, DEV_BDF) && pci_address_parse(dev->bdf, ret) == 0;
}

static bool is_meant(const struct device *dev, const struct table_device *wanted)
{
	uint64_t address;

	if (wanted->known & TABLE_BEHIND)
		return dev->remote && dev->gateway == wanted->node;
	if (!device_has_node(dev))
		return false;
	/* Not every output needs every id, and a dead chip has none. */
	if (wanted->known & TABLE_HAS_ASIC && device_knows(dev, DEV_ASIC_ID))
		return dev->asic_id == wanted->asic;
	if (wanted->known & TABLE_HAS_BDF && device_knows(dev, DEV_BDF))
		return device_has_address(dev, &address) && address == wanted->bdf;
	return (wanted->known & TABLE_HAS_NODE) && dev->index == wanted->node;
}

bool identity_find(const struct snapshot *snapshot, const struct table_device *wanted, size_t *ret)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		if (is_meant(&snapshot->devices[i], wanted)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static void order_insert(struct identity_order *order, struct visible_card card, size_t device)
{
	size_t at = order->count++;

	for (; at > 0 && order->cards[at - 1].bdf > card.bdf; at--) {
		order->cards[at] = order->cards[at - 1];
		order->at[at] = order->at[at - 1];
	}
	order->cards[at] = card;
	order->at[at] = device;
}

void identity_order(const struct snapshot *snapshot, struct identity_order *ret)
{
	*ret = (struct identity_order){ .complete = true };
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];
		struct visible_card card = { .node = dev->index };

		if (!device_has_node(dev))
			continue;
		if (ret->count < VISIBLE_CARDS && device_has_address(dev, &card.bdf))
			order_insert(ret, card, i);
		else
			ret->complete = false;
	}
}

static bool has_remote(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (snapshot->devices[i].remote)
			return true;
	return false;
}

static void add_remote(struct identity_numbers *numbers, const struct snapshot *snapshot)
{
	size_t gateways = has_remote(snapshot) ? numbers->count : 0;

	for (size_t k = 0; k < gateways; k++)
		for (size_t i = 0; i < snapshot->n_devices; i++)
			if (snapshot->devices[i].remote &&
			    snapshot->devices[i].gateway ==
				    snapshot->devices[numbers->at[k]].index &&
			    numbers->count < ARRAY_SIZE(numbers->at))
				numbers->at[numbers->count++] = i;
}

/* The chips that a process sees, given its visible PCIe devices: these by address, then the others.
 */
static void list_visible(struct identity_numbers *numbers, const struct snapshot *snapshot,
			 const struct identity_order *order, uint64_t mask)
{
	numbers->count = 0;
	for (; mask; mask &= mask - 1)
		numbers->at[numbers->count++] = order->at[__builtin_ctzll(mask)];
	add_remote(numbers, snapshot);
}

static uint64_t held_mask(const struct process *process, const struct identity_order *order)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < order->count; i++)
		if (process_find_usage(process, order->at[i]))
			mask |= UINT64_C(1) << i;
	return mask;
}

/* Its chips: those of the first visible set, or those that it holds. */
static void list_chips(struct identity_numbers *numbers, const struct snapshot *snapshot,
		       const struct process *process, const struct identity_order *order)
{
	list_visible(numbers, snapshot, order,
		     process->n_visible ? process->visible[0] : held_mask(process, order));
}

bool identity_orders_agree(const struct snapshot *snapshot, const struct process *process)
{
	struct identity_order order;
	struct identity_numbers chips;
	size_t gateways = 0;

	identity_order(snapshot, &order);
	list_chips(&chips, snapshot, process, &order);
	while (gateways < chips.count && !snapshot->devices[chips.at[gateways]].remote)
		gateways++;
	return order.complete && metal_ids_ascend(snapshot, chips.at, gateways) &&
	       metal_ids_ascend(snapshot, chips.at + gateways, chips.count - gateways);
}

/* The number of PCIe devices that the process holds, and the last of them. */
static unsigned count_held(const struct snapshot *snapshot, const struct process *process,
			   size_t *ret_last)
{
	unsigned held = 0;

	for (size_t i = 0; i < process->n_usages; i++) {
		if (snapshot->devices[process->usages[i].device].remote)
			continue;
		*ret_last = process->usages[i].device;
		held++;
	}
	return held;
}

/* With a single PCIe device the number of that one does not matter. */
static void number_single(struct identity_numbers *numbers, const struct snapshot *snapshot,
			  size_t device)
{
	numbers->at[0] = device;
	numbers->count = 1;
	add_remote(numbers, snapshot);
	numbers->is_single = numbers->count == 1;
}

/* Numbers that refer to different chips in the two sets that the process may see are unknown. */
static void compare_sets(struct identity_numbers *numbers, const struct snapshot *snapshot,
			 const struct process *process, const struct identity_order *order)
{
	struct identity_numbers others;

	list_visible(&others, snapshot, order, process->visible[1]);
	for (size_t i = 0; i < numbers->count; i++)
		if (i >= others.count || others.at[i] != numbers->at[i])
			numbers->at[i] = IDENTITY_UNKNOWN;
}

void identity_numbers(const struct snapshot *snapshot, const struct process *process,
		      struct identity_numbers *ret)
{
	struct identity_order order;
	size_t last;

	ret->count = 0;
	ret->is_single = false;
	if (count_held(snapshot, process, &last) == 1) {
		number_single(ret, snapshot, last);
		return;
	}
	identity_order(snapshot, &order);
	if (!order.complete || (process->visible_why && process->n_visible < 2))
		return;
	list_chips(ret, snapshot, process, &order);
	if (process->n_visible == 2)
		compare_sets(ret, snapshot, process, &order);
}

bool identity_numbers_find(const struct identity_numbers *numbers, uint64_t id, size_t *ret)
{
	if (numbers->is_single && id < TABLE_DEVICES)
		id = 0;
	if (id >= numbers->count || numbers->at[id] == IDENTITY_UNKNOWN)
		return false;
	*ret = numbers->at[id];
	return true;
}

bool identity_logical(const struct snapshot *snapshot, const struct process *process, uint64_t id,
		      size_t *ret)
{
	struct identity_numbers numbers;

	identity_numbers(snapshot, process, &numbers);
	return identity_numbers_find(&numbers, id, ret);
}

const struct usage *identity_find_hold(const struct snapshot *snapshot,
				       const struct process *process, size_t device)
{
	const struct usage *usage = process_find_usage(process, device);
	const struct device *dev = &snapshot->devices[device];

	for (size_t i = 0; i < process->n_usages && dev->remote && !usage; i++) {
		const struct device *held = &snapshot->devices[process->usages[i].device];

		if (!held->remote && held->index == dev->gateway)
			usage = &process->usages[i];
	}
	return usage;
}

bool identity_reported(const struct snapshot *snapshot, const struct process *process,
		       const struct table_device *wanted, uint32_t logical, size_t *ret)
{
	bool found = identity_find(snapshot, wanted, ret);

	/*
	 * The program's own statement counts, and a program may report without having a device
	 * open.
	 */
	if (wanted->known & TABLE_STATED || !process || !process->n_usages)
		return found;
	return (found && identity_find_hold(snapshot, process, *ret)) ||
	       identity_logical(snapshot, process, logical, ret);
}
