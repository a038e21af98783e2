#' A model of a formula and a family, fitted to a data frame: see man/ggpm.Rd.
ggpm <- function(formula, data, family = "auto", weights, trials, exposure, offset, censored, upper,
                 levels = NULL, na.action = getOption("na.action"), progress = interactive(), ...) {
  call <- match.call()
  source <- if (!missing(data) && is.name(call$data)) as.character(call$data) else "data"
  if (missing(data)) data <- environment_data(formula)
  if (!is.data.frame(data)) wrong_use("data is a data frame, not of class ", class(data)[1])
  model <- model_request(formula, data, given_parts(environment()), levels, source)
  named <- family_text(family, has_trials = !is.null(model$request$trials))
  given <- list(...)
  if (!is.null(given$likelihood)) wrong_use("likelihood: it is called family here")
  action <- na_action_name(na.action)
  options <- utils::modifyList(c(named, list(missing = if (action == "na.fail") "error" else "drop")), given)
  model$request$options <- options_text(options)
  model$request$call <- paste(deparse(call), collapse = " ")
  if (is.null(levels)) model$request$levels <- factor_levels(model$y, options$likelihood)

  on.exit(end_progress(progress))
  fit <- .Call(C_fit, model$request, progress_function(progress))
  for (note in c(fit$notes, if (isTRUE(progress)) fit$reasons)) message(note)
  out <- new_ggpm(fit$pointer, call = call, formula = model$formula, environment = model$environment,
                  computed = model$computed, data = model$data[fit$rows, , drop = FALSE])
  out$na.action <- omitted_rows(fit$rows, model$data, action)
  out$choice <- fit$reasons
  for (text in out$information$warnings) warning(text, call. = FALSE)
  out
}

# weights = 1 / se^2 and the like, as they were written.
given_parts <- function(frame) {
  parts <- c("weights", "trials", "exposure", "offset", "censored", "upper")
  is_given <- function(part) !eval(call("missing", as.name(part)), frame)
  sapply(Filter(is_given, parts), function(part) eval(call("substitute", as.name(part)), frame), simplify = FALSE)
}

# A factor says which class is the second, and the order of its levels if it has one.
factor_levels <- function(y, likelihood) {
  if (!is.factor(y)) return(NULL)
  of <- levels(droplevels(y))
  if (length(of) == 2 || is.ordered(y) || identical(likelihood, "ordinal")) of
}

environment_data <- function(formula) {
  if (!inherits(formula, "formula")) wrong_use("data is needed where the formula is text")
  as.data.frame(mget(all.vars(formula), envir = environment(formula), inherits = TRUE), check.names = FALSE)
}

# What a formula and columns with a part ask of a data frame: list(request, data, y, computed, formula,
# environment). `data` has the columns that are needed and no other.
model_request <- function(formula, data, roles, levels, source) {
  environment <- if (inherits(formula, "formula")) environment(formula) else parent.frame(2)
  if (is.character(formula)) {
    text <- formula
    computed <- list()
  } else {
    if (!inherits(formula, "formula") || length(formula) != 3) {
      wrong_use("a formula has two sides, as cases ~ rbf(lon, lat) + group(county)")
    }
    left <- formula[[2]]
    target <- if (is.name(left)) as.character(left) else paste(deparse(left), collapse = " ")
    computed <- if (!is.name(left) || !target %in% names(data)) named(target, list(left)) else list()
    everything <- identical(formula[[3]], quote(.))
    text <- paste(name_text(target), "~", if (everything) "1" else expression_text(formula[[3]]))
  }
  parts <- .Call(C_formula, text)
  request <- list(source = source, target = parts$target, levels = levels)
  if (is.character(formula) || !everything) {
    request$kernel <- parts$kernel
    request$inputs <- parts$inputs
  }
  data <- add_computed(data, computed, environment, source)
  for (part in c("trials", "censored", "upper")) {
    column <- paste0(parts$target, ": ", part)
    if (column %in% names(data)) request[[part]] <- column
  }
  for (part in c("offset", "exposure")) if (nzchar(parts[[part]])) request[[part]] <- parts[[part]]
  for (part in names(roles)) {
    as_named <- if (part == "weights") "weight" else part
    if (!is.null(request[[as_named]])) wrong_use(part, ": the formula names it already")
    expression <- roles[[part]]
    column <- if (is.character(expression)) expression else paste(deparse(expression), collapse = " ")
    if (!column %in% names(data)) {
      if (is.character(expression)) wrong_use(part, ": there is no column '", column, "' in the data")
      computed[[column]] <- expression
      data <- add_computed(data, computed[column], environment, source)
    }
    request[[as_named]] <- column
  }
  used <- c(request$target, request$trials, request$exposure, request$offset, request$weight, request$censored,
            request$upper)
  used <- unique(c(used, if (length(request$inputs) > 0) request$inputs else all_inputs(data, formula, computed)))
  absent <- setdiff(used, names(data))
  if (length(absent) > 0) no_column(absent[1], data, source)
  data <- data[used]
  request$columns <- columns_of(data)
  list(request = request, data = data, y = data[[request$target]], computed = computed, formula = formula,
       environment = environment)
}

