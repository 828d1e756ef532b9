// The words and formats of feeds are part of the program, so that there is one file to install.

#include "CFeeds.h"

// `#embed` is of C23; clang has it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t columns_txt[] = {
#embed "files/columns.txt"
};
static const uint8_t words_txt[] = {
#embed "files/words.txt"
};
static const uint8_t letters_txt[] = {
#embed "files/letters.txt"
};
static const uint8_t stores_txt[] = {
#embed "files/stores.txt"
};
static const uint8_t zones_txt[] = {
#embed "files/zones.txt"
};
static const uint8_t formats_txt[] = {
#embed "files/formats.txt"
};

cf_file cf_columns(void) { return (cf_file){columns_txt, sizeof columns_txt}; }
cf_file cf_words(void) { return (cf_file){words_txt, sizeof words_txt}; }
cf_file cf_letters(void) { return (cf_file){letters_txt, sizeof letters_txt}; }
cf_file cf_formats(void) { return (cf_file){formats_txt, sizeof formats_txt}; }
cf_file cf_stores(void) { return (cf_file){stores_txt, sizeof stores_txt}; }
cf_file cf_zones(void) { return (cf_file){zones_txt, sizeof zones_txt}; }
