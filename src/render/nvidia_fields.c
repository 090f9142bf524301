#include "render/nvidia_fields.h"

#include "basic/macros.h"

/*
 * Texts rather than addresses of texts, and no struct field: those would be relocated at each start
 * of the program, even if it needs no name.
 */
struct accepted_name {
	char key[60], aliases[56];
	uint8_t unit;
};

/* clang-format off */

/* A name, its other names or "", and the unit that its heading has. */
#define NAME(key, aliases, unit) { key, aliases, unit }
#define PLAIN(key) NAME(key, "", U_NONE),

/* Errors of one kind, since the last reset and since the board was made. */
#define ECC_COUNTERS(kind) \
	ECC_PLACES("ecc.errors." kind ".volatile.") \
	ECC_PLACES("ecc.errors." kind ".aggregate.")
#define ECC_PLACES(prefix) \
	PLAIN(prefix "device_memory") PLAIN(prefix "dram") PLAIN(prefix "register_file") \
	PLAIN(prefix "l1_cache") PLAIN(prefix "l2_cache") PLAIN(prefix "texture_memory") \
	PLAIN(prefix "cbu") PLAIN(prefix "sram") PLAIN(prefix "total")

/* The driver renamed these; both names are in use. */
#define SLOWDOWN(reason) \
	NAME("clocks_event_reasons." reason, "clocks_throttle_reasons." reason, U_NONE),

