/* sanitizer.h: whether AddressSanitizer looks on, asked the way of each compiler. */
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define KG_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KG_ADDRESS_SANITIZER
#endif
#endif
