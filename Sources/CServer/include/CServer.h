// The files of the server's page and of reports, as bytes of the program.
#ifndef CSERVER_H
#define CSERVER_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  const uint8_t *bytes;
  size_t count;
} cs_file;

cs_file cs_index_html(void);
cs_file cs_page_css(void);
cs_file cs_page_js(void);
cs_file cs_openapi_json(void);
cs_file cs_report_css(void);
cs_file cs_report_js(void);

#endif
