# Data frames as the tables of the library: columns of numbers and of text.

column_of <- function(x, name) {
  if (is.factor(x)) return(as.character(x))
  if (inherits(x, "Date")) return(format(x, "%Y-%m-%d"))
  if (inherits(x, "POSIXt")) return(format(x, "%Y-%m-%d %H:%M:%S"))
  if (inherits(x, "difftime") || is.numeric(x) || is.logical(x)) return(as.numeric(x))
  if (is.character(x)) return(x)
  wrong_use("column '", name, "' is of class ", class(x)[1], "; columns are numbers, text, factors or dates")
}

columns_of <- function(data) {
  out <- lapply(names(data), function(name) column_of(data[[name]], name))
  names(out) <- names(data)
  out
}

# Columns that are computed of others: the left side of a formula, weights = 1 / se^2. Without a source, those whose
# variables are not there are left out; the library says if it needs them.
add_computed <- function(data, computed, environment, source = NULL) {
  for (name in names(computed)) {
    expression <- computed[[name]]
    value <- if (!is.null(source)) {
      computed_column(expression, data, environment, source)
    } else if (all(all.vars(expression) %in% names(data))) {
      eval(expression, data, environment)
    }
    if (is.null(value)) next
    parts <- parts_of_response(value, name)
    for (part in names(parts)) data[[part]] <- parts[[part]]
  }
  data
}

# Names that are neither columns nor variables are slips of the pen.
computed_column <- function(expression, data, environment, source) {
  tryCatch(eval(expression, data, environment), error = function(e) {
    is_there <- function(name) name %in% names(data) || exists(name, envir = environment)
    unknown <- Filter(Negate(is_there), all.vars(expression))
    if (length(unknown) > 0) no_column(unknown[1], data, source)
    stop(e)
  })
}

no_column <- function(name, data, source) {
  slips <- utils::adist(name, names(data), ignore.case = TRUE)
  advice <- if (nchar(name) > 2 && min(slips, Inf) <= nchar(name) / 3) {
    paste0("did you mean '", names(data)[which.min(slips)], "'?")
  } else {
    paste("there are:", paste(names(data), collapse = ", "))
  }
  signal_error("data", paste0(source, ": there is no column '", name, "'; ", advice), source, 0, name)
}

# A response of several columns, as survival::Surv and cbind(successes, failures) are, and the parts they have.
parts_of_response <- function(value, name) {
  if (inherits(value, "Surv")) return(parts_of_lifetimes(value, name))
  if (is.matrix(value) && ncol(value) == 2) {
    return(named(c(name, paste0(name, ": trials")), list(value[, 1], value[, 1] + value[, 2])))
  }
  named(name, list(value))
}

parts_of_lifetimes <- function(value, name) {
  kind <- attr(value, "type")
  m <- unclass(value)
  status <- m[, "status"]
  time <- m[, if (kind == "interval") "time1" else "time"]
  censored <- switch(kind,
    right = 1 - status,
    left = status - 1,
    interval = c(1, 0, -1, 0)[status + 1],  # 0 right, 1 observed, 2 left, 3 interval
    wrong_use("a Surv of type '", kind, "' is not known; there are right, left and interval")
  )
  out <- named(c(name, paste0(name, ": censored")), list(time, censored))
  if (kind == "interval") out[[paste0(name, ": upper")]] <- ifelse(status == 3, m[, "time2"], NA)
  out
}

named <- function(names, values) {
  names(values) <- names
  values
}

# The rows that can be predicted.
complete_rows <- function(data) {
  if (length(data) == 0) return(rep(TRUE, nrow(data)))
  stats::complete.cases(data)
}
