#include "tui/theme.h"

#include <curses.h>
#include <term.h>

/* A colour for terminals with 8, 256 and all colours; -1: the terminal's own. */
struct ink {
	short of8, of256;
	int rgb;
};

struct pen {
	struct ink text, ground;
	attr_t attributes;
};

#define OWN                \
	{                  \
		-1, -1, -1 \
	}
#define RED                              \
	{                                \
		COLOR_RED, 203, 0xff5f5f \
	}
#define GREEN                             \
	{                                 \
		COLOR_GREEN, 77, 0x5fd75f \
	}
#define YELLOW                              \
	{                                   \
		COLOR_YELLOW, 221, 0xffd75f \
	}
#define BLUE                             \
	{                                \
		COLOR_BLUE, 75, 0x5fafff \
	}
#define CYAN                             \
	{                                \
		COLOR_CYAN, 80, 0x5fd7d7 \
	}
#define GREY                               \
	{                                  \
		COLOR_WHITE, 245, 0x8a8a8a \
	}
#define BLACK                             \
	{                                 \
		COLOR_BLACK, 16, 0x000000 \
	}
#define WHITE                              \
	{                                  \
		COLOR_WHITE, 255, 0xeeeeee \
	}
/* Apart for every kind of colour vision (Okabe and Ito). */
#define ORANGE                              \
	{                                   \
		COLOR_YELLOW, 172, 0xe69f00 \
	}
#define VERMILION                        \
	{                                \
		COLOR_RED, 166, 0xd55e00 \
	}
#define SKY                              \
	{                                \
		COLOR_CYAN, 74, 0x56b4e9 \
	}
#define DEEP                             \
	{                                \
		COLOR_BLUE, 25, 0x0072b2 \
	}
/* On a white ground, which eight colours have no grey for. */
#define DARK_GREY                          \
	{                                  \
		COLOR_BLACK, 245, 0x8a8a8a \
	}
#define DARK_RED                         \
	{                                \
		COLOR_RED, 124, 0xaf0000 \
	}
#define DARK_GREEN                        \
	{                                 \
		COLOR_GREEN, 22, 0x005f00 \
	}
#define BROWN                              \
	{                                  \
		COLOR_YELLOW, 94, 0x875f00 \
	}
#define PALE                               \
	{                                  \
		COLOR_WHITE, 254, 0xe4e4e4 \
	}

const char *const theme_names[THEME_N] = {
	[THEME_DEFAULT] = "default",
	[THEME_COLORBLIND] = "colorblind",
	[THEME_LIGHT] = "light",
	[THEME_MONO] = "mono",
};

