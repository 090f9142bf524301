#include "source/attribute.h"

#include "basic/macros.h"
#include "basic/parse.h"
#include "basic/pci_address.h"

#include <stdio.h>
#include <string.h>

#define DEAD32 "4294967295"

/* clang-format off */
const struct attribute attributes[N_ATTRIBUTES] = {
	/* Identity: read once. */
	{ "tt_card_type", IN_CLASS, F_WORD, DEV_BOARD, 0, 0, 0, NULL, READ_ONCE },
	{ "tt_serial", IN_CLASS, F_HEX64, DEV_SERIAL, 0, 0, 0, "FFFFFFFFFFFFFFFF", READ_ONCE },
	{ "tt_asic_id", IN_CLASS, F_HEX64, DEV_ASIC_ID, 0, 0, 0, "FFFFFFFFFFFFFFFF", READ_ONCE },
	{ "tt_fw_bundle_ver", IN_CLASS, F_VER4, DEV_FW_BUNDLE, 0, 0, 0, "255.255.255.255", READ_ONCE },
	{ "tt_m3app_fw_ver", IN_CLASS, F_VER4, DEV_FW_DM_APP, 0, 0, 0, "255.255.255.255", READ_ONCE },
	{ "tt_m3bl_fw_ver", IN_CLASS, F_VER4, DEV_FW_DM_BL, 0, 0, 0, "255.255.255.255", READ_ONCE },
	{ "tt_arc_fw_ver", IN_CLASS, F_VER4, DEV_FW_CM, 0, 0, 0, "255.255.255.255", READ_ONCE },
	{ "tt_eth_fw_ver", IN_CLASS, F_VER3, DEV_FW_ETH, 0, 0, 0, "255.15.4095", READ_ONCE },
	{ "tt_ttflash_ver", IN_CLASS, F_VER4, DEV_FW_FLASH, 0, 0, 0, "255.255.255.255", READ_ONCE },

	{ "vendor", IN_PCI, F_HEX16, DEV_PCI_VENDOR, 1, 0, 0, NULL, READ_ONCE },
	{ "device", IN_PCI, F_HEX16, DEV_PCI_DEVICE, 1, 0, 0, NULL, READ_ONCE },
	{ "subsystem_vendor", IN_PCI, F_HEX16, DEV_PCI_SUBVENDOR, 1, 0, 0, NULL, READ_ONCE },
	{ "subsystem_device", IN_PCI, F_HEX16, DEV_PCI_SUBDEVICE, 1, 0, 0, NULL, READ_ONCE },
	{ "revision", IN_PCI, F_HEX16, DEV_PCI_REVISION, 1, 0, 0, NULL, READ_ONCE },
	{ "numa_node", IN_PCI, F_SIGNED, DEV_NUMA_NODE, 1, -1, 65535, NULL, READ_ONCE },
	{ "max_link_speed", IN_PCI, F_SPEED, DEV_LINK_GEN_MAX, 1, 0, 0, NULL, READ_ONCE },
	{ "max_link_width", IN_PCI, F_WIDTH, DEV_LINK_WIDTH_MAX, 1, 1, 32, "63", READ_ONCE },
	{ "max_link_speed", IN_PORT, F_SPEED, DEV_UPSTREAM_GEN_MAX, 1, 0, 0, NULL, READ_ONCE },
	{ "max_link_width", IN_PORT, F_WIDTH, DEV_UPSTREAM_WIDTH_MAX, 1, 1, 32, "63", READ_ONCE },

	/* Limits: read rarely. */
	{ "temp1_max", IN_HWMON, F_SIGNED, DEV_TEMPERATURE_LIMIT, -1000, -40, 150, "4294966296", EVERY_10_S },
	{ "power1_max", IN_HWMON, F_WHOLE, DEV_POWER_LIMIT, -1000000, 0, 1000, "4293967296", EVERY_10_S },
	{ "in0_max", IN_HWMON, F_SIGNED, DEV_VOLTAGE_LIMIT, -1000, 0, 2, "65535", EVERY_10_S },
	{ "curr1_max", IN_HWMON, F_SIGNED, DEV_CURRENT_LIMIT, -1000, 0, 2000, "4294966296", EVERY_10_S },

	/* Readings. */
	{ "tt_aiclk", IN_CLASS, F_U32, DEV_AICLK, 1000000, 0, 10e9, DEAD32, EVERY_SAMPLE },
	{ "tt_axiclk", IN_CLASS, F_U32, DEV_AXICLK, 1000000, 0, 10e9, DEAD32, EVERY_5_S },
	{ "tt_arcclk", IN_CLASS, F_U32, DEV_ARCCLK, 1000000, 0, 10e9, DEAD32, EVERY_5_S },
	{ "tt_heartbeat", IN_CLASS, F_U32, DEV_HEARTBEAT, 1, 0, 0, DEAD32, EVERY_2_S },
	{ "tt_therm_trip_count", IN_CLASS, F_U32, DEV_THERMAL_TRIPS, 1, 0, 0, DEAD32, EVERY_5_S },
	{ "current_link_speed", IN_PCI, F_SPEED, DEV_LINK_GEN, 1, 0, 0, "Unknown", EVERY_5_S },
	{ "current_link_width", IN_PCI, F_WIDTH, DEV_LINK_WIDTH, 1, 1, 32, "63", EVERY_5_S },
	{ "aer_dev_correctable", IN_PCI, F_ERRORS, DEV_ERRORS_CORRECTABLE, 1, 0, 0, NULL, EVERY_5_S },
	{ "aer_dev_nonfatal", IN_PCI, F_ERRORS, DEV_ERRORS_NONFATAL, 1, 0, 0, NULL, EVERY_5_S },
	{ "aer_dev_fatal", IN_PCI, F_ERRORS, DEV_ERRORS_FATAL, 1, 0, 0, NULL, EVERY_5_S },
	{ "aer_dev_correctable", IN_PORT, F_ERRORS, DEV_UPSTREAM_CORRECTABLE, 1, 0, 0, NULL, EVERY_5_S },
	{ "aer_dev_nonfatal", IN_PORT, F_ERRORS, DEV_UPSTREAM_NONFATAL, 1, 0, 0, NULL, EVERY_5_S },
	{ "aer_dev_fatal", IN_PORT, F_ERRORS, DEV_UPSTREAM_FATAL, 1, 0, 0, NULL, EVERY_5_S },
	{ "temp1_input", IN_HWMON, F_SIGNED, DEV_TEMPERATURE, -1000, -40, 150, "65535999", EVERY_SAMPLE },
	{ "power1_input", IN_HWMON, F_WHOLE, DEV_POWER, -1000000, 0, 1000, "4293967296", EVERY_SAMPLE },
	{ "in0_input", IN_HWMON, F_SIGNED, DEV_VOLTAGE, -1000, 0, 2, DEAD32, EVERY_SAMPLE },
	{ "curr1_input", IN_HWMON, F_SIGNED, DEV_CURRENT, -1000, 0, 2000, "4294966296", EVERY_SAMPLE },
	{ "fan1_input", IN_HWMON, F_SIGNED, DEV_FAN_RPM, 1, 0, 20000, DEAD32, EVERY_5_S },
};

