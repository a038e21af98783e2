# Every family of the registry: what can be asked of a model answers, with the numbers of the command to the last
# digit, and what cannot be is refused in a sentence. GGPM_SLOW=1 takes all families, otherwise one of each kind.

quick_families <- c("weibull", "beta-binomial", "ordinal", "softmax")

# Of a family: rows drawn from it by the command.
drawn <- function(family) {
  file <- tempfile(fileext = ".csv")
  trials <- if (family %in% c("binomial", "beta-binomial")) c("--trials", "12")
  run(c("simulate", "--likelihood", family, trials, "--kernel", "rbf(1, 2)", "--rows", "24", "--seed", "7",
        "--dimensions", "2", "-o", file))
  utils::read.csv(file)
}

# The first of this name.
number_of <- function(json, name) {
  as.numeric(sub(paste0('^.*?"', name, '":(-?[0-9.e+-]+)[,}].*$'), "\\1", json, perl = TRUE))
}

fit_both <- function(family, inference) {
  d <- drawn(family)
  out <- list(d = d, table = write_table(d), model = tempfile(fileext = ".ggpm"))
  trials <- "trials" %in% names(d)
  printed <- tempfile(fileext = ".json")
  run(c("fit", out$table, "--formula", "y ~ rbf(x1, x2) + linear(x2)", "--likelihood", family, "--inference", inference,
        if (trials) c("--trials", "trials"), "--restarts", "0", "--threads", "1", "--json", "-o", out$model), printed)
  out$json <- paste(readLines(printed), collapse = "")
  given <- list(y ~ rbf(x1, x2) + linear(x2), d, family, inference = inference, restarts = 0, threads = 1)
  if (trials) given$trials <- "trials"
  out$fit <- suppressWarnings(suppressMessages(do.call(ggpm, given)))
  out
}

answers_of_command <- function(both, ...) {
  file <- tempfile(fileext = ".csv")
  run(c("predict", both$model, both$table, "--latent", "--threads", "1", ..., "-o", file))
  utils::read.csv(file, check.names = FALSE)
}

expect_columns <- function(values, table, names) {
  for (k in seq_along(names)) expect_identical(unname(values[, k]), as.numeric(table[[names[k]]]))
}

expect_mean_and_quantiles <- function(both) {
  fit <- both$fit
  d <- both$d
  of_command <- answers_of_command(both, "--mean-quantiles", "0.25,0.75", "--draws", "2", "--draws-of", "outcome",
                                   "--seed", "5")
  expect_identical(unname(predict(fit, d)), as.numeric(of_command$mean))
  expect_columns(predict(fit, d, type = "quantile"), of_command, c("q0.025", "q0.5", "q0.975"))
  bounds <- predict(fit, d, interval = "confidence", level = 0.5)[, 2:3]
  expect_columns(bounds, of_command, c("mean_q0.25", "mean_q0.75"))
  latent <- predict(fit, d, type = "latent", se.fit = TRUE)
  expect_identical(unname(latent$fit), of_command$latent_mean)
  expect_identical(unname(latent$se.fit), of_command$latent_sd)
  expect_columns(simulate(fit, 2, seed = 5, newdata = d), of_command, c("draw1", "draw2"))
  for (type in c("response", "pearson")) expect_length(residuals(fit, type), nrow(d))
  expect_equal(nrow(predict(fit, d, type = "terms")), nrow(d))
  of_command
}

expect_classes_without_order <- function(both) {
  fit <- both$fit
  d <- both$d
  of_command <- answers_of_command(both, "--samples", "2", "--seed", "5")
  levels <- sort(unique(d$y))
  latent <- predict(fit, d, type = "latent", se.fit = TRUE)
  expect_columns(latent$fit, of_command, paste0("latent_mean_", levels))
  expect_columns(latent$se.fit, of_command, paste0("latent_sd_", levels))
  expect_identical(predict(fit, d), predict(fit, d, type = "prob"))
  expect_columns(simulate(fit, 2, seed = 5, newdata = d), of_command, c("sample1", "sample2"))
  expect_error(predict(fit, d, type = "quantile"), "no order", class = "ggpm_usage_error")
  expect_error(predict(fit, d, se.fit = TRUE), "no order", class = "ggpm_usage_error")
  expect_error(predict(fit, d, type = "latent", interval = "confidence"), class = "ggpm_usage_error")
  expect_error(residuals(fit, "pearson"), "no order", class = "ggpm_usage_error")
  expect_error(simulate(fit, 1, what = "latent"), class = "ggpm_usage_error")
  expect_error(coef(fit), "one latent function", class = "ggpm_usage_error")
  of_command
}

expect_answers <- function(family, inference) {
  both <- fit_both(family, inference)
  fit <- both$fit
  d <- both$d
  expect_identical(as.numeric(logLik(fit)), number_of(both$json, "log_marginal"))
  unordered <- family == "softmax"
  of_command <- if (unordered) expect_classes_without_order(both) else expect_mean_and_quantiles(both)
  expect_identical(unname(predict(fit, d, type = "log_density")), of_command$log_density)
  of_levels <- grep("^p_", names(of_command), value = TRUE)
  if (length(of_levels) > 0) {
    expect_columns(predict(fit, d, type = "prob"), of_command, of_levels)
    expect_identical(as.character(predict(fit, d, type = "class")), as.character(of_command$mode))
  }
  left_out <- number_of(sub('.*"loo":', "", both$json), "log_density")
  expect_identical(generics::glance(fit)$elpd_loo, left_out)
  added <- loo::loo(fit)$estimates["elpd_loo", "Estimate"]  # the same rows, added by R
  expect_equal(added, left_out, tolerance = 1e-14)
  expect_true(all(is.finite(residuals(fit))))
  expect_output(print(summary(fit)), family)
  expect_equal(nrow(generics::augment(fit)), nrow(d))
  expect_true("rbf.variance" %in% generics::tidy(fit)$term)
  grDevices::pdf(NULL)
  plot(fit, which = 1:4)
  grDevices::dev.off()

  expect_identical(predict(read_ggpm(both$model), d), predict(fit, d))
  file <- tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file)), predict(fit))
  write_ggpm(fit, file)
  again <- answers_of_command(utils::modifyList(both, list(model = file)), "--columns", "log_density")
  expect_identical(again$log_density, of_command$log_density)
}

for (family in ggpm_likelihoods()$name) {
  test_that(paste(family, "answers as the command does"), {
    if (!family %in% quick_families) skip_if(Sys.getenv("GGPM_SLOW") == "", "slow: GGPM_SLOW=1")
    skip_if_not_installed("loo")
    skip_if_not_installed("generics")
    for (inference in c("auto", if (family != "laplace") "laplace", "kld")) expect_answers(family, inference)
  })
}

test_that("draws of levels are factors, as the outputs were", {
  d <- drawn("ordinal")
  names <- c("low", "middle", "high")
  d$y <- factor(names[d$y], levels = names, ordered = TRUE)
  fit <- quick(y ~ rbf(x1), d, "ordinal")
  expect_identical(levels(simulate(fit, 2, seed = 1)$sim_2), names)
  d$y <- factor(ifelse(d$y == "low", "no", "yes"))
  expect_identical(levels(simulate(quick(y ~ rbf(x1), d, "bernoulli"), 1, seed = 1)$sim_1), c("no", "yes"))
})
