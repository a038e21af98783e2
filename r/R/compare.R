# Which family suits the data? Fits side by side in threads of the library, without copies of R.
compare_ggpm <- function(formula, data, families = NULL, kernels = NULL, inferences = NULL, splits = 10, folds = 0,
                         train = 0.7, weights, trials, exposure, offset, censored, upper, levels = NULL,
                         na.action = getOption("na.action"), progress = interactive(), ...) {
  call <- match.call()
  source <- if (is.name(call$data)) as.character(call$data) else "data"
  model <- model_request(formula, data, given_parts(environment()), levels, source)
  request <- model$request
  request$options <- options_text(c(list(...), missing = if (na_action_name(na.action) == "na.fail") "error" else "drop"))
  if (is.null(levels)) request$levels <- factor_levels(model$y, families)
  request$likelihoods <- families
  request$inferences <- inferences
  request$kernels <- if (!is.null(kernels)) kernels else request$kernel
  request$kernel <- NULL
  request$splits <- as.numeric(c(if (folds > 0 && missing(splits)) 1 else splits, folds, train))
  on.exit(end_progress(progress))
  out <- .Call(C_compare, request, progress_function(progress))
  out$summary <- table_of(out$summary)
  out$trials <- table_of(out$trials)
  structure(c(out, list(call = call)), class = "ggpm_comparison")
}

print.ggpm_comparison <- function(x, digits = 4, ...) {
  print(x$summary, row.names = FALSE, digits = digits)
  cat("\n", x$recommendation, "\n", sep = "")
  invisible(x)
}

plot.ggpm_comparison <- function(x, ...) {
  trials <- x$trials[!nzchar(x$trials$failure), ]
  by <- factor(trials$candidate, levels = rev(x$summary$candidate))
  old <- par(mar = c(4, 16, 1, 1))
  on.exit(par(old))
  graphics::boxplot(nlp ~ by, data = trials, horizontal = TRUE, las = 1, xlab = "negative log density of test rows",
                    ylab = "", ...)
  invisible(x)
}
