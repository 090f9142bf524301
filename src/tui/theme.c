#include "tui/theme.h"

#include <curses.h>

/* A colour for terminals with 8, with 256 and with 24-bit colours; -1: the terminal's default. */
struct theme_color {
	short of8, of256;
	int rgb;
};

struct style_colors {
	struct theme_color text, background;
	attr_t attributes;
};

#define DEFAULT            \
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
/* From the palette of Okabe and Ito, distinguishable with every kind of colour vision. */
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
/* For a white background. The eight basic colours have no dark grey. */
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

static const struct palette {
	struct style_colors styles[STYLE_N];
} palettes[THEME_N] = {
	/* clang-format off */
	[THEME_DEFAULT] = { {
		[STYLE_PLAIN] = { DEFAULT, DEFAULT, 0 },       [STYLE_DIM] = { GREY, DEFAULT, A_DIM },
		[STYLE_BOLD] = { DEFAULT, DEFAULT, A_BOLD },   [STYLE_TITLE] = { CYAN, DEFAULT, A_BOLD },
		[STYLE_HEADING] = { BLACK, GREEN, 0 }, [STYLE_KEY] = { BLACK, CYAN, 0 },
		[STYLE_GOOD] = { GREEN, DEFAULT, 0 },      [STYLE_WARN] = { YELLOW, DEFAULT, 0 },
		[STYLE_BAD] = { RED, DEFAULT, A_BOLD },    [STYLE_CHART] = { GREEN, DEFAULT, 0 },
		[STYLE_CHART_2] = { BLUE, DEFAULT, 0 },    [STYLE_SELECTED] = { BLACK, CYAN, 0 },
		[STYLE_TAGGED] = { YELLOW, DEFAULT, A_BOLD } } },
	[THEME_COLORBLIND] = { {
		[STYLE_PLAIN] = { DEFAULT, DEFAULT, 0 },        [STYLE_DIM] = { GREY, DEFAULT, A_DIM },
		[STYLE_BOLD] = { DEFAULT, DEFAULT, A_BOLD },    [STYLE_TITLE] = { SKY, DEFAULT, A_BOLD },
		[STYLE_HEADING] = { WHITE, DEEP, 0 },   [STYLE_KEY] = { WHITE, DEEP, 0 },
		[STYLE_GOOD] = { SKY, DEFAULT, 0 },         [STYLE_WARN] = { ORANGE, DEFAULT, 0 },
		[STYLE_BAD] = { VERMILION, DEFAULT, A_BOLD | A_UNDERLINE }, [STYLE_CHART] = { SKY, DEFAULT, 0 },
		[STYLE_CHART_2] = { ORANGE, DEFAULT, 0 },   [STYLE_SELECTED] = { BLACK, ORANGE, 0 },
		[STYLE_TAGGED] = { ORANGE, DEFAULT, A_BOLD } } },
	[THEME_LIGHT] = { {
		[STYLE_PLAIN] = { BLACK, WHITE, 0 },     [STYLE_DIM] = { DARK_GREY, WHITE, 0 },
		[STYLE_BOLD] = { BLACK, WHITE, A_BOLD }, [STYLE_TITLE] = { DEEP, WHITE, A_BOLD },
		[STYLE_HEADING] = { BLACK, PALE, A_BOLD }, [STYLE_KEY] = { BLACK, PALE, 0 },
		[STYLE_GOOD] = { DARK_GREEN, WHITE, 0 }, [STYLE_WARN] = { BROWN, WHITE, 0 },
		[STYLE_BAD] = { DARK_RED, WHITE, A_BOLD }, [STYLE_CHART] = { DEEP, WHITE, 0 },
		[STYLE_CHART_2] = { BROWN, WHITE, 0 },   [STYLE_SELECTED] = { WHITE, DEEP, 0 },
		[STYLE_TAGGED] = { BROWN, WHITE, A_BOLD } } },
	[THEME_MONO] = { {
		[STYLE_PLAIN] = { DEFAULT, DEFAULT, 0 },           [STYLE_DIM] = { DEFAULT, DEFAULT, A_DIM },
		[STYLE_BOLD] = { DEFAULT, DEFAULT, A_BOLD },       [STYLE_TITLE] = { DEFAULT, DEFAULT, A_BOLD },
		[STYLE_HEADING] = { DEFAULT, DEFAULT, A_REVERSE }, [STYLE_KEY] = { DEFAULT, DEFAULT, A_REVERSE },
		[STYLE_GOOD] = { DEFAULT, DEFAULT, 0 },            [STYLE_WARN] = { DEFAULT, DEFAULT, A_UNDERLINE },
		[STYLE_BAD] = { DEFAULT, DEFAULT, A_BOLD | A_UNDERLINE }, [STYLE_CHART] = { DEFAULT, DEFAULT, 0 },
		[STYLE_CHART_2] = { DEFAULT, DEFAULT, A_BOLD },    [STYLE_SELECTED] = { DEFAULT, DEFAULT, A_REVERSE },
		[STYLE_TAGGED] = { DEFAULT, DEFAULT, A_BOLD } } },
	/* clang-format on */
};

static const struct palette *applied = &palettes[THEME_MONO];
static bool with_colors;

static int terminal_color(const struct theme_color *color)
{
	if (COLORS >= 1 << 24)
		return color->rgb;
	return COLORS >= 256 ? color->of256 : color->of8;
}

void theme_apply(enum theme theme, bool color)
{
	with_colors = color && has_colors() && COLORS >= 8;
	applied = &palettes[with_colors ? theme : THEME_MONO];
}

struct theme_style theme_style(enum style style)
{
	const struct style_colors *colors = &applied->styles[style];

	return (struct theme_style){
		.attributes = colors->attributes,
		.text = with_colors ? terminal_color(&colors->text) : -1,
		.background = with_colors ? terminal_color(&colors->background) : -1,
	};
}

bool theme_blank_is_plain(enum style style)
{
	const struct style_colors *colors = &applied->styles[style];

	return !(colors->attributes & (A_REVERSE | A_UNDERLINE)) &&
	       colors->background.rgb == applied->styles[STYLE_PLAIN].background.rgb;
}