#define COUNTER(n, name) { "pcie_perf_counters/" name, IN_CLASS, F_U32, DEV_COUNTER + (n), 1, 0, 0, DEAD32, EVERY_2_S },

/*
 * A working counter also passes all ones, for less than a microsecond every few minutes: its rate
 * is then missing once. A chip that fails between two reads is more likely.
 */
const struct attribute counter_attributes[DEVICE_COUNTERS] = { DEVICE_EACH_COUNTER(COUNTER) };
/* clang-format on */

const struct attribute *attribute_of(enum device_field field)
{
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		if (attributes[i].field == field)
			return &attributes[i];
	return NULL;
}

static const char *const word_characters =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

/* Exactly 16 digits, of which the letters are upper-case. */
static bool is_hex64(const char *text)
{
	size_t length = 0;

	while ((text[length] >= '0' && text[length] <= '9') ||
	       (text[length] >= 'A' && text[length] <= 'F'))
		length++;
	return length == 16 && text[length] == '\0';
}

/* "A.B.C.D" with the given number of parts, each at most three (or four) digits. */
static bool is_version(const char *text, unsigned parts)
{
	unsigned dots = 0, digits = 0;

	for (; *text; text++) {
		if (*text == '.') {
			if (digits == 0)
				return false;
			dots++;
			digits = 0;
		} else if (*text < '0' || *text > '9' || ++digits > 4) {
			return false;
		}
	}
	return digits && dots == parts - 1;
}

