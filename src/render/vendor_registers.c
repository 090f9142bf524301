#include "render/vendor_registers.h"

#include <stdio.h>
#include <string.h>

/* A raw register, if its value is known. */
struct word {
	bool known;
	uint32_t value;
};

static struct word known_if(bool known, double value)
{
	return (struct word){ known, known ? (uint32_t)(value + 0.5) : 0 };
}

static struct word read_word(const struct device *dev, enum device_field field, double value)
{
	return known_if(device_knows(dev, field), value);
}

/* Packs two numbers into one word, the limit in the upper half, if both are known. */
static struct word read_pair(const struct device *dev, enum device_field limit, double high,
			     enum device_field now, double low)
{
	bool known = device_knows(dev, limit) && device_knows(dev, now);
	struct word word = known_if(known, high);

	word.value = word.value << 16 | known_if(known, low).value;
	return word;
}

/* "A.B.C.D" with one byte each, or "A.B.C" as packed by Wormhole's Ethernet firmware. */
static struct word read_version(const struct device *dev, enum device_field field, const char *text)
{
	unsigned a, b, c, d;

	if (!device_knows(dev, field))
		return (struct word){ 0 };
	if (sscanf(text, "%3u.%3u.%3u.%3u", &a, &b, &c, &d) == 4)
		return (struct word){ true, a << 24 | b << 16 | c << 8 | d };
	if (sscanf(text, "%3u.%2u.%4u", &a, &b, &c) == 3)
		return (struct word){ true, a << 16 | b << 12 | c };
	return (struct word){ 0 };
}

/* Names of the registers in the vendor's order. Wormhole has a legacy layout. */
/* clang-format off */
static const char *const wormhole_words[] = {
	"ENUM_VERSION", "DEVICE_ID", "ASIC_RO", "ASIC_IDD", "BOARD_ID_HIGH", "BOARD_ID_LOW",
	"ARC0_FW_VERSION", "ARC1_FW_VERSION", "ARC2_FW_VERSION", "ARC3_FW_VERSION",
	"SPIBOOTROM_FW_VERSION", "ETH_FW_VERSION", "DM_BL_FW_VERSION", "DM_APP_FW_VERSION",
	"DDR_STATUS", "ETH_STATUS0", "ETH_STATUS1", "PCIE_STATUS", "FAULTS", "ARC0_HEALTH",
	"ARC1_HEALTH", "ARC2_HEALTH", "ARC3_HEALTH", "FAN_SPEED", "AICLK", "AXICLK", "ARCCLK",
	"THROTTLER", "VCORE", "ASIC_TEMPERATURE", "VREG_TEMPERATURE", "BOARD_TEMPERATURE", "TDP",
	"TDC", "VDD_LIMITS", "THM_LIMITS", "WH_FW_DATE", "ASIC_TMON0", "ASIC_TMON1",
	"MVDDQ_POWER", "GDDR_TRAIN_TEMP0", "GDDR_TRAIN_TEMP1", "BOOT_DATE", "RT_SECONDS",
	"ETH_DEBUG_STATUS0", "ETH_DEBUG_STATUS1", "TT_FLASH_VERSION", "ETH_LOOPBACK_STATUS",
	"ETH_LIVE_STATUS", "FW_BUNDLE_VERSION", "NUMBER_OF_TAGS", "INPUT_POWER",
};

static const char *const blackhole_words[] = {
	"BOARD_ID_HIGH", "BOARD_ID_LOW", "ASIC_ID", "HARVESTING_STATE", "UPDATE_TELEM_SPEED",
	"VCORE", "TDP", "TDC", "VDD_LIMITS", "THM_LIMIT_SHUTDOWN", "ASIC_TEMPERATURE",
	"VREG_TEMPERATURE", "BOARD_TEMPERATURE", "AICLK", "AXICLK", "ARCCLK", "L2CPUCLK0",
	"L2CPUCLK1", "L2CPUCLK2", "L2CPUCLK3", "ETH_LIVE_STATUS", "DDR_STATUS", "DDR_SPEED",
	"ETH_FW_VERSION", "GDDR_FW_VERSION", "DM_APP_FW_VERSION", "DM_BL_FW_VERSION",
	"FLASH_BUNDLE_VERSION", "CM_FW_VERSION", "L2CPU_FW_VERSION", "FAN_SPEED",
	"TIMER_HEARTBEAT", "TELEMETRY_ENUM_COUNT", "ENABLED_TENSIX_COL", "ENABLED_ETH",
	"ENABLED_GDDR", "ENABLED_L2CPU", "PCIE_USAGE", "NOC_TRANSLATION", "FAN_RPM",
	"GDDR_0_1_TEMP", "GDDR_2_3_TEMP", "GDDR_4_5_TEMP", "GDDR_6_7_TEMP",
	"GDDR_0_1_CORR_ERRS", "GDDR_2_3_CORR_ERRS", "GDDR_4_5_CORR_ERRS",
	"GDDR_6_7_CORR_ERRS", "GDDR_UNCORR_ERRS", "MAX_GDDR_TEMP", "ASIC_LOCATION",
	"BOARD_POWER_LIMIT", "TDC_LIMIT_MAX", "THM_LIMIT_THROTTLE", "TT_FLASH_VERSION",
	"THERM_TRIP_COUNT", "ASIC_ID_HIGH", "ASIC_ID_LOW", "AICLK_LIMIT_MAX", "TDP_LIMIT_MAX",
	"AICLK_ARB_MIN", "AICLK_ARB_MAX", "ENABLED_MIN_ARB", "ENABLED_MAX_ARB",
	"NUMBER_OF_TAGS", "INPUT_POWER",
};
/* clang-format on */

