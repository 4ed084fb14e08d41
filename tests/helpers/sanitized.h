/* Whether the address sanitizer is in the program: it has memory and addresses of its own, and makes all slower. */
#ifndef HELPERS_SANITIZED_H
#define HELPERS_SANITIZED_H

#ifdef __has_feature
#define SANITIZED_HAS_FEATURE(name) __has_feature(name)
#else
#define SANITIZED_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || SANITIZED_HAS_FEATURE(address_sanitizer)
enum { IS_ADDRESS_SANITIZED = 1 };
#else
enum { IS_ADDRESS_SANITIZED = 0 };
#endif

#endif
