// The words of feeds in many languages, and the formats of shop systems, as bytes of the program.
#ifndef CFEEDS_H
#define CFEEDS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  const uint8_t *bytes;
  size_t count;
} cf_file;

// The names of columns, by the field of an entity that they become.
cf_file cf_columns(void);
// The words for availability, publication and colors.
cf_file cf_words(void);
// The letters of languages with their frequencies.
cf_file cf_letters(void);
// The formats that are mappings of fields.
cf_file cf_formats(void);
// The names of the fields of stores, and the words for opening hours.
cf_file cf_stores(void);
// The time zones of places.
cf_file cf_zones(void);

#endif
