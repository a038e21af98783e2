test_that("errors are conditions with the library's sentence and place", {
  d <- counts()
  d$n[17] <- -2
  error <- expect_error(ggpm(n ~ rbf(x), d, "poisson"), class = "ggpm_data_error")
  expect_match(conditionMessage(error), "d: row 17, column 'n': -2; poisson needs whole numbers >= 0", fixed = TRUE)
  expect_equal(error$row, 17)
  expect_equal(error$column, "n")
  expect_error(ggpm(n ~ rbf(z), counts()), "there is no column 'z'", class = "ggpm_data_error")
  expect_error(ggpm(n ~ rbf(x, lenghtscale = 2), counts()), "did you mean 'lengthscale'", class = "ggpm_usage_error")
  expect_error(ggpm(n ~ rbf(x), counts(), restart = 2), "did you mean 'restarts'", class = "ggpm_usage_error")
  expect_error(ggpm(n ~ rbf(x), counts(), "poison"), "poisson", class = "ggpm_usage_error")
  expect_error(ggpm(~ rbf(x), counts()), "two sides", class = "ggpm_usage_error")
  expect_error(predict(counts_fit(), data.frame(x = 1)), class = "ggpm_data_error")
})

test_that("slips of the pen in names are found", {
  expect_error(ggpm(m ~ rbf(x), counts()), "there is no column 'm'; there are: x, hours, site, n", class = "ggpm_data_error")
  expect_error(ggpm(log(hour) ~ rbf(x), counts()), "no column 'hour'; did you mean 'hours'", class = "ggpm_data_error")
  expect_error(ggpm(n ~ rbf(x), counts(), weights = 1 / sitee), "did you mean 'site'", class = "ggpm_data_error")
})

test_that("terms of other packages are translated", {
  expect_error(ggpm(n ~ s(x), counts()), "rbf(x)", fixed = TRUE, class = "ggpm_usage_error")
  expect_error(ggpm(n ~ rbf(x) + (1 | site), counts()), "group(g)", fixed = TRUE, class = "ggpm_usage_error")
})

test_that("an error of the caller's progress ends the fit and arrives", {
  expect_error(ggpm(n ~ rbf(x), counts(), "poisson", progress = function(...) stop("mine")), "mine")
})

test_that("progress is told in order", {
  seconds <- c()
  quick(n ~ rbf(x), counts(), "poisson", progress = function(stage, done, of, value, at) seconds <<- c(seconds, at))
  expect_gt(length(seconds), 2)
  expect_false(is.unsorted(seconds))
})

test_that("an interrupt ends a fit at once", {
  skip_on_os("windows")
  begin <- proc.time()[["elapsed"]]
  asked <- FALSE
  interrupt_once <- function(...) {  # a signal to this process, as Ctrl-C sends it
    if (!asked) tools::pskill(Sys.getpid(), tools::SIGINT)
    asked <<- TRUE
  }
  outcome <- tryCatch(
    ggpm(n ~ rbf(x) * periodic(x), counts(), "com-poisson", restarts = 20000, progress = interrupt_once),
    interrupt = function(condition) "interrupted"
  )
  expect_equal(outcome, "interrupted")
  expect_lt(proc.time()[["elapsed"]] - begin, 20)
})