static const struct palette {
	struct pen pens[STYLE_N];
} palettes[THEME_N] = {
	/* clang-format off */
	[THEME_DEFAULT] = { {
		[STYLE_PLAIN] = { OWN, OWN, 0 },       [STYLE_DIM] = { GREY, OWN, A_DIM },
		[STYLE_BOLD] = { OWN, OWN, A_BOLD },   [STYLE_TITLE] = { CYAN, OWN, A_BOLD },
		[STYLE_HEADING] = { BLACK, GREEN, 0 }, [STYLE_KEY] = { BLACK, CYAN, 0 },
		[STYLE_GOOD] = { GREEN, OWN, 0 },      [STYLE_WARN] = { YELLOW, OWN, 0 },
		[STYLE_BAD] = { RED, OWN, A_BOLD },    [STYLE_CHART] = { GREEN, OWN, 0 },
		[STYLE_CHART_2] = { BLUE, OWN, 0 },    [STYLE_SELECTED] = { BLACK, CYAN, 0 },
		[STYLE_TAGGED] = { YELLOW, OWN, A_BOLD } } },
	[THEME_COLORBLIND] = { {
		[STYLE_PLAIN] = { OWN, OWN, 0 },        [STYLE_DIM] = { GREY, OWN, A_DIM },
		[STYLE_BOLD] = { OWN, OWN, A_BOLD },    [STYLE_TITLE] = { SKY, OWN, A_BOLD },
		[STYLE_HEADING] = { WHITE, DEEP, 0 },   [STYLE_KEY] = { WHITE, DEEP, 0 },
		[STYLE_GOOD] = { SKY, OWN, 0 },         [STYLE_WARN] = { ORANGE, OWN, 0 },
		[STYLE_BAD] = { VERMILION, OWN, A_BOLD | A_UNDERLINE }, [STYLE_CHART] = { SKY, OWN, 0 },
		[STYLE_CHART_2] = { ORANGE, OWN, 0 },   [STYLE_SELECTED] = { BLACK, ORANGE, 0 },
		[STYLE_TAGGED] = { ORANGE, OWN, A_BOLD } } },
	[THEME_LIGHT] = { {
		[STYLE_PLAIN] = { BLACK, WHITE, 0 },     [STYLE_DIM] = { DARK_GREY, WHITE, 0 },
		[STYLE_BOLD] = { BLACK, WHITE, A_BOLD }, [STYLE_TITLE] = { DEEP, WHITE, A_BOLD },
		[STYLE_HEADING] = { BLACK, PALE, A_BOLD }, [STYLE_KEY] = { BLACK, PALE, 0 },
		[STYLE_GOOD] = { DARK_GREEN, WHITE, 0 }, [STYLE_WARN] = { BROWN, WHITE, 0 },
		[STYLE_BAD] = { DARK_RED, WHITE, A_BOLD }, [STYLE_CHART] = { DEEP, WHITE, 0 },
		[STYLE_CHART_2] = { BROWN, WHITE, 0 },   [STYLE_SELECTED] = { WHITE, DEEP, 0 },
		[STYLE_TAGGED] = { BROWN, WHITE, A_BOLD } } },
	[THEME_MONO] = { {
		[STYLE_PLAIN] = { OWN, OWN, 0 },           [STYLE_DIM] = { OWN, OWN, A_DIM },
		[STYLE_BOLD] = { OWN, OWN, A_BOLD },       [STYLE_TITLE] = { OWN, OWN, A_BOLD },
		[STYLE_HEADING] = { OWN, OWN, A_REVERSE }, [STYLE_KEY] = { OWN, OWN, A_REVERSE },
		[STYLE_GOOD] = { OWN, OWN, 0 },            [STYLE_WARN] = { OWN, OWN, A_UNDERLINE },
		[STYLE_BAD] = { OWN, OWN, A_BOLD | A_UNDERLINE }, [STYLE_CHART] = { OWN, OWN, 0 },
		[STYLE_CHART_2] = { OWN, OWN, A_BOLD },    [STYLE_SELECTED] = { OWN, OWN, A_REVERSE },
		[STYLE_TAGGED] = { OWN, OWN, A_BOLD } } },
	/* clang-format on */
};

static const struct palette *applied = &palettes[THEME_MONO];
static bool with_pairs;

static int ink_color(const struct ink *ink)
{
	if (COLORS >= 1 << 24)
		return ink->rgb;
	return COLORS >= 256 ? ink->of256 : ink->of8;
}

void theme_apply(enum theme theme, bool color)
{
	applied = &palettes[color ? theme : THEME_MONO];
	with_pairs = color && has_colors() && COLORS >= 8 && COLOR_PAIRS > STYLE_N;
	for (int i = 0; with_pairs && i < STYLE_N; i++)
		init_extended_pair(i + 1, ink_color(&applied->pens[i].text),
				   ink_color(&applied->pens[i].ground));
}

void theme_style(enum style style, unsigned *ret_attributes, short *ret_pair)
{
	const struct pen *pen = &applied->pens[style];

	*ret_pair = (short)(with_pairs ? style + 1 : 0);
	*ret_attributes =
		with_pairs ? pen->attributes : palettes[THEME_MONO].pens[style].attributes;
}
