print.ggpm <- function(x, digits = max(3, getOption("digits") - 3), ...) {
  i <- x$information
  cat("\nCall: ", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  cat("Family: ", i$likelihood, ", link ", i$link, "; inference: ", i$inference, "\n", sep = "")
  if (is.null(x$formula)) cat("Kernel: ", i$kernel, "\n", sep = "")
  cat("\nHyperparameters:\n")
  print(stats::setNames(i$parameters$estimate, i$parameters$name), digits = digits)
  cat("\nLog marginal likelihood ", format(i$log_marginal, digits = digits + 3), " on ", i$rows, " rows", sep = "")
  if (!is.null(x$na.action)) cat("; ", stats::naprint(x$na.action), sep = "")
  cat("\n")
  invisible(x)
}

summary.ggpm <- function(object, level = 0.95, ...) {
  structure(class = "summary.ggpm", list(
    call = object$call, text = .Call(C_summary, pointer_of(object)), coefficients = effects_if_any(object, level),
    hyperparameters = hyperparameters(object), log_marginal = object$information$log_marginal,
    information = object$information, choice = object$choice
  ))
}

print.summary.ggpm <- function(x, ...) {
  cat(x$text)
  if (length(x$choice) > 0) cat(strwrap(paste0("Chosen: ", x$choice), 110, exdent = 2), sep = "\n")
  invisible(x)
}

coefficient_table <- function(object, level = 0.95) {
  check_probabilities(level)
  table_of(.Call(C_coefficients, pointer_of(object), level))
}

# Where each class has a latent function of its own there are none.
effects_if_any <- function(object, level) if (!is_unordered(object)) coefficient_table(object, level)

coefficient_names <- function(table) {
  name <- ifelse(table$input == "intercept", "(Intercept)", table$input)
  ifelse(duplicated(name) | duplicated(name, fromLast = TRUE), paste0(table$term, ":", name), name)
}

# Effects of linear terms and the intercept, in units of their columns; or the hyperparameters.
coef.ggpm <- function(object, what = c("effects", "hyperparameters"), ...) {
  if (match.arg(what) == "hyperparameters") {
    of <- object$information$parameters
    return(stats::setNames(of$estimate, of$name))
  }
  of <- coefficient_table(object)
  stats::setNames(of$estimate, coefficient_names(of))
}

confint.ggpm <- function(object, parm, level = 0.95, ...) {
  of <- coefficient_table(object, level)
  out <- cbind(of$conf.low, of$conf.high)
  dimnames(out) <- list(coefficient_names(of), paste(format(100 * tails(level), trim = TRUE, digits = 3), "%"))
  if (missing(parm)) out else out[parm, , drop = FALSE]
}

hyperparameters <- function(object, ...) UseMethod("hyperparameters")

hyperparameters.ggpm <- function(object, ...) {
  out <- object$information$parameters
  out[c("name", "estimate", "conf.low", "conf.high", "fixed", "remark")]
}

# The marginal likelihood, in which the latent function is integrated out; its df are the hyperparameters that
# were learned.
logLik.ggpm <- function(object, ...) {
  i <- object$information
  structure(i$log_marginal, df = sum(!i$parameters$fixed), nobs = i$rows, class = "logLik")
}

nobs.ggpm <- function(object, ...) object$information$rows

formula.ggpm <- function(x, ...) x$formula

# The rows and columns that were used; NULL if the model is of a file.
model.frame.ggpm <- function(formula, ...) formula$data

family.ggpm <- function(object, ...) {
  structure(list(family = object$information$likelihood, link = object$information$link), class = "family")
}

# As update() of R; but kernels are not expanded as terms are: `.` stands for the side as it was written, and
# what is subtracted must be one of its summands.
update.ggpm <- function(object, formula., ..., evaluate = TRUE) {
  call <- object$call
  if (!missing(formula.)) call$formula <- updated_formula(object$formula, formula.)
  more <- match.call(expand.dots = FALSE)$...
  for (name in names(more)) call[[name]] <- more[[name]]
  if (evaluate) eval(call, parent.frame()) else call
}

updated_formula <- function(old, new) {
  if (!inherits(old, "formula")) wrong_use("update: the formula was given as text; give a whole one")
  if (length(new) == 2) new <- as.formula_with_left(new, quote(.))
  left <- eval(call("substitute", new[[2]], list(. = old[[2]])))
  right <- eval(call("substitute", new[[3]], list(. = old[[3]])))
  out <- old
  out[[2]] <- left
  out[[3]] <- without_subtracted(right)
  out
}

as.formula_with_left <- function(one_sided, left) {
  out <- one_sided
  out[[3]] <- one_sided[[2]]
  out[[2]] <- left
  out
}

without_subtracted <- function(e) {
  parts <- summands(e, 1)
  text <- vapply(parts, function(p) paste(deparse(p$term), collapse = ""), "")
  sign <- vapply(parts, function(p) p$sign, 1)
  dropped <- text[sign < 0]
  unknown <- setdiff(dropped, c(text[sign > 0], "1"))
  if (length(unknown) > 0) wrong_use("update: ", unknown[1], " is no summand of the formula")
  keep <- lapply(parts[sign > 0 & !text %in% dropped], function(p) p$term)
  if ("1" %in% dropped) keep <- c(keep, list(0))
  if (length(keep) == 0) keep <- list(1)
  Reduce(function(a, b) call("+", a, b), keep)
}

summands <- function(e, sign) {
  if (is.call(e) && as.character(e[[1]])[1] %in% c("+", "-") && length(e) == 3) {
    of_right <- if (identical(e[[1]], as.name("-"))) -sign else sign
    return(c(summands(e[[2]], sign), summands(e[[3]], of_right)))
  }
  list(list(term = e, sign = sign))
}

# ---- The report and how far to trust a fit

report <- function(object, ...) UseMethod("report")

report.ggpm <- function(object, file = tempfile("report-", fileext = ".html"), newdata = NULL,
                        open = interactive(), ...) {
  rows <- new_rows(object, newdata, stats::na.omit)
  con <- file(file, open = "wb")
  on.exit(close(con))
  writeLines(.Call(C_report, pointer_of(object), rows$columns, "newdata"), con, sep = "", useBytes = TRUE)
  if (open) getOption("viewer", browseURL)(file)
  invisible(file)
}

diagnose <- function(object, ...) UseMethod("diagnose")

diagnose.ggpm <- function(object, seconds = 0, all = FALSE, ...) {
  out <- .Call(C_diagnose, pointer_of(object), as.numeric(seconds), all)
  of_methods <- c("inference", "log_marginal_of", "log_marginal_error", "mean_error", "interval_error",
                  "log_density_error", "pareto_k")
  methods <- table_of(out[of_methods])
  names(methods)[2] <- "log_marginal"
  structure(c(out[setdiff(names(out), of_methods)], list(methods = methods)), class = "ggpm_diagnosis")
}

print.ggpm_diagnosis <- function(x, ...) {
  cat(x$verdict, "\n\n", sep = "")
  print(x$methods, row.names = FALSE, digits = 3)
  cat(sprintf("\nSampling: R-hat %.3f, %.0f effective draws; log marginal %.3f (%.3f)\n", x$r_hat, x$ess,
              x$log_marginal, x$standard_error))
  invisible(x)
}