static const struct accepted_name names[] = {
	PLAIN("vgpu_driver_capability.heterogenous_multivGPU")
	PLAIN("vgpu_device_capability.fractional_multiVgpu")
	PLAIN("vgpu_device_capability.heterogeneous_timeSlice_profile")
	PLAIN("vgpu_device_capability.heterogeneous_timeSlice_sizes")
	PLAIN("vgpu_device_capability.homogeneous_placements")
	PLAIN("vgpu_device_capability.mig_timeslicing_supported")
	PLAIN("vgpu_device_capability.mig_timeslicing_mode")
	PLAIN("pci.baseClass") PLAIN("pci.subClass")
	PLAIN("display_mode") PLAIN("display_attached") PLAIN("display_active")
	PLAIN("persistence_mode") PLAIN("addressing_mode") PLAIN("accounting.mode")
	PLAIN("accounting.buffer_size") PLAIN("driver_model.current") PLAIN("driver_model.pending")
	NAME("inforom.img", "inforom.image", U_NONE), PLAIN("inforom.oem") PLAIN("inforom.ecc")
	PLAIN("inforom.checksum_validation")
	NAME("inforom.pwr", "inforom.power", U_NONE),
	PLAIN("reset_status.reset_required") PLAIN("reset_status.drain_and_reset_recommended")
	PLAIN("gpu_recovery_action")
	NAME("gom.current", "gpu_operation_mode.current", U_NONE),
	NAME("gom.pending", "gpu_operation_mode.pending", U_NONE),
	PLAIN("pstate")
	SLOWDOWN("supported") SLOWDOWN("active") SLOWDOWN("gpu_idle")
	SLOWDOWN("applications_clocks_setting") SLOWDOWN("sw_power_cap") SLOWDOWN("hw_slowdown")
	SLOWDOWN("hw_thermal_slowdown") SLOWDOWN("hw_power_brake_slowdown")
	SLOWDOWN("sw_thermal_slowdown") SLOWDOWN("sync_boost")
	PLAIN("clocks_event_reasons_counters.sw_power_cap")
	PLAIN("clocks_event_reasons_counters.sync_boost")
	PLAIN("clocks_event_reasons_counters.sw_thermal_slowdown")
	PLAIN("clocks_event_reasons_counters.hw_thermal_slowdown")
	PLAIN("clocks_event_reasons_counters.hw_power_brake_slowdown")
	NAME("memory.reserved", "", U_BYTE),
	PLAIN("compute_mode") PLAIN("compute_cap")
	NAME("utilization.encoder", "", U_RATIO), NAME("utilization.decoder", "", U_RATIO),
	NAME("utilization.jpeg", "", U_RATIO), NAME("utilization.ofa", "", U_RATIO),
	PLAIN("dramEncryption.mode.current") PLAIN("dramEncryption.mode.pending")
	PLAIN("encoder.stats.sessionCount") PLAIN("encoder.stats.averageFps")
	PLAIN("encoder.stats.averageLatency") PLAIN("ecc.mode.current") PLAIN("ecc.mode.pending")
	ECC_COUNTERS("corrected") ECC_COUNTERS("uncorrected")
	PLAIN("ecc.errors.uncorrected.volatile.sram.parity")
	NAME("ecc.errors.uncorrected.volatile.sram.sec-ded",
	     "ecc.errors.uncorrected.volatile.sram.secded", U_NONE),
	PLAIN("ecc.errors.uncorrected.aggregate.sram.parity")
	NAME("ecc.errors.uncorrected.aggregate.sram.sec-ded",
	     "ecc.errors.uncorrected.aggregate.sram.secded", U_NONE),
	PLAIN("ecc.errors.uncorrected.aggregate.sram.l2")
	PLAIN("ecc.errors.uncorrected.aggregate.sram.sm")
	PLAIN("ecc.errors.uncorrected.aggregate.sram.mcu")
	PLAIN("ecc.errors.uncorrected.aggregate.sram.pcie")
	PLAIN("ecc.errors.uncorrected.aggregate.sram.other")
	PLAIN("ecc.errors.uncorrected.aggregate.sram.thresholdExceeded")
	NAME("retired_pages.single_bit_ecc.count", "retired_pages.sbe", U_NONE),
	NAME("retired_pages.double_bit.count", "retired_pages.dbe", U_NONE),
	PLAIN("retired_pages.pending") PLAIN("remapped_rows.correctable")
	PLAIN("remapped_rows.uncorrectable") PLAIN("remapped_rows.pending")
	PLAIN("remapped_rows.failure") PLAIN("remapped_rows.histogram.max")
	PLAIN("remapped_rows.histogram.high") PLAIN("remapped_rows.histogram.partial")
	PLAIN("remapped_rows.histogram.low") PLAIN("remapped_rows.histogram.none")
	PLAIN("power.management")
	NAME("power.draw.average", "", U_WATT), NAME("power.default_limit", "", U_WATT),
	NAME("power.min_limit", "", U_WATT), PLAIN("edpp_multiplier") NAME("module.power.draw.average", "", U_WATT),
	NAME("module.power.draw.instant", "", U_WATT), NAME("module.power.limit", "", U_WATT),
	NAME("module.enforced.power.limit", "", U_WATT),
	NAME("module.power.default_limit", "", U_WATT),
	NAME("module.power.min_limit", "", U_WATT), NAME("module.power.max_limit", "", U_WATT),
	NAME("clocks.current.memory", "clocks.mem", U_HERTZ),
	NAME("clocks.current.video", "clocks.video", U_HERTZ),
	NAME("clocks.applications.graphics", "clocks.applications.gr", U_HERTZ),
	NAME("clocks.applications.memory", "clocks.applications.mem", U_HERTZ),
	NAME("clocks.default_applications.graphics", "clocks.default_applications.gr", U_HERTZ),
	NAME("clocks.default_applications.memory", "clocks.default_applications.mem", U_HERTZ),
	NAME("clocks.max.memory", "clocks.max.mem", U_HERTZ),
	NAME("mig.mode.current", "mig.mode", U_NONE),
	PLAIN("mig.mode.pending") PLAIN("gsp.mode.current") PLAIN("gsp.mode.default")
	PLAIN("c2c.mode")
	NAME("protected_memory.total", "", U_BYTE), NAME("protected_memory.used", "", U_BYTE),
	NAME("protected_memory.free", "", U_BYTE),
	PLAIN("fabric.state") PLAIN("fabric.status") PLAIN("fabric.cliqueId")
	PLAIN("fabric.clusterUuid") PLAIN("fabric.health.summary") PLAIN("fabric.health.bandwidth")
	PLAIN("fabric.health.route_recovery_in_progress") PLAIN("fabric.health.route_unhealthy")
	PLAIN("fabric.health.access_timeout_recovery")
	PLAIN("fabric.health.incorrect_configuration")
	PLAIN("platform.chassis_serial_number") PLAIN("platform.slot_number")
	PLAIN("platform.host_id") PLAIN("platform.peer_type") PLAIN("platform.gpu_fabric_guid")
};
/* clang-format on */

const struct field_table *nvidia_fields(void)
{
	static struct field fields[ARRAY_SIZE(names)];
	static const struct field_table table = {
		.fields = fields,
		.count = ARRAY_SIZE(fields),
		.of = OF_NOTHING,
	};

	for (size_t i = 0; i < ARRAY_SIZE(names) && !fields[i].key; i++)
		fields[i] = (struct field){
			.key = names[i].key,
			.aliases = names[i].aliases[0] ? names[i].aliases : NULL,
			.kind = K_NEVER,
			.unit = names[i].unit,
		};
	return &table;
}
