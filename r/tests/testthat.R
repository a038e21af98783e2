library(testthat)
library(ggpm)

test_check("ggpm")
