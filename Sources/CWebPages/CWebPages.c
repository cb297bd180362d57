// Made by scripts/web-pages.
#include "CWebPages.h"

static const char page0[] = {
#embed "../Web/Pages/components/app.js"
};
static const char page1[] = {
#embed "../Web/Pages/components/attribute-tables.js"
};
static const char page2[] = {
#embed "../Web/Pages/components/columns.js"
};
static const char page3[] = {
#embed "../Web/Pages/components/copy.js"
};
static const char page4[] = {
#embed "../Web/Pages/components/detail.js"
};
static const char page5[] = {
#embed "../Web/Pages/components/dialog.js"
};
static const char page6[] = {
#embed "../Web/Pages/components/drawing.js"
};
static const char page7[] = {
#embed "../Web/Pages/components/field-tree.js"
};
static const char page8[] = {
#embed "../Web/Pages/components/filter-bar.js"
};
static const char page9[] = {
#embed "../Web/Pages/components/hex-view.js"
};
static const char page10[] = {
#embed "../Web/Pages/components/incident-list.js"
};
static const char page11[] = {
#embed "../Web/Pages/components/ladder-chart.js"
};
static const char page12[] = {
#embed "../Web/Pages/components/menu.js"
};
static const char page13[] = {
#embed "../Web/Pages/components/packet-list.js"
};
static const char page14[] = {
#embed "../Web/Pages/components/plot-chart.js"
};
static const char page15[] = {
#embed "../Web/Pages/components/procedure-list.js"
};
static const char page16[] = {
#embed "../Web/Pages/components/table-view.js"
};
static const char page17[] = {
#embed "../Web/Pages/components/twin-panel.js"
};
static const char page18[] = {
#embed "../Web/Pages/components/virtual-list.js"
};
static const char page19[] = {
#embed "../Web/Pages/core/api.js"
};
static const char page20[] = {
#embed "../Web/Pages/core/axis.js"
};
static const char page21[] = {
#embed "../Web/Pages/core/dom.js"
};
static const char page22[] = {
#embed "../Web/Pages/core/follow.js"
};
static const char page23[] = {
#embed "../Web/Pages/core/format.js"
};
static const char page24[] = {
#embed "../Web/Pages/core/keys.js"
};
static const char page25[] = {
#embed "../Web/Pages/core/pages.js"
};
static const char page26[] = {
#embed "../Web/Pages/core/painter.js"
};
static const char page27[] = {
#embed "../Web/Pages/core/session.js"
};
static const char page28[] = {
#embed "../Web/Pages/core/state.js"
};
static const char page29[] = {
#embed "../Web/Pages/core/theme.js"
};
static const char page30[] = {
#embed "../Web/Pages/core/time-map.js"
};
static const char page31[] = {
#embed "../Web/Pages/core/window.js"
};
static const char page32[] = {
#embed "../Web/Pages/icon.svg"
};
static const char page33[] = {
#embed "../Web/Pages/index.html"
};
static const char page34[] = {
#embed "../Web/Pages/main.js"
};
static const char page35[] = {
#embed "../Web/Pages/style/base.css"
};
static const char page36[] = {
#embed "../Web/Pages/style/packets.css"
};
static const char page37[] = {
#embed "../Web/Pages/style/shell.css"
};
static const char page38[] = {
#embed "../Web/Pages/style/tokens.css"
};
static const char page39[] = {
#embed "../Web/Pages/style/views.css"
};
static const char page40[] = {
#embed "../Web/Pages/views/devices.js"
};
static const char page41[] = {
#embed "../Web/Pages/views/ladder.js"
};
static const char page42[] = {
#embed "../Web/Pages/views/packets.js"
};
static const char page43[] = {
#embed "../Web/Pages/views/plots.js"
};
static const char page44[] = {
#embed "../Web/Pages/views/products.js"
};
static const char page45[] = {
#embed "../Web/Pages/views/verdicts.js"
};

static const WebPage pages[] = {
    {"components/app.js", page0, sizeof page0},
    {"components/attribute-tables.js", page1, sizeof page1},
    {"components/columns.js", page2, sizeof page2},
    {"components/copy.js", page3, sizeof page3},
    {"components/detail.js", page4, sizeof page4},
    {"components/dialog.js", page5, sizeof page5},
    {"components/drawing.js", page6, sizeof page6},
    {"components/field-tree.js", page7, sizeof page7},
    {"components/filter-bar.js", page8, sizeof page8},
    {"components/hex-view.js", page9, sizeof page9},
    {"components/incident-list.js", page10, sizeof page10},
    {"components/ladder-chart.js", page11, sizeof page11},
    {"components/menu.js", page12, sizeof page12},
    {"components/packet-list.js", page13, sizeof page13},
    {"components/plot-chart.js", page14, sizeof page14},
    {"components/procedure-list.js", page15, sizeof page15},
    {"components/table-view.js", page16, sizeof page16},
    {"components/twin-panel.js", page17, sizeof page17},
    {"components/virtual-list.js", page18, sizeof page18},
    {"core/api.js", page19, sizeof page19},
    {"core/axis.js", page20, sizeof page20},
    {"core/dom.js", page21, sizeof page21},
    {"core/follow.js", page22, sizeof page22},
    {"core/format.js", page23, sizeof page23},
    {"core/keys.js", page24, sizeof page24},
    {"core/pages.js", page25, sizeof page25},
    {"core/painter.js", page26, sizeof page26},
    {"core/session.js", page27, sizeof page27},
    {"core/state.js", page28, sizeof page28},
    {"core/theme.js", page29, sizeof page29},
    {"core/time-map.js", page30, sizeof page30},
    {"core/window.js", page31, sizeof page31},
    {"icon.svg", page32, sizeof page32},
    {"index.html", page33, sizeof page33},
    {"main.js", page34, sizeof page34},
    {"style/base.css", page35, sizeof page35},
    {"style/packets.css", page36, sizeof page36},
    {"style/shell.css", page37, sizeof page37},
    {"style/tokens.css", page38, sizeof page38},
    {"style/views.css", page39, sizeof page39},
    {"views/devices.js", page40, sizeof page40},
    {"views/ladder.js", page41, sizeof page41},
    {"views/packets.js", page42, sizeof page42},
    {"views/plots.js", page43, sizeof page43},
    {"views/products.js", page44, sizeof page44},
    {"views/verdicts.js", page45, sizeof page45},
};

const WebPage *webPages(size_t *count) {
    *count = sizeof pages / sizeof pages[0];
    return pages;
}
