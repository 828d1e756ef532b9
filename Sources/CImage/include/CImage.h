// All that Swift sees of the C world: fixed-width integers, buffers the caller owns, status codes.
#ifndef CIMAGE_H
#define CIMAGE_H
#include <stddef.h>
#include <stdint.h>

#include "CImageCodecs.h"
#include "CImageKernels.h"

#endif
