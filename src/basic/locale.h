/* The locale's character set and the widths of its characters. */
#pragma once

#include <stdbool.h>

/*
 * Is text written in UTF-8? By the name of the locale, even if that locale is not installed. Names
 * nearly always contain the character set; only for others the locale is loaded.
 */
bool locale_is_utf8(void);

/*
 * Loads the locale's character types, once, for wcwidth() and for libraries that need them; it
 * takes 0.1 ms.
 */
void locale_load(void);
