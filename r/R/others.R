# Objects of other packages: loo, broom.

# Leave-one-out log densities from the cavities of the sites: no draws, no importance weights, no refits.
loo.ggpm <- function(x, ...) {
  named <- substitute(x)
  of <- leave_one_out(x)
  elpd <- of$log_density
  within <- .Call(C_predict, pointer_of(x), NULL, "", "log_density", NULL, 0L)$log_density
  n <- length(elpd)
  pointwise <- cbind(elpd_loo = elpd, mcse_elpd_loo = 0, p_loo = within - elpd, looic = -2 * elpd,
                     influence_pareto_k = 0)
  summed <- pointwise[, c("elpd_loo", "p_loo", "looic"), drop = FALSE]
  estimates <- cbind(Estimate = colSums(summed), SE = sqrt(n) * apply(summed, 2, stats::sd))
  out <- list(estimates = estimates, pointwise = pointwise,
              diagnostics = list(pareto_k = rep(0, n), n_eff = rep(n, n)))
  for (name in rownames(estimates)) {
    out[[name]] <- estimates[name, "Estimate"]
    out[[paste0("se_", name)]] <- estimates[name, "SE"]
  }
  name <- if (is.name(named)) as.character(named) else deparse(x$call)[1]
  structure(out, dims = c(NA_integer_, n), class = c("ggpm_loo", "loo"), model_name = name)
}

print.ggpm_loo <- function(x, digits = 1, ...) {
  cat("Leave-one-out densities of ", nrow(x$pointwise), " rows, from the approximate posterior\n\n", sep = "")
  print(round(x$estimates, digits))
  invisible(x)
}

tidy.ggpm <- function(x, effects = c("all", "effects", "hyperparameters"), conf.level = 0.95, ...) {
  effects <- match.arg(effects)
  columns <- c("component", "term", "estimate", "std.error", "conf.low", "conf.high")
  linear <- effects_if_any(x, conf.level)
  if (!is.null(linear)) linear$term <- coefficient_names(linear)
  learned <- x$information$parameters
  learned$term <- learned$name
  tables <- list(effects = linear, hyperparameters = learned)
  if (effects != "all") tables <- tables[effects]
  tables <- Filter(Negate(is.null), tables)
  tables <- lapply(names(tables), function(name) {
    table <- tables[[name]]
    table$component <- rep(sub("s$", "", name), nrow(table))
    table[columns]
  })
  as_tibble_if_there(do.call(rbind, tables))
}

glance.ggpm <- function(x, ...) {
  i <- x$information
  of <- leave_one_out(x)
  as_tibble_if_there(data.frame(
    family = i$likelihood, link = i$link, inference = i$inference, logLik = i$log_marginal,
    AIC = stats::AIC(x), elpd_loo = of$total, se_elpd_loo = of$standard_error, nobs = i$rows,
    converged = i$converged
  ))
}

augment.ggpm <- function(x, data = x$data, newdata = NULL, conf.level = 0.95, ...) {
  if (is.null(newdata) && is.null(data)) wrong_use("augment: the model was read from a file; give newdata")
  rows <- if (is.null(newdata)) data else newdata
  given <- if (!is.null(newdata)) newdata
  if (is_unordered(x)) {
    out <- cbind(rows, .fitted = predict(x, given, type = "class"))
  } else {
    bounds <- predict(x, given, type = "quantile", probs = tails(conf.level))
    fit <- predict(x, given, se.fit = TRUE)
    out <- cbind(rows, .fitted = fit$fit, .se.fit = fit$se.fit, .lower = bounds[, 1], .upper = bounds[, 2])
  }
  if (is.null(newdata)) out$.resid <- residuals(x)
  as_tibble_if_there(out)
}

as_tibble_if_there <- function(table) {
  row.names(table) <- NULL
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(table) else table
}
