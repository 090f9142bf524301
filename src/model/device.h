/*
 * One chip: identity, readings, memory. Values are in base units; each has its
 * reason in why[], KNOWN if the value is there.
 */
#pragma once

#include "model/board.h"
#include "model/device_state.h"
#include "model/field.h"
#include "model/threshold.h"
#include "model/pool.h"

#include <stdbool.h>
#include <stdint.h>

#define DEVICE_COUNTERS 12

enum { DEVICE_VENDOR = 0x1E52 }; /* Tenstorrent, on the PCI bus */

/*
 * The driver's counters of data flits at the PCIe tile, payload into the device
 * first; the digit is the NoC. X(position, name) for each.
 */
#define DEVICE_EACH_COUNTER(X)                       \
	X(0, "mst_posted_wr_data_word_sent0")        \
	X(1, "mst_posted_wr_data_word_sent1")        \
	X(2, "mst_nonposted_wr_data_word_sent0")     \
	X(3, "mst_nonposted_wr_data_word_sent1")     \
	X(4, "slv_rd_data_word_sent0")               \
	X(5, "slv_rd_data_word_sent1")               \
	X(6, "slv_posted_wr_data_word_received0")    \
	X(7, "slv_posted_wr_data_word_received1")    \
	X(8, "slv_nonposted_wr_data_word_received0") \
	X(9, "slv_nonposted_wr_data_word_received1") \
	X(10, "mst_rd_data_word_received0")          \
	X(11, "mst_rd_data_word_received1")

#define DEVICE_COUNTERS_RX 6 /* as many of them are payload into the device */

enum device_field {
	DEV_ID,
	DEV_NAME,
	DEV_ARCHITECTURE,
	DEV_BOARD,
	DEV_UUID,
	DEV_SERIAL,
	DEV_ASIC_ID,
	DEV_NODE,
	DEV_STATE,
	DEV_HEALTH,
	DEV_TRAY,
	DEV_CHIP,
	DEV_REMOTE,
	DEV_GATEWAY,
	DEV_BDF,
	DEV_PCI_VENDOR,
	DEV_PCI_DEVICE,
	DEV_PCI_SUBVENDOR,
	DEV_PCI_SUBDEVICE,
	DEV_PCI_REVISION,
	DEV_NUMA_NODE,
	DEV_LINK_GEN,
	DEV_LINK_WIDTH,
	DEV_LINK_GEN_MAX,
	DEV_LINK_WIDTH_MAX,
	DEV_PCIE_RX,
	DEV_PCIE_TX,
	DEV_COUNTER, /* the first of twelve */
	DEV_COUNTER_LAST = DEV_COUNTER + DEVICE_COUNTERS - 1,
	DEV_TEMPERATURE,
	DEV_TEMPERATURE_LIMIT,
	DEV_TEMPERATURE_HEADROOM,
	DEV_TEMPERATURE_SHUTDOWN,
	DEV_TEMPERATURE_MEMORY,
	DEV_POWER,
	DEV_POWER_LIMIT,
	DEV_POWER_BOARD,
	DEV_VOLTAGE,
	DEV_VOLTAGE_LIMIT,
	DEV_CURRENT,
	DEV_CURRENT_LIMIT,
	DEV_AICLK,
	DEV_AICLK_MAX,
	DEV_AXICLK,
	DEV_ARCCLK,
	DEV_FAN_RPM,
	DEV_FAN_SPEED,
	DEV_FW_BUNDLE,
	DEV_FW_DM_APP,
	DEV_FW_DM_BL,
	DEV_FW_CM,
	DEV_FW_ETH,
	DEV_FW_FLASH,
	DEV_HEARTBEAT,
	DEV_ALIVE,
	DEV_UPTIME,
	DEV_THERMAL_TRIPS,
	DEV_DRAM_TOTAL,
	DEV_DRAM_USED,
	DEV_DRAM_FREE,
	DEV_TRACE_USED,
	DEV_L1_TOTAL,
	DEV_L1_USED,
	DEV_L1_FREE,
	DEV_L1_SMALL_USED,
	DEV_CB_USED,
	DEV_MEMORY_COMPLETE,
	DEV_COMPUTE,
	DEV_DISPATCH,
	DEV_MEMORY_RATIO,
	DEV_DRAM_READ,
	DEV_DRAM_WRITE,
	DEV_PROCESSES,
	DEVICE_N_FIELDS,
};

_Static_assert(DEVICE_N_FIELDS <= FIELDSET_WORDS * 64, "a field set holds every device field");

#define DEVICE_FIELD(name)            \
	{                             \
		OF_DEVICE, DEV_##name \
	}

/*
 * A card on the bus that the driver never served in this run has no number N. Its index is
 * one of these, the same in every sample, and its id is its PCI address.
 */
enum { DEVICE_FIRST_UNSERVED = 0x10000 };

struct device {
	uint8_t why[DEVICE_N_FIELDS]; /* enum reason */
	uint32_t index;		  /* N of /dev/tenstorrent/N; of its gateway if remote; see above */
	const struct board *type; /* NULL if not in the table */
	enum arch arch;
	int64_t sampled_ns; /* CLOCK_MONOTONIC, when the counters were read */
	int64_t moved_ns;   /* the same clock, when the heartbeat was last seen to move */

