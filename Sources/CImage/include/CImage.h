// All that Swift sees of the codecs: fixed-width integers, buffers the caller owns, status codes.
#ifndef CIMAGE_H
#define CIMAGE_H

#include "CImageCodecs.h"

#endif
