/* Prints one line on standard error, unless `tt_smi run -q` started the program. */
#pragma once

void notice(const char *what, const char *text);
