// The files of the server's page and of reports, as bytes of the program.
#ifndef CSERVER_H
#define CSERVER_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  const uint8_t *bytes;
  size_t count;
} cs_file;

// A file of the page, with its name below /page/.
typedef struct {
  const char *name;
  cs_file file;
} cs_page_file;

cs_file cs_index_html(void);
cs_file cs_openapi_json(void);
cs_file cs_report_css(void);
cs_file cs_report_js(void);

size_t cs_page_file_count(void);
// Returns the file at an index, which is less than the count.
cs_page_file cs_page_file_at(size_t index);

#endif
