# Models that other packages fit, as limits of ours.

test_that("a linear kernel of large variance is glm", {
  d <- counts()
  d$z <- as.numeric(d$site == "b")
  classic <- glm(n ~ x + z + offset(log(hours)), poisson(), d)
  ours <- quick(n ~ linear(x, variance = 1e6) + linear(z, variance = 1e6) + constant(variance = 1e6) + offset(log(hours)),
                d, poisson(), optimize = FALSE, inference = "laplace")
  expect_equal(coef(ours)[c("x", "z")], coef(classic)[c("x", "z")], tolerance = 1e-5)
  wald <- confint.default(classic)
  expect_equal(unname(confint(ours)[c("x", "z"), ]), unname(wald[c("x", "z"), ]), tolerance = 1e-4)
  # Our mean is over the uncertainty of the latent; its center is glm's.
  expect_equal(unname(exp(predict(ours, type = "link"))), unname(fitted(classic)), tolerance = 1e-5)
})

test_that("links of R's families are those of glm", {
  set.seed(3)
  d <- data.frame(x = rnorm(80))
  d$y <- rbinom(80, 1, pnorm(d$x))
  for (link in c("logit", "probit", "cloglog")) {
    classic <- glm(y ~ x, binomial(link), d)
    ours <- quick(y ~ linear(x, variance = 1e6) + constant(variance = 1e6), d, binomial(link), optimize = FALSE,
                  inference = "laplace")
    expect_equal(unname(predict(ours, type = "link")), unname(predict(classic)), tolerance = 1e-4)
  }
})

test_that("a group is mgcv's random effect", {
  skip_if_not_installed("mgcv")
  set.seed(5)
  d <- data.frame(g = factor(rep(1:15, each = 6)))
  d$y <- rnorm(90, rnorm(15, 0, 1)[d$g], 0.7)
  # REML integrates the intercept out, as a constant of large variance does.
  additive <- mgcv::gam(y ~ s(g, bs = "re"), data = d, method = "REML")
  utils::capture.output(components <- mgcv::gam.vcomp(additive, rescale = FALSE))
  ours <- suppressMessages(ggpm(y ~ group(g) + constant(variance = fixed(1e5)), d, "gaussian", restarts = 5))
  sds <- unname(sqrt(coef(ours, "hyperparameters")[c("group.variance", "dispersion")]))
  expect_equal(sds, unname(components[, 1]), tolerance = 1e-3)
  expect_equal(unname(fitted(ours)), as.vector(fitted(additive)), tolerance = 1e-3)
})

test_that("a Weibull line is that of survreg", {
  skip_if_not_installed("survival")
  lung <- survival::lung
  classic <- survival::survreg(survival::Surv(time, status == 2) ~ age, lung)
  ours <- quick(survival::Surv(time, status == 2) ~ linear(age, variance = fixed(1e6)) + constant(variance = fixed(1e6)),
                lung, "weibull", inference = "laplace")
  expect_equal(unname(coef(ours)["age"]), unname(coef(classic)["age"]), tolerance = 0.02)
  expect_equal(unname(coef(ours, "hyperparameters")["dispersion"]), classic$scale, tolerance = 0.02)
})
