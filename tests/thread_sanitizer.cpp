// OpenBLAS is not instrumented: how its threads wait for each other and for their caller is not seen, so what they read
// looks like a race with whoever wrote it before or writes it afterwards. Reports with OpenBLAS on one side are left out.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() { return "race:libopenblas\n"; }
