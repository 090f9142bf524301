#include "model/device_state.h"

static const struct {
	const char *name;
	const char *word;
	enum reason reason; /* of its missing readings; KNOWN: none, the name is the phrase */
} states[] = {
	[DEVICE_OK] = { "ok", "", KNOWN },
	[DEVICE_NO_TELEMETRY] = { "no telemetry", "", KNOWN },
	[DEVICE_RESETTING] = { "resetting", "reset", RESETTING },
	[DEVICE_TIMED_OUT] = { "timed out", "hung", TIMED_OUT },
	[DEVICE_NOT_ANSWERING] = { "not answering", "dead", NOT_ANSWERING },
	[DEVICE_LOST] = { "lost", "lost", GONE },
	[DEVICE_UNREADABLE] = { "not readable", "", NO_PCIE },
	[DEVICE_NO_DRIVER] = { "no driver", "unbound", NO_DRIVER },
	[DEVICE_OTHER_DRIVER] = { "other driver", "other", OTHER_DRIVER },
};

const char *device_state_name(enum device_state state)
{
	return states[state].name;
}

const char *device_state_text(enum device_state state)
{
	return states[state].reason == KNOWN ? states[state].name
					     : reason_text(states[state].reason);
}

const char *device_state_word(enum device_state state)
{
	return states[state].word;
}
