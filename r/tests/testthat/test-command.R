# The same numbers as the command, to the last digit.

expect_same_as_command <- function(d, formula, r_arguments, arguments) {
  table <- write_table(d)
  model <- tempfile(fileext = ".ggpm")
  answers <- tempfile(fileext = ".csv")
  run(c("fit", table, "--formula", formula, arguments, "-o", model))
  run(c("predict", model, table, "--latent", "--mean-quantiles", "0.25,0.75", "-o", answers))
  of_command <- utils::read.csv(answers, colClasses = "numeric")

  fit <- suppressWarnings(suppressMessages(do.call(ggpm, c(list(formula, d), r_arguments))))
  expect_identical(unname(predict(fit, d)), of_command$mean)
  quantiles <- predict(fit, d, type = "quantile")
  for (name in colnames(quantiles)) expect_identical(unname(quantiles[, name]), of_command[[name]])
  latent <- predict(fit, d, type = "latent", se.fit = TRUE)
  expect_identical(unname(latent$fit), of_command$latent_mean)
  expect_identical(unname(latent$se.fit), of_command$latent_sd)
  of_mean <- predict(fit, d, interval = "confidence", level = 0.5)
  expect_identical(unname(of_mean[, "lwr"]), of_command$mean_q0.25)
  expect_identical(unname(predict(fit, d, type = "log_density")), of_command$log_density)
  # The file of the one is read by the other.
  expect_identical(predict(read_ggpm(model), d), predict(fit, d))
  written <- tempfile(fileext = ".ggpm")
  write_ggpm(fit, written)
  again <- tempfile(fileext = ".csv")
  run(c("predict", written, table, "--columns", "mean", "-o", again))
  expect_identical(utils::read.csv(again)$mean, of_command$mean)
}

test_that("counts with groups and an exposure are those of the command", {
  expect_same_as_command(
    counts(), "n ~ rbf(x) + group(site) + offset(log(hours))",
    list(family = "poisson", restarts = 2, threads = 1),
    c("--likelihood", "poisson", "--restarts", "2", "--threads", "1")
  )
})

test_that("positive outputs with a link and a method are those of the command", {
  d <- counts()
  d$y <- d$n + 0.5
  expect_same_as_command(
    d[c("x", "hours", "y")], "y ~ rbf(x, hours, ard=true) + linear(hours)",
    list(family = Gamma("log"), inference = "laplace", restarts = 2, threads = 1),
    c("--likelihood", "gamma-shape", "--link", "log", "--inference", "laplace", "--restarts", "2", "--threads", "1")
  )
})

test_that("an object of R says the same as its formula as text", {
  d <- counts()
  of_object <- quick(n ~ rbf(x, lengthscale = 2, ard = TRUE) - 1, d, "poisson")
  of_text <- quick("n ~ rbf(x, lengthscale=2, ard=true) + 0", d, "poisson")
  expect_identical(predict(of_object), predict(of_text))
})