/* Converts gigatransfers per second, as printed by the PCI core, to generations. */
static bool parse_speed(const char *text, double *ret)
{
	static const char *const speeds[] = { "2.5", "5.0", "8.0", "16.0", "32.0", "64.0" };

	for (unsigned i = 0; i < ARRAY_SIZE(speeds); i++) {
		size_t length = strlen(speeds[i]);

		if (strncmp(text, speeds[i], length) == 0 &&
		    strcmp(text + length, " GT/s PCIe") == 0) {
			*ret = i + 1;
			return true;
		}
	}
	return false;
}

static bool parse_number(enum format format, const char *text, double *ret)
{
	uint64_t wide;
	uint32_t narrow;
	int64_t number;

	switch (format) {
	case F_SIGNED:
	case F_WHOLE:
		if (parse_i64(text, &number) < 0)
			return false;
		*ret = (double)number;
		return true;
	case F_HEX16:
		if (parse_hex_prefixed(text, &wide) < 0 || wide > 0xFFFF)
			return false;
		*ret = (double)wide;
		return true;
	case F_SPEED: return parse_speed(text, ret);
	case F_U32:
	case F_WIDTH:
		if (parse_u32(text, &narrow) < 0)
			return false;
		*ret = narrow;
		return true;
	case F_HEX64:
	case F_VER4:
	case F_VER3:
	case F_WORD:
	case F_ERRORS: break;
	}
	return false;
}

/* Stores the number in the member given by the field table. */
static void store_number(const struct attribute *attribute, double number, struct device *dev)
{
	const struct field *field = &device_fields.fields[attribute->field];
	void *at = (char *)dev + field->offset;

	if (field->kind == K_DOUBLE)
		*(double *)at = number;
	else if (field->kind == K_U64)
		*(uint64_t *)at = (uint64_t)number;
	else if (field->kind == K_I32)
		*(int32_t *)at = (int32_t)number;
	else
		*(uint32_t *)at = (uint32_t)number;
}

static enum reason parse_text(const struct attribute *attribute, const char *text,
			      struct device *dev)
{
	/* The smallest member for such a text. */
	const size_t room = sizeof(dev->fw_bundle);
	void *at = (char *)dev + device_fields.fields[attribute->field].offset;
	size_t length = strlen(text);

	if (attribute->format == F_HEX64) {
		uint64_t number;

		if (!is_hex64(text) || parse_hex(text, &number) < 0)
			return MALFORMED;
		if (number == 0)
			return NOT_OFFERED; /* what drivers up to 2.1 print if firmware lacks the
					       value */
		*(uint64_t *)at = number;
		return KNOWN;
	}
	if (attribute->format == F_WORD) {
		if (!length || length >= sizeof(dev->board) ||
		    strspn(text, word_characters) != length)
			return MALFORMED;
	} else if (length >= room || !is_version(text, attribute->format == F_VER3 ? 3 : 4)) {
		return MALFORMED;
	}
	memcpy(at, text, length + 1);
	return KNOWN;
}

static enum reason parse_value(const struct attribute *attribute, const char *text,
			       struct device *dev)
{
	double number;

