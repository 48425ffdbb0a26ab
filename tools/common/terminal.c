#include "common/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH = 80, WIDTH_LEAST = 40 }; /* of no terminal, and of any */

static struct ct_table_style terminal = {.width = WIDTH};
static struct ct_buf csv;

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

/* What COLUMNS says (POSIX), 0: nothing. */
static unsigned given_width(void)
{
	const char *text = getenv("COLUMNS");
	unsigned long n = text ? strtoul(text, NULL, 10) : 0;
	return n >= WIDTH_LEAST && n <= 100000 ? (unsigned)n : 0;
}

void ct_terminal_detect(int to_stdout)
{
	struct winsize size;
	const char *plain = getenv("NO_COLOR"), *term = getenv("TERM");
	if (given_width())
		terminal.width = given_width();
	int dumb = !term || !*term || strcmp(term, "dumb") == 0;
	if (!to_stdout || !isatty(STDOUT_FILENO))
		return;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= WIDTH_LEAST && !given_width())
		terminal.width = size.ws_col;
	terminal.utf8 = locale_is_utf8();
	terminal.color = !dumb && !(plain && *plain);
}

struct ct_buf *ct_terminal_csv(void)
{
	terminal.csv = &csv;
	return &csv;
}

const struct ct_table_style *ct_terminal_style(void)
{
	return &terminal;
}
