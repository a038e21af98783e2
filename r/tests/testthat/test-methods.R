test_that("a model prints, and its summary is that of the command", {
  fit <- counts_fit()
  expect_output(print(fit), "Family: poisson, link log")
  expect_output(print(summary(fit)), "leave-one-out")
  expect_s3_class(logLik(fit), "logLik")
  expect_equal(nobs(fit), 50)
  expect_equal(attr(logLik(fit), "df"), 4)
  expect_equal(family(fit)$link, "log")
})

test_that("predictions of the rows of the fit are those of the same rows as new ones", {
  fit <- counts_fit()
  expect_equal(predict(fit), predict(fit, counts()), tolerance = 1e-12)
  expect_equal(fitted(fit), predict(fit))
})

test_that("the link has the offset and the latent has not", {
  fit <- counts_fit()
  d <- counts()
  expect_equal(unname(predict(fit, d, "link") - predict(fit, d, "latent")), log(d$hours))
})

test_that("terms add up to the latent function", {
  fit <- counts_fit()
  terms <- predict(fit, type = "terms")
  expect_setequal(colnames(terms), c("rbf", "group", "constant"))
  expect_equal(rowSums(terms), predict(fit, type = "latent"), tolerance = 1e-8)
})

test_that("an interval of the mean is inside that of an output, and both are asked for by level", {
  fit <- counts_fit()
  mean <- predict(fit, interval = "confidence")
  output <- predict(fit, interval = "prediction")
  expect_true(all(mean[, "upr"] < output[, "upr"]))
  narrow <- predict(fit, interval = "confidence", level = 0.5)
  expect_true(all(narrow[, "upr"] < mean[, "upr"]))
  both <- predict(fit, se.fit = TRUE)
  inside <- (mean[, "upr"] - mean[, "lwr"]) / both$se.fit
  expect_true(all(inside > 3.5 & inside < 4.5))  # 3.92 for a Gaussian
})

test_that("rows that miss a value are NA in their place", {
  fit <- counts_fit()
  d <- counts()[1:4, ]
  d$x[2] <- NA
  expect_equal(which(is.na(predict(fit, d))), c("2" = 2L))
  expect_equal(dim(predict(fit, d, interval = "confidence")), c(4, 3))
  expect_length(predict(fit, d, na.action = na.omit), 3)
  expect_error(predict(fit, d, na.action = na.fail), class = "ggpm_usage_error")
})

test_that("rows left out of a fit are NA with na.exclude, and absent with na.omit", {
  d <- counts()
  d$x[3] <- NA
  d$n[7] <- NA
  fit <- quick(n ~ rbf(x), d, "poisson", na.action = na.exclude)
  expect_length(fitted(fit), 50)
  expect_equal(unname(which(is.na(residuals(fit)))), c(3, 7))
  fit <- quick(n ~ rbf(x), d, "poisson", na.action = "na.omit")
  expect_length(fitted(fit), 48)
  expect_error(ggpm(n ~ rbf(x), d, "poisson", na.action = na.fail), "row 3, column 'x'", class = "ggpm_data_error")
})

test_that("columns that no part of the model names may miss values", {
  d <- counts()
  d$other <- NA
  expect_equal(nobs(quick(n ~ rbf(x), d, "poisson")), 50)
})

test_that("draws follow set.seed and have the mean of predictions", {
  fit <- counts_fit()
  set.seed(1)
  a <- simulate(fit, 2)
  set.seed(1)
  expect_identical(simulate(fit, 2), a)
  expect_identical(simulate(fit, 2, seed = 7), simulate(fit, 2, seed = 7))
  many <- simulate(fit, 4000, seed = 1)
  error <- (rowMeans(many) - predict(fit)) / apply(many, 1, sd) * sqrt(4000)
  expect_lt(max(abs(error)), 5)
})

test_that("quantile residuals are standard normal where the model is right", {
  of <- residuals(counts_fit())
  expect_length(of, 50)
  expect_lt(abs(mean(of)), 0.5)
  expect_gt(sd(of), 0.7)
  expect_lt(sd(of), 1.3)
  d <- counts()
  expect_equal(unname(residuals(counts_fit(), "response")), unname(d$n - predict(counts_fit())))
})

