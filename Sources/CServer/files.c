// The files are part of the program, so that there is one file to install.

#include "CServer.h"

// `#embed` is of C23; clang has it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t index_html[] = {
#embed "files/index.html"
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
static const uint8_t api_js[] = {
#embed "files/page/api.js"
};
static const uint8_t base_css[] = {
#embed "files/page/base.css"
};
static const uint8_t card_js[] = {
#embed "files/page/card.js"
};
static const uint8_t cards_css[] = {
#embed "files/page/cards.css"
};
static const uint8_t catalogue_js[] = {
#embed "files/page/catalogue.js"
};
static const uint8_t check_js[] = {
#embed "files/page/check.js"
};
static const uint8_t chooser_js[] = {
#embed "files/page/chooser.js"
};
static const uint8_t correction_js[] = {
#embed "files/page/correction.js"
};
static const uint8_t crop_js[] = {
#embed "files/page/crop.js"
};
static const uint8_t details_js[] = {
#embed "files/page/details.js"
};
static const uint8_t dom_js[] = {
#embed "files/page/dom.js"
};
static const uint8_t entity_js[] = {
#embed "files/page/entity.js"
};
static const uint8_t evaluate_js[] = {
#embed "files/page/evaluate.js"
};
static const uint8_t feedback_js[] = {
#embed "files/page/feedback.js"
};
static const uint8_t fit_js[] = {
#embed "files/page/fit.js"
};
static const uint8_t icon_svg[] = {
#embed "files/page/icon.svg"
};
static const uint8_t main_js[] = {
#embed "files/page/main.js"
};
static const uint8_t numbers_js[] = {
#embed "files/page/numbers.js"
};
static const uint8_t picture_js[] = {
#embed "files/page/picture.js"
};
static const uint8_t rule_editor_js[] = {
#embed "files/page/ruleEditor.js"
};
static const uint8_t rule_trial_js[] = {
#embed "files/page/ruleTrial.js"
};
static const uint8_t rules_js[] = {
#embed "files/page/rules.js"
};
static const uint8_t samples_js[] = {
#embed "files/page/samples.js"
};
static const uint8_t search_css[] = {
#embed "files/page/search.css"
};
static const uint8_t search_js[] = {
#embed "files/page/search.js"
};
static const uint8_t tools_css[] = {
#embed "files/page/tools.css"
};
// The element for pages of shops, which has a place of its own.
static const uint8_t visual_query_search_js[] = {
#embed "../../Clients/Web/visual-query-search.js"
};
static const uint8_t words_js[] = {
#embed "files/page/words.js"
};

cs_file cs_index_html(void) { return (cs_file){index_html, sizeof index_html}; }
cs_file cs_openapi_json(void) { return (cs_file){openapi_json, sizeof openapi_json}; }
cs_file cs_report_css(void) { return (cs_file){report_css, sizeof report_css}; }
cs_file cs_report_js(void) { return (cs_file){report_js, sizeof report_js}; }

static const cs_page_file page_files[] = {
    {"api.js", {api_js, sizeof api_js}},
    {"base.css", {base_css, sizeof base_css}},
    {"card.js", {card_js, sizeof card_js}},
    {"cards.css", {cards_css, sizeof cards_css}},
    {"catalogue.js", {catalogue_js, sizeof catalogue_js}},
    {"check.js", {check_js, sizeof check_js}},
    {"chooser.js", {chooser_js, sizeof chooser_js}},
    {"correction.js", {correction_js, sizeof correction_js}},
    {"crop.js", {crop_js, sizeof crop_js}},
    {"details.js", {details_js, sizeof details_js}},
    {"dom.js", {dom_js, sizeof dom_js}},
    {"entity.js", {entity_js, sizeof entity_js}},
    {"evaluate.js", {evaluate_js, sizeof evaluate_js}},
    {"feedback.js", {feedback_js, sizeof feedback_js}},
    {"fit.js", {fit_js, sizeof fit_js}},
    {"icon.svg", {icon_svg, sizeof icon_svg}},
    {"main.js", {main_js, sizeof main_js}},
    {"numbers.js", {numbers_js, sizeof numbers_js}},
    {"picture.js", {picture_js, sizeof picture_js}},
    {"ruleEditor.js", {rule_editor_js, sizeof rule_editor_js}},
    {"ruleTrial.js", {rule_trial_js, sizeof rule_trial_js}},
    {"rules.js", {rules_js, sizeof rules_js}},
    {"samples.js", {samples_js, sizeof samples_js}},
    {"search.css", {search_css, sizeof search_css}},
    {"search.js", {search_js, sizeof search_js}},
    {"tools.css", {tools_css, sizeof tools_css}},
    {"visual-query-search.js", {visual_query_search_js, sizeof visual_query_search_js}},
    {"words.js", {words_js, sizeof words_js}},
};

size_t cs_page_file_count(void) { return sizeof page_files / sizeof page_files[0]; }
cs_page_file cs_page_file_at(size_t index) { return page_files[index]; }