	if (attribute->dead && strcmp(text, attribute->dead) == 0)
		return NOT_ANSWERING;
	if (attribute->format == F_HEX64 || attribute->format == F_VER4 ||
	    attribute->format == F_VER3 || attribute->format == F_WORD)
		return parse_text(attribute, text, dev);
	if (!parse_number(attribute->format, text, &number))
		return MALFORMED;
	/* Divided, not multiplied by a fraction, so that 950 mV is exactly 0.95 V. */
	number = attribute->scale < 0 ? number / -attribute->scale : number * attribute->scale;
	if (attribute->low < attribute->high &&
	    (number < attribute->low || number > attribute->high))
		return IMPLAUSIBLE;
	/*
	 * Firmware reports whole watts, which the driver converts to microwatts modulo 2^32: 5000
	 * W become 705.032704 W, a value that firmware cannot report.
	 */
	if (attribute->format == F_WHOLE && number != (double)(int64_t)number)
		return IMPLAUSIBLE;
	store_number(attribute, number, dev);
	return KNOWN;
}

/* Every line must have the form, which only the sum ends: a truncated text is not a total. */
static enum reason parse_errors(const struct attribute *attribute, const char *text,
				struct device *dev)
{
	static const char total[] = "TOTAL_ERR_";
	char name[32], digits[24];
	int length = 0;
	uint64_t count;

	if (strlen(text) >= ATTRIBUTE_TEXT_MAX)
		return MALFORMED;
	while (sscanf(text, "%31[A-Za-z0-9_] %20[0-9]%n", name, digits, &length) == 2 &&
	       text[length] == '\n' && parse_u64(digits, &count) == 0) {
		text += length + 1;
		if (strncmp(name, total, sizeof(total) - 1) != 0)
			continue;
		if (*text)
			return MALFORMED;
		*(uint64_t *)(void *)((char *)dev + device_fields.fields[attribute->field].offset) =
			count;
		return KNOWN;
	}
	return MALFORMED;
}

/* Exactly one complete line: the driver writes nothing else. */
static enum reason parse_line(const struct attribute *attribute, const char *text,
			      struct device *dev)
{
	size_t length = strcspn(text, "\n");
	char line[64];

	if (text[length] != '\n' || text[length + 1] != '\0' || length >= sizeof(line))
		return MALFORMED;
	memcpy(line, text, length);
	line[length] = '\0';
	return parse_value(attribute, line, dev);
}

enum reason attribute_parse(const struct attribute *attribute, const char *text, struct device *dev)
{
	enum reason why = attribute->format == F_ERRORS ? parse_errors(attribute, text, dev)
							: parse_line(attribute, text, dev);

	dev->why[attribute->field] = (uint8_t)why;
	return why;
}

bool attribute_parse_class_name(const char *name, uint32_t *ret_index)
{
	static const char prefix[] = "tenstorrent!";
	const char *digits = name + sizeof(prefix) - 1;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return false;
	if (strlen(digits) > 4 || (digits[0] == '0' && digits[1]))
		return false;
	return digits[0] >= '0' && digits[0] <= '9' && parse_u32(digits, ret_index) == 0;
}

/* The domain has four digits or more (0x10000 and up behind Intel's VMD). */
bool attribute_parse_bdf(const char *link, char *bdf, size_t size)
{
	const char *base = strrchr(link, '/');
	char form[PCI_ADDRESS_SIZE];
	uint64_t address;

	base = base ? base + 1 : link;
	if (pci_address_parse(base, &address) < 0)
		return false;
	pci_address_format(address, form);
	if (strcmp(form, base) != 0 || strlen(form) >= size)
		return false;
	memcpy(bdf, form, strlen(form) + 1);
	return true;
}

enum reason attribute_parse_upstream(const char *path, const char *bdf, char *ret, size_t size)
{
	char parents[256];
	char *at;

	if (strlen(path) + 2 > sizeof(parents))
		return MALFORMED;
	snprintf(parents, sizeof(parents), "%s/", path);
	at = strstr(parents, bdf);
	if (!at || at == parents || at[-1] != '/' || at[strlen(bdf)] != '/')
		return MALFORMED;
	at[-1] = '\0';
	return attribute_parse_bdf(parents, ret, size) ? KNOWN : NOT_APPLICABLE;
}
