/* The severity of a finding. */
#pragma once

enum level {
	LEVEL_OK,
	LEVEL_NOTE, /* not a problem: a fact, or something that could not be examined */
	LEVEL_WARN, /* something is unknown, or may fail later */
	LEVEL_FAIL, /* something does not work */
};