	char id[24]; /* "3"; "3R" for the chip behind it; a PCI address without a number */
	char board[32];
	char uuid[24];
	uint64_t serial;
	uint64_t asic_id;
	char node[32];
	enum device_state state;
	char health[48];
	int32_t tray, chip; /* from 1 */
	bool remote;
	uint32_t gateway;
	char bdf[24];
	char driver[32]; /* the other one that is bound to it; empty: none */
	uint32_t pci_vendor, pci_device, pci_subvendor, pci_subdevice, pci_revision;
	int32_t numa_node;
	uint32_t link_gen, link_width, link_gen_max, link_width_max;
	double pcie_rx, pcie_tx; /* rx: into the device */
	uint32_t counters[DEVICE_COUNTERS];
	double temperature, temperature_limit, temperature_headroom;
	double power, power_limit;
	double voltage, voltage_limit;
	double current, current_limit;
	uint64_t aiclk, axiclk, arcclk; /* Hz */
	uint32_t fan_rpm;
	char fw_bundle[16], fw_dm_app[16], fw_dm_bl[16], fw_cm[16], fw_eth[16], fw_flash[16];
	uint32_t heartbeat;
	bool alive;
	double uptime;
	uint32_t thermal_trips;

	/* Use: what does not come from the driver's files; device_copy_use() copies all of it. */
	uint32_t unseen_holders;	   /* opens by processes that we cannot see */
	uint32_t lost_openers;		   /* of them: by openers that have exited; the others are
					      outside our pid namespace */
	bool holders_known;		   /* is it known which processes have it open? */
	enum reason holders_why;	   /* if not */
	uint64_t memory_used[POOL_COUNT];  /* DRAM with trace buffers, L1 with L1_SMALL */
	uint64_t memory_total[POOL_COUNT]; /* DRAM and L1 have one */
	uint64_t memory_free[POOL_COUNT];
	bool memory_complete; /* every process on it is tracked, with all that it holds */
	double compute, dispatch, memory_ratio;
	double dram_read, dram_write;
	uint32_t processes;
};

extern const struct field_table device_fields;

/* The fields of a pool, as enum device_field; DEV_ID, the first of all: there is none. */
struct device_pool {
	uint8_t total, used, free;
};

extern const struct device_pool device_pools[POOL_COUNT];

/* An unread device: everything NOT_ASKED. */
void device_init(struct device *dev, uint32_t index);

/* Has it a number N, and with it a node? Not: a chip without PCIe, a card without its driver. */
static inline bool device_has_node(const struct device *dev)
{
	return !dev->remote && dev->index < DEVICE_FIRST_UNSERVED;
}

/* A card on the bus that the driver never served in this run. */
static inline bool device_is_unserved(const struct device *dev)
{
	return !dev->remote && dev->index >= DEVICE_FIRST_UNSERVED;
}

/* Why the driver does not serve it; KNOWN if it does, or could not: it is remote. */
enum reason device_absence(const struct device *dev);

/* Does the driver serve it now? */
static inline bool device_is_served(const struct device *dev)
{
	return device_has_node(dev) && device_absence(dev) == KNOWN;
}

static inline bool device_knows(const struct device *dev, enum device_field field)
{
	return dev->why[field] == KNOWN;
}

/* Why its memory is not known while somebody has it open whom we cannot see. */
static inline enum reason device_unseen_reason(const struct device *dev)
{
	return dev->lost_openers == dev->unseen_holders ? HOLDER_UNKNOWN : OTHER_NAMESPACE;
}

/* Takes over from an earlier sample what is made of the device, and by whom. */
void device_copy_use(struct device *dev, const struct device *from);

/* The same reason for all fields that are in the set, applicable and not known. */
void device_mark(struct device *dev, const struct fieldset *fields, enum reason why);

/* Fills what follows from what was read: uuid, place, headroom, uptime, capacity. */
void device_derive(struct device *dev);

/* Fills state and health, last of all: rates and heartbeat count. */
void device_judge(struct device *dev);

/* What is wrong with a chip that answers, by its own limits; most urgent first. */
enum device_trouble {
	TROUBLE_STALLED = 1, /* the heartbeat stands still: firmware hangs, readings are old */
	TROUBLE_HOT = 2,
	TROUBLE_POWER = 4, /* at its power limit, where firmware lowers the clock */
	TROUBLE_TRIPPED = 8,
};

/* The set of them, as far as what was read shows it. */
unsigned device_troubles(const struct device *dev);

/* SEVERITY_NORMAL also if the reading or its limit is not known. */
enum severity device_temperature_severity(const struct device *dev);
enum severity device_power_severity(const struct device *dev);

/* Has its firmware stopped, so that its readings are old? */
bool device_is_stalled(const struct device *dev);

/* Does it give no current readings, though it should? */
bool device_is_failing(const struct device *dev);

/* Its state in words, "" if it is well: "timed out", "bound to vfio-pci", "firmware not alive". */
const char *device_condition_text(const struct device *dev);

/* The same in at most seven letters: "hung"; "" if the state needs no word. */
const char *device_condition_word(const struct device *dev);

/* Bundle version as one number, 0 if not known: 19.5.0.0 is 0x13050000. */
uint32_t device_bundle(const struct device *dev);

/* PCI bus number, -1 if the address has another form. */
int device_bus(const struct device *dev);
