test_that("the first level of a factor is failure, the second success", {
  set.seed(1)
  d <- data.frame(x = 1:40)
  d$y <- factor(ifelse(d$x + rnorm(40, 0, 3) > 20, "alive", "dead"), levels = c("dead", "alive"))
  fit <- quick(y ~ linear(x), d, binomial())
  expect_gt(predict(fit, data.frame(x = 38)), 0.9)
  expect_equal(colnames(predict(fit, type = "prob")), c("dead", "alive"))
  expect_equal(as.character(predict(fit, data.frame(x = 38), type = "class")), "alive")
})

test_that("an ordered factor is ordinal in its order", {
  d <- data.frame(x = 1:45)
  d$y <- factor(rep(c("small", "large", "huge"), each = 15), levels = c("small", "large", "huge"), ordered = TRUE)
  d$y[c(5, 20, 40)] <- d$y[c(20, 40, 5)]
  fit <- quick(y ~ linear(x), d)
  expect_equal(fit$information$likelihood, "ordinal")
  p <- predict(fit, data.frame(x = c(1, 45)), type = "prob")
  expect_equal(colnames(p), c("small", "large", "huge"))
  expect_equal(unname(rowSums(p)), c(1, 1), tolerance = 1e-8)
  expect_gt(p[1, "small"], p[2, "small"])
})

test_that("successes and failures are successes of trials", {
  set.seed(1)
  d <- data.frame(x = 1:30, n = rep(c(10, 20), 15))
  d$k <- rbinom(30, d$n, plogis(sin(d$x / 5)))
  pair <- quick(cbind(k, n - k) ~ rbf(x), d, binomial())
  trials <- quick(k ~ rbf(x), d, binomial(), trials = n)
  named <- quick(k ~ rbf(x), d, "binomial", trials = "n")
  expect_equal(fitted(pair), fitted(trials))
  expect_equal(fitted(named), fitted(trials))
  expect_equal(predict(pair, data.frame(x = 3)), predict(pair, data.frame(x = 3, n = 10, k = 1)) / 10)
})

test_that("a Surv says what is censored", {
  skip_if_not_installed("survival")
  set.seed(1)
  d <- data.frame(x = 1:40, t = rexp(40, 0.1), event = rep(c(1, 1, 0), length.out = 40))
  right <- quick(survival::Surv(t, event) ~ rbf(x), d, "weibull")
  named <- quick(t ~ rbf(x), d, "weibull", censored = 1 - event)
  expect_identical(logLik(right), logLik(named))
  d$upper <- ifelse(d$event == 1, d$t, d$t + 2)
  between <- quick(survival::Surv(t, upper, type = "interval2") ~ rbf(x), d, "weibull")
  ends <- quick(t ~ rbf(x), d, "weibull", upper = ifelse(event == 1, NA, t + 2))
  expect_identical(logLik(between), logLik(ends))
  # Each interval is a stroke of its own in the color of the outputs.
  strokes <- function(fit) {
    file <- tempfile()
    grDevices::pdf(file, compress = FALSE)
    graphics::plot.new()
    at <- seq(0, 1, length.out = 40)
    ggpm:::draw_outputs(fit, at, at, fit$information$upper)
    grDevices::dev.off()
    sum(grepl(" l +S$", readLines(file, warn = FALSE)))
  }
  expect_identical(strokes(between), sum(d$event == 0))
  expect_identical(strokes(right), 0L)
})

test_that("weights count rows", {
  d <- counts()
  once <- quick(n ~ rbf(x), d[rep(1:50, rep(1:2, 25)), ], "poisson", optimize = FALSE, standardize = FALSE,
                inference = "laplace")
  weighted <- quick(n ~ rbf(x), d, "poisson", weights = rep(1:2, 25), optimize = FALSE, standardize = FALSE,
                    inference = "laplace")
  expect_equal(predict(weighted, d), predict(once, d), tolerance = 1e-6)
})

test_that("dates are days", {
  d <- data.frame(day = as.Date("2024-01-01") + 0:29, y = sin(0:29 / 5))
  numbers <- quick(y ~ rbf(x), transform(d, x = as.numeric(day)), "gaussian")
  dates <- quick(y ~ rbf(day), d, "gaussian")
  expect_equal(unname(fitted(dates)), unname(fitted(numbers)), tolerance = 1e-6)
})

test_that("names that are no words are quoted", {
  d <- setNames(counts(), c("the x", "hours", "site", "n"))
  expect_equal(fitted(quick(n ~ rbf(`the x`), d, "poisson")), fitted(quick(n ~ rbf(x), counts(), "poisson")))
})

test_that("variables are found without a data frame", {
  x <- counts()$x
  n <- counts()$n
  expect_equal(fitted(quick(n ~ rbf(x), family = "poisson")), fitted(quick(n ~ rbf(x), counts(), "poisson")))
})

test_that("families of R have names here, or a sentence", {
  expect_equal(family_text(Gamma("log"), FALSE), list(likelihood = "gamma-shape", link = "log"))
  expect_equal(family_text(binomial("probit"), FALSE), list(likelihood = "bernoulli", link = "probit"))
  expect_equal(family_text(binomial, TRUE)$likelihood, "binomial")
  expect_error(family_text(quasipoisson(), FALSE), "has no name here", class = "ggpm_usage_error")
  expect_error(ggpm(n ~ rbf(x), counts(), Gamma()), "no link 'inverse'", class = "ggpm_usage_error")
})

test_that("values of options are text that reads back equal", {
  expect_equal(options_text(list(optimize = FALSE, restarts = 10, fixed = c("a", "b"), tolerance = 0.1 + 0.2)),
               c(optimize = "false", restarts = "10", fixed = "a,b", tolerance = "0.30000000000000004"))
  expect_equal(option_text("parameter", c(zero = 0.2)), "zero = 0.2")
  expect_equal(option_text("priors", c(rbf.lengthscale = "gamma(2, 1)")), "rbf.lengthscale ~ gamma(2, 1)")
  expect_true(all(c("restarts", "inference", "engine") %in% ggpm_options()$name))
})
