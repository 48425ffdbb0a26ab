#include "common/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct ct_table_style terminal;

/* Whether the locale's characters are UTF-8. The first of these variables that is set names it (POSIX). */
static int locale_is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	for (int i = 0; i < 3; i++) {
		const char *v = getenv(names[i]);
		if (v && *v)
			return strstr(v, "UTF-8") || strstr(v, "utf8") || strstr(v, "utf-8") ||
			       strstr(v, "UTF8");
	}
	return 0;
}

void ct_terminal_detect(void)
{
	struct winsize size;
	const char *plain = getenv("NO_COLOR"), *term = getenv("TERM");
	int dumb = !term || !*term || strcmp(term, "dumb") == 0;
	if (!isatty(STDOUT_FILENO))
		return;
	terminal.width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
	terminal.utf8 = locale_is_utf8();
	terminal.color = !dumb && !(plain && *plain);
}

const struct ct_table_style *ct_terminal_style(void)
{
	return &terminal;
}