test_that("a model survives saveRDS, and its file too", {
  fit <- counts_fit()
  file <- tempfile()
  saveRDS(fit, file)
  again <- readRDS(file)
  expect_identical(predict(again), predict(fit))
  file.remove(file)
  write_ggpm(fit, file)
  expect_identical(predict(read_ggpm(file), counts()), predict(fit, counts()))
  writeBin(head(fit$bytes, 100), file)
  expect_error(read_ggpm(file), class = "ggpm_data_error")
})

test_that("update changes formulas without expanding products", {
  fit <- suppressWarnings(ggpm(n ~ rbf(x) * linear(x), counts(), "poisson", restarts = 1))
  more <- update(fit, . ~ . + group(site), evaluate = FALSE)
  expect_equal(more$formula, n ~ rbf(x) * linear(x) + group(site), ignore_attr = TRUE)
  less <- updated_formula(n ~ rbf(x) + group(site), . ~ . - group(site))
  expect_equal(less, n ~ rbf(x), ignore_attr = TRUE)
  expect_equal(updated_formula(n ~ rbf(x), ~ . - 1)[[3]], quote(rbf(x) + 0))
  expect_error(updated_formula(n ~ rbf(x), . ~ . - rbf(z)), "no summand")
  other <- suppressWarnings(update(fit, family = "negative-binomial"))
  expect_equal(other$information$likelihood, "negative-binomial")
})

test_that("a summary says why what was left open was chosen", {
  fit <- quick(n ~ rbf(x), counts(), "auto")
  expect_output(print(summary(fit)), "Chosen: .*leave-one-out")
  expect_silent(invisible(capture.output(summary(counts_fit()))))
})

test_that("a model has its rows", {
  expect_equal(nrow(stats::model.frame(counts_fit())), 50)
  expect_true(all(c("n", "x", "site") %in% names(stats::model.frame(counts_fit()))))
})

test_that("a family may be written with its link", {
  fit <- quick(n ~ rbf(x), counts(), "negative-binomial/log")
  expect_equal(fit$information[c("likelihood", "link")], list(likelihood = "negative-binomial", link = "log"))
})

test_that("plots and reports are made", {
  fit <- counts_fit()
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  plot(fit, which = 1:4)
  grDevices::dev.off()
  expect_gt(file.size(file), 5000)
  page <- report(fit, open = FALSE)
  expect_match(readLines(page, 1, warn = FALSE), "<!doctype html", ignore.case = TRUE)
})

test_that("loo and broom take a model", {
  fit <- counts_fit()
  skip_if_not_installed("loo")
  of <- loo::loo(fit)
  other <- loo::loo(quick(n ~ rbf(x), counts(), "poisson"))
  table <- loo::loo_compare(of, other)
  expect_equal(sum(table[, "elpd_diff"]), -abs(sum(of$pointwise[, 1]) - sum(other$pointwise[, 1])))
  expect_output(print(of), "elpd_loo")
  expect_equal(attr(of, "model_name"), "fit")
  skip_if_not_installed("generics")
  expect_true("rbf.lengthscale" %in% generics::tidy(fit)$term)
  expect_equal(generics::glance(fit)$elpd_loo, of$estimates["elpd_loo", "Estimate"])
  augmented <- generics::augment(fit)
  expect_equal(augmented$.fitted, unname(predict(fit)))
  expect_equal(nrow(generics::augment(fit, newdata = counts()[1:2, ])), 2)
})

test_that("a comparison names the best and counts its trials", {
  study <- compare_ggpm(n ~ rbf(x), counts(), families = c("poisson", "negative-binomial"), splits = 2, restarts = 1,
                        exposure = hours, threads = 2)
  expect_equal(nrow(study$trials), 4)
  expect_true(study$best %in% study$summary$candidate)
  expect_output(print(study), "best NLP")
})
