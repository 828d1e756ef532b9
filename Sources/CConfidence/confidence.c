// The coefficients are part of the program, so that there is one file to install.

#include "CConfidence.h"

// `#embed` is of C23; clang has it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t confidence_txt[] = {
#embed "files/confidence.txt"
};

cc_file cc_confidence(void) { return (cc_file){confidence_txt, sizeof confidence_txt}; }
