/*
 * One chip: identity, readings, memory. Values are in base units. why[] holds KNOWN for each value
 * that was read, otherwise the reason why it is missing.
 */
#pragma once

#include "model/board.h"
#include "model/device_state.h"
#include "model/field.h"
#include "model/pool.h"
#include "model/utilization.h"

#include <stdbool.h>
#include <stdint.h>

#define DEVICE_COUNTERS 12

/* The last job that died abruptly while it held the device, as the tracer saw it; Unix times. */
struct observed_death {
	double since; /* when the observation began; 0: the tracer does not observe it */
	double time;  /* 0: none has died */
	int32_t pid;
	int signal;
	char name[32];
};

enum { DEVICE_VENDOR = 0x1E52 }; /* PCI vendor id of Tenstorrent */

/*
 * The driver's counters of data flits at the PCIe tile, payload into the device first; the digit is
 * the NoC. X(index, name) for each.
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

#define DEVICE_COUNTERS_RX 6 /* the first six count payload into the device */

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
	DEV_PCI_DOMAIN,
	DEV_PCI_BUS,
	DEV_PCI_SLOT,
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
	DEV_LINK_GEN_EXPECTED,
	DEV_LINK_WIDTH_EXPECTED,
	DEV_ERRORS_CORRECTABLE,
	DEV_ERRORS_NONFATAL,
	DEV_ERRORS_FATAL,
	DEV_UPSTREAM, /* the port at the other end of the link; the first of its fields */
	DEV_UPSTREAM_GEN_MAX,
	DEV_UPSTREAM_WIDTH_MAX,
	DEV_UPSTREAM_CORRECTABLE,
	DEV_UPSTREAM_NONFATAL,
	DEV_UPSTREAM_FATAL, /* the last */
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
	DEV_QUIET,
	DEV_DIRTY,
	DEV_DIRTY_CAUSE,
	DEV_DIRTY_TIME,
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
	DEV_DISPATCH, /* the first of struct utilization */
	DEV_BOUND,
	DEV_PROGRAMS,
	DEV_RUNNING,
	DEV_LAST_PROGRAM,
	DEV_OPERATION,
	DEV_MEMORY_RATIO,
	DEV_DRAM_READ,
	DEV_DRAM_WRITE,
	DEV_PROCESSES,
	DEV_CLAIM,
	DEVICE_N_FIELDS,
};

_Static_assert(DEVICE_N_FIELDS <= FIELDSET_WORDS * 64, "a field set holds every device field");

#define DEVICE_FIELD(name)            \
	{                             \
		OF_DEVICE, DEV_##name \
	}

/*
 * A card that the driver has not served while this program runs has no number N. Its index is one
 * of these, the same in every sample, and its id is its PCI address.
 */
enum { DEVICE_FIRST_UNSERVED = 0x10000 };

/* Advanced Error Reporting: errors since the kernel found the device. */
struct pcie_errors {
	uint64_t correctable, nonfatal, fatal;
};

struct device {
	uint8_t why[DEVICE_N_FIELDS]; /* enum reason */
	/* N of /dev/tenstorrent/N; of its gateway if remote; else see DEVICE_FIRST_UNSERVED */
	uint32_t index;
	const struct board *type; /* NULL if the board is unknown */
	enum arch arch;
	int64_t sampled_ns; /* CLOCK_MONOTONIC, when the counters were read */
	int64_t moved_ns;   /* CLOCK_MONOTONIC, when the heartbeat was last seen to change */

	char id[24]; /* "3"; "3R" for the chip behind it; the PCI address if it has no number */
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
	uint32_t pci_domain, pci_bus, pci_slot; /* of the address */
	char driver[32];			/* the foreign driver bound to it; empty: none */
	uint32_t pci_vendor, pci_device, pci_subvendor, pci_subdevice, pci_revision;
	int32_t numa_node;
	uint32_t link_gen, link_width, link_gen_max, link_width_max;
	uint32_t link_gen_expected, link_width_expected;
	struct pcie_errors errors;
	struct {
		char bdf[24];
		uint32_t gen_max, width_max;
		struct pcie_errors errors;
	} upstream;		 /* the port at the other end of the link */
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
	int64_t worked_ns; /* CLOCK_MONOTONIC, when its traffic last showed work; 0: not observed */
	int64_t server_worked_ns;    /* the same, as the server has observed it */
	double quiet;		     /* seconds */
	struct observed_death death; /* what the tracer has seen */
	bool dirty;
	double dirty_time; /* Unix time */
	char dirty_cause[112];

	/*
	 * Use of the device, which does not come from the driver's files; device_copy_use() copies
	 * it.
	 */
	uint32_t unseen_holders; /* opens by processes that are not visible */
	/* the part of them whose opener has exited; the others are outside this pid namespace */
	uint32_t lost_openers;
	bool holders_known;		   /* are the processes that have it open known? */
	enum reason holders_why;	   /* the reason if they are not */
	uint64_t memory_used[POOL_COUNT];  /* DRAM includes trace buffers, L1 includes L1_SMALL */
	uint64_t memory_total[POOL_COUNT]; /* for DRAM and L1 */
	uint64_t memory_free[POOL_COUNT];
	bool memory_complete; /* every process on it is tracked completely */
	double compute, memory_ratio;
	struct utilization utilization;
	double dram_read, dram_write;
	uint32_t processes;
	char claim[40]; /* uid of the Kubernetes claim that it is prepared for */
};

extern const struct field_table device_fields;

/* Sets the fields DEV_DISPATCH to DEV_OPERATION. */
void device_set_utilization(struct device *dev, const struct utilization_figure *figure);

/* The fields of a pool; DEV_ID: the pool does not have this field. */
struct device_pool {
	uint8_t total, used, free;
};

extern const struct device_pool device_pools[POOL_COUNT];

/* A device that was not read: everything is NOT_ASKED. */
void device_init(struct device *dev, uint32_t index);

/*
 * Does it have a number N, and so a device node? Chips without PCIe and cards without their driver
 * do not.
 */
static inline bool device_has_node(const struct device *dev)
{
	return !dev->remote && dev->index < DEVICE_FIRST_UNSERVED;
}

/* A card on the bus that the driver has not served while this program runs. */
static inline bool device_is_unserved(const struct device *dev)
{
	return !dev->remote && dev->index >= DEVICE_FIRST_UNSERVED;
}

/* Why the driver does not serve it. KNOWN if it does, or if the chip is remote. */
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

/* Is it a chip on a board of that name, in any case? */
bool device_is_board(const struct device *dev, const char *name);

/* Why its memory is unknown while processes that are not visible have it open. */
static inline enum reason device_unseen_reason(const struct device *dev)
{
	return dev->lost_openers == dev->unseen_holders ? HOLDER_UNKNOWN : OTHER_NAMESPACE;
}

/* Sets board and architecture from its type; without a type, the architecture from its PCI id. */
void device_name_board(struct device *dev);

/* Copies the use of the device (memory, processes) from an earlier sample. */
void device_copy_use(struct device *dev, const struct device *from);

/* Sets the reason of all fields in the set that are applicable and unknown. */
void device_mark(struct device *dev, const struct fieldset *fields, enum reason why);

/* Fills the fields that follow from others: uuid, place, headroom, uptime, capacity. */
void device_derive(struct device *dev);

/* Bundle version as one number, e.g. 0x13050000 for 19.5.0.0; 0: unknown. */
uint32_t device_bundle(const struct device *dev);

/* PCI bus number; -1 if the address is malformed. */
int device_bus(const struct device *dev);
