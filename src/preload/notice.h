/* One line on standard error, unless the program was started with tt_smi run -q. */
#pragma once

void notice(const char *what, const char *text);