struct named_word {
	const char *name;
	struct word word;
};

static void put_words(struct json *json, const char *const *names, size_t count,
		      const struct named_word *words, size_t n_words)
{
	char text[16];

	for (size_t i = 0; i < count; i++) {
		struct word word = { 0 };

		for (size_t k = 0; k < n_words; k++)
			if (strcmp(words[k].name, names[i]) == 0)
				word = words[k].word;
		snprintf(text, sizeof(text), "0x%x", word.value);
		if (word.known)
			json_text(json, names[i], text);
		else
			json_null(json, names[i]);
	}
}

void vendor_put_registers(struct json *json, const struct device *dev)
{
	const struct named_word words[] = {
		{ "BOARD_ID_HIGH", read_word(dev, DEV_SERIAL, (double)(dev->serial >> 32)) },
		{ "BOARD_ID_LOW", read_word(dev, DEV_SERIAL, (double)(dev->serial & UINT32_MAX)) },
		{ "VCORE", read_word(dev, DEV_VOLTAGE, dev->voltage * 1000) },
		{ "AXICLK", read_word(dev, DEV_AXICLK, (double)dev->axiclk / 1e6) },
		{ "ARCCLK", read_word(dev, DEV_ARCCLK, (double)dev->arcclk / 1e6) },
		{ "DM_APP_FW_VERSION", read_version(dev, DEV_FW_DM_APP, dev->fw_dm_app) },
		{ "DM_BL_FW_VERSION", read_version(dev, DEV_FW_DM_BL, dev->fw_dm_bl) },
		{ "TT_FLASH_VERSION", read_version(dev, DEV_FW_FLASH, dev->fw_flash) },
	};
	const struct named_word wormhole[] = {
		/* The upper half is the maximum clock, which no file has: 0. */
		{ "AICLK", read_word(dev, DEV_AICLK, (double)dev->aiclk / 1e6) },
		{ "ARC0_FW_VERSION", read_version(dev, DEV_FW_CM, dev->fw_cm) },
		{ "ETH_FW_VERSION", read_version(dev, DEV_FW_ETH, dev->fw_eth) },
		{ "FW_BUNDLE_VERSION", read_version(dev, DEV_FW_BUNDLE, dev->fw_bundle) },
		{ "TDP", read_pair(dev, DEV_POWER_LIMIT, dev->power_limit, DEV_POWER, dev->power) },
		{ "TDC", read_pair(dev, DEV_CURRENT_LIMIT, dev->current_limit, DEV_CURRENT,
				   dev->current) },
	};
	const struct named_word blackhole[] = {
		{ "TDP", read_word(dev, DEV_POWER, dev->power) },
		{ "TDC", read_word(dev, DEV_CURRENT, dev->current) },
		{ "AICLK", read_word(dev, DEV_AICLK, (double)dev->aiclk / 1e6) },
		{ "ASIC_TEMPERATURE", read_word(dev, DEV_TEMPERATURE, dev->temperature * 65536) },
		{ "FLASH_BUNDLE_VERSION", read_version(dev, DEV_FW_BUNDLE, dev->fw_bundle) },
		{ "TIMER_HEARTBEAT", read_word(dev, DEV_HEARTBEAT, dev->heartbeat) },
		{ "FAN_RPM", read_word(dev, DEV_FAN_RPM, dev->fan_rpm) },
		{ "TDC_LIMIT_MAX", read_word(dev, DEV_CURRENT_LIMIT, dev->current_limit) },
		{ "THM_LIMIT_THROTTLE",
		  read_word(dev, DEV_TEMPERATURE_LIMIT, dev->temperature_limit) },
		{ "TDP_LIMIT_MAX", read_word(dev, DEV_POWER_LIMIT, dev->power_limit) },
		{ "THERM_TRIP_COUNT", read_word(dev, DEV_THERMAL_TRIPS, dev->thermal_trips) },
		{ "ASIC_ID_HIGH", read_word(dev, DEV_ASIC_ID, (double)(dev->asic_id >> 32)) },
		{ "ASIC_ID_LOW", read_word(dev, DEV_ASIC_ID, (double)(dev->asic_id & UINT32_MAX)) },
	};
	struct named_word all[ARRAY_SIZE(words) + ARRAY_SIZE(blackhole)];
	bool is_blackhole = dev->arch == ARCH_BLACKHOLE;
	size_t n = is_blackhole ? ARRAY_SIZE(blackhole) : ARRAY_SIZE(wormhole);

	memcpy(all, words, sizeof(words));
	memcpy(all + ARRAY_SIZE(words), is_blackhole ? blackhole : wormhole, n * sizeof(*all));
	json_open(json, "smbus_telem", '{');
	put_words(json, is_blackhole ? blackhole_words : wormhole_words,
		  is_blackhole ? ARRAY_SIZE(blackhole_words) : ARRAY_SIZE(wormhole_words), all,
		  ARRAY_SIZE(words) + n);
	json_close(json, '}');
}
