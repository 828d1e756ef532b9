// The files are part of the program, so that there is one file to install.

#include "CServer.h"

// `#embed` is of C23; clang has it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t index_html[] = {
#embed "files/index.html"
};
static const uint8_t page_css[] = {
#embed "files/page.css"
};
static const uint8_t page_js[] = {
#embed "files/page.js"
};
static const uint8_t report_css[] = {
#embed "files/report.css"
};
static const uint8_t report_js[] = {
#embed "files/report.js"
};
static const uint8_t openapi_json[] = {
#embed "files/openapi.json"
};

cs_file cs_index_html(void) { return (cs_file){index_html, sizeof index_html}; }
cs_file cs_page_css(void) { return (cs_file){page_css, sizeof page_css}; }
cs_file cs_page_js(void) { return (cs_file){page_js, sizeof page_js}; }
cs_file cs_openapi_json(void) { return (cs_file){openapi_json, sizeof openapi_json}; }
cs_file cs_report_css(void) { return (cs_file){report_css, sizeof report_css}; }
cs_file cs_report_js(void) { return (cs_file){report_js, sizeof report_js}; }