# Where no input is named: all columns that are no part of a computed one.
all_inputs <- function(data, formula, computed) {
  setdiff(names(data), unlist(lapply(computed, all.vars)))
}

na_action_name <- function(action) {
  if (is.null(action)) return("na.fail")
  name <- if (is.character(action)) {
    action
  } else {
    Find(function(n) identical(action, getExportedValue("stats", n)), c("na.omit", "na.exclude", "na.fail", "na.pass"))
  }
  if (is.null(name) || !name %in% c("na.omit", "na.exclude", "na.fail")) {
    wrong_use("na.action is na.omit, na.exclude or na.fail")
  }
  name
}

# As na.omit() says which rows are not there, so that naresid() and napredict() know.
omitted_rows <- function(kept, data, action) {
  omitted <- setdiff(seq_len(nrow(data)), kept)
  if (length(omitted) == 0) return(NULL)
  names(omitted) <- row.names(data)[omitted]
  structure(omitted, class = if (action == "na.exclude") "exclude" else "omit")
}

# A line that renews itself, or a function of the caller's: (stage, done, of, value, seconds).
progress_function <- function(progress) {
  if (is.function(progress)) return(progress)
  if (!isTRUE(progress)) return(NULL)
  last <- -Inf
  function(stage, done, of, value, seconds) {
    if (of > 0 && abs(seconds - last) > 0.1) {  # seconds begin again with the next fit
      last <<- seconds
      cat(sprintf("\r%-40.40s %4d of %4d  %12.6g  %6.1f s", stage, done, of, value, seconds), file = stderr())
    }
    NULL
  }
}

end_progress <- function(progress) if (isTRUE(progress)) cat("\r", strrep(" ", 78), "\r", sep = "", file = stderr())

# ---- The object: the bytes of its model file, which saveRDS keeps, and the model in memory, which it does not.

new_ggpm <- function(pointer, ...) {
  memory <- new.env(parent = emptyenv())
  memory$pointer <- pointer
  information <- .Call(C_information, pointer)
  information$parameters <- as.data.frame(information$parameters)
  structure(list(..., information = information, bytes = .Call(C_to_bytes, pointer), memory = memory),
            class = "ggpm")
}

pointer_of <- function(model) {
  if (!.Call(C_is_loaded, model$memory$pointer)) model$memory$pointer <- .Call(C_from_bytes, model$bytes)
  model$memory$pointer
}

read_ggpm <- function(file) {
  pointer <- .Call(C_load, path.expand(file))
  new_ggpm(pointer, call = match.call(), formula = NULL, environment = globalenv(), computed = list(), data = NULL)
}

write_ggpm <- function(model, file) {
  .Call(C_save, pointer_of(model), path.expand(file))
  invisible(file)
}

table_of <- function(columns) as.data.frame(columns, check.names = FALSE, stringsAsFactors = FALSE)

# ---- What there is

ggpm_options <- function() table_of(.Call(C_options))
ggpm_likelihoods <- function() table_of(.Call(C_likelihoods))
ggpm_kernels <- function() table_of(.Call(C_kernels))
