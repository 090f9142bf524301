#include "model/metric.h"

#define MB 1048576.0
#define GB (1024 * MB)

const char *const metric_names[METRIC_N] = {
	[METRIC_DRAM] = "dram",
	[METRIC_POWER] = "power",
	[METRIC_TEMPERATURE] = "temperature",
	[METRIC_AICLK] = "aiclk",
	[METRIC_PCIE_IN] = "pcie_in",
	[METRIC_PCIE_OUT] = "pcie_out",
	[METRIC_L1] = "l1",
	[METRIC_COMPUTE] = "compute",
};

/* clang-format off */
const struct metric_info metric_infos[METRIC_N] = {
	[METRIC_DRAM] = { "DRAM", "", "", DEV_DRAM_USED, DEV_DRAM_TOTAL, GB, 3, false, 1 },
	[METRIC_POWER] = { "Power", "W", "W", DEV_POWER, DEV_POWER_LIMIT, 1, 0, false, 50 },
	[METRIC_TEMPERATURE] = { "Temperature", "°C", "C", DEV_TEMPERATURE,
		DEV_TEMPERATURE_LIMIT, 1, 0, false, 25 },
	[METRIC_AICLK] = { "AICLK", "MHz", "MHz", DEV_AICLK, DEV_AICLK, 1e6, 0, false, 250 },
	[METRIC_PCIE_IN] = { "PCIe in", "", "", DEV_PCIE_RX, DEV_PCIE_RX, MB, 2, true, 100 },
	[METRIC_PCIE_OUT] = { "PCIe out", "", "", DEV_PCIE_TX, DEV_PCIE_TX, MB, 2, true, 100 },
	[METRIC_L1] = { "L1", "", "", DEV_L1_USED, DEV_L1_TOTAL, MB, 2, false, 10 },
	[METRIC_COMPUTE] = { "Compute", "%", "%", DEV_DISPATCH, DEV_DISPATCH, 0.01, 0, false, 100 },
};
/* clang-format on */
