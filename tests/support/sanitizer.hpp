// What a test cannot do under a sanitizer, which keeps a shadow of all addresses.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GGPM_NEEDS_LIMITS_OF_MEMORY GTEST_SKIP() << "a sanitizer needs the address space for itself"
#else
#define GGPM_NEEDS_LIMITS_OF_MEMORY
#endif
