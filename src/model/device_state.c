#include "model/device_state.h"

const char *const device_state_names[DEVICE_STATES] = {
	[DEVICE_OK] = "ok",
	[DEVICE_NO_TELEMETRY] = "no telemetry",
	[DEVICE_RESETTING] = "resetting",
	[DEVICE_TIMED_OUT] = "timed out",
	[DEVICE_NOT_ANSWERING] = "not answering",
	[DEVICE_LOST] = "lost",
	[DEVICE_UNREADABLE] = "not readable",
	[DEVICE_NO_DRIVER] = "no driver",
	[DEVICE_OTHER_DRIVER] = "other driver",
};

static const struct {
	const char *word;
	/* the reason of its missing readings, whose text is used; KNOWN: the name is used */
	enum reason reason;
} states[DEVICE_STATES] = {
	[DEVICE_OK] = { "", KNOWN },
	[DEVICE_NO_TELEMETRY] = { "", KNOWN },
	[DEVICE_RESETTING] = { "reset", RESETTING },
	[DEVICE_TIMED_OUT] = { "hung", TIMED_OUT },
	[DEVICE_NOT_ANSWERING] = { "dead", NOT_ANSWERING },
	[DEVICE_LOST] = { "lost", GONE },
	[DEVICE_UNREADABLE] = { "", NO_PCIE },
	[DEVICE_NO_DRIVER] = { "unbound", NO_DRIVER },
	[DEVICE_OTHER_DRIVER] = { "other", OTHER_DRIVER },
};

const char *device_state_text(enum device_state state)
{
	return states[state].reason == KNOWN ? device_state_names[state]
					     : reason_text(states[state].reason);
}

const char *device_state_word(enum device_state state)
{
	return states[state].word;
}
