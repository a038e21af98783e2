# Predictions of new rows; without them, of the rows that the model was fitted to.
predict.ggpm <- function(object, newdata = NULL,
                         type = c("response", "link", "latent", "quantile", "terms", "prob", "class", "log_density"),
                         se.fit = FALSE, interval = c("none", "confidence", "prediction"), level = 0.95,
                         probs = c(0.025, 0.5, 0.975), na.action = stats::na.pass, threads = 0, ...) {
  type <- match.arg(type)
  interval <- match.arg(interval)
  check_probabilities(c(level, probs))
  rows <- new_rows(object, newdata, na.action)
  ask <- function(wanted, probabilities = NULL) {
    .Call(C_predict, pointer_of(object), rows$columns, "newdata", c(wanted, "notes"), probabilities,
          as.integer(threads))
  }
  answer <- switch(type,
    response = predict_response(ask, object, se.fit, interval, level),
    link = predict_latent(ask, object, TRUE, se.fit, interval, level),
    latent = predict_latent(ask, object, FALSE, se.fit, interval, level),
    quantile = predict_quantiles(ask, object, probs),
    terms = predict_terms(object, rows$columns, se.fit),
    prob = predict_levels(ask, object),
    class = predict_class(ask, object),
    log_density = predict_density(ask)
  )
  for (note in answer$notes) warning(note, call. = FALSE)
  placed <- lapply(answer$parts, place_rows, rows)
  if (length(placed) == 1) placed[[1]] else placed
}

check_probabilities <- function(p) {
  if (!is.numeric(p) || anyNA(p) || any(p <= 0 | p >= 1)) wrong_use("probabilities are between 0 and 1")
}

# list(columns, complete, names, na.action): complete says which rows have all that is needed.
new_rows <- function(object, newdata, action = stats::na.pass) {
  if (is.null(newdata)) {
    return(list(columns = NULL, names = row.names(object$data), na.action = object$na.action))
  }
  if (!is.data.frame(newdata)) newdata <- as.data.frame(newdata)
  newdata <- add_computed(newdata, object$computed, object$environment)
  information <- object$information
  roles <- unlist(information$roles[c("exposure", "offset")])
  needed <- c(information$needed, roles[nzchar(roles)])
  carried <- unlist(information$roles[c("target", "trials", "weight", "censored", "upper")])
  used <- intersect(unique(c(needed, carried[nzchar(carried)])), names(newdata))
  complete <- complete_rows(newdata[intersect(needed, used)])
  if (!all(complete) && identical(action, stats::na.fail)) wrong_use("newdata: there are missing values")
  out <- list(columns = columns_of(newdata[complete, used, drop = FALSE]), names = row.names(newdata))
  if (!all(complete)) {
    if (identical(action, stats::na.omit)) out$names <- out$names[complete] else out$complete <- complete
  }
  out
}

# NA where a row could not be predicted; names of rows.
place_rows <- function(x, rows) {
  if (!is.null(rows$complete)) {
    n <- length(rows$complete)
    whole <- if (is.matrix(x)) matrix(NA_real_, n, ncol(x)) else rep(x[NA_integer_], n)
    if (is.matrix(x)) {
      whole[rows$complete, ] <- x
      colnames(whole) <- colnames(x)
    } else {
      whole[rows$complete] <- x
    }
    x <- whole
  }
  if (is.matrix(x)) rownames(x) <- rows$names else if (!is.null(rows$names)) names(x) <- rows$names
  if (is.null(rows$columns)) stats::napredict(rows$na.action, x) else x
}

tails <- function(level) c((1 - level) / 2, (1 + level) / 2)

with_interval <- function(fit, bounds) {
  out <- cbind(fit, bounds)
  colnames(out) <- c("fit", "lwr", "upr")
  out
}

# Classes without order have a latent function each, and neither mean nor quantile.
is_unordered <- function(object) object$information$latent_of_each

refuse_unordered <- function(object, what) {
  if (is_unordered(object)) {
    wrong_use(what, ": classes of ", object$information$likelihood, " have no order; see type = \"prob\"")
  }
}

# The mean; of classes without order, their probabilities.
predict_response <- function(ask, object, se.fit, interval, level) {
  if (is_unordered(object)) {
    if (se.fit || interval != "none") refuse_unordered(object, if (se.fit) "se.fit" else "interval")
    return(predict_levels(ask, object))
  }
  answer <- ask(c("mean", switch(interval, confidence = "mean_quantiles", prediction = "quantiles")), tails(level))
  fit <- answer$mean
  if (interval == "confidence") fit <- with_interval(fit, answer$mean_quantiles)
  if (interval == "prediction") fit <- with_interval(fit, answer$quantiles)
  parts <- list(fit = fit)
  # Half of the interval in which the mean is with the probability of one standard deviation to each side.
  if (se.fit) {
    spread <- ask("mean_quantiles", pnorm(c(-1, 1)))$mean_quantiles
    parts$se.fit <- (spread[, 2] - spread[, 1]) / 2
  }
  list(parts = parts, notes = answer$notes)
}

# The latent function; `shifted`: with the offset, and under a log link with the logarithm of the exposure.
predict_latent <- function(ask, object, shifted, se.fit, interval, level) {
  if (interval == "prediction") wrong_use("interval: a latent function has no outputs; use confidence")
  if (is_unordered(object)) return(predict_latents(ask, object, se.fit, interval))
  answer <- ask(c("latent_mean", "latent_sd", "offset", "exposure"))
  fit <- answer$latent_mean
  if (shifted && length(answer$offset) > 0) fit <- fit + answer$offset
  if (shifted && length(answer$exposure) > 0 && object$information$link == "log") fit <- fit + log(answer$exposure)
  parts <- list(fit = fit)
  if (interval == "confidence") parts$fit <- with_interval(fit, fit + outer(answer$latent_sd, qnorm(tails(level))))
  if (se.fit) parts$se.fit <- answer$latent_sd
  list(parts = parts, notes = answer$notes)
}

predict_latents <- function(ask, object, se.fit, interval) {
  if (interval != "none") wrong_use("interval: there is a latent function for each class; use se.fit")
  answer <- ask(c("class_means", "class_sds"))
  named <- function(m) `colnames<-`(m, level_names(object))
  list(parts = c(list(fit = named(answer$class_means)), if (se.fit) list(se.fit = named(answer$class_sds))),
       notes = answer$notes)
}

predict_quantiles <- function(ask, object, probs) {
  refuse_unordered(object, "type = \"quantile\"")
  answer <- ask("quantiles", probs)
  colnames(answer$quantiles) <- paste0("q", number_text(probs))
  list(parts = list(fit = answer$quantiles), notes = answer$notes)
}

predict_terms <- function(object, columns, se.fit) {
  terms <- .Call(C_terms, pointer_of(object), columns, "newdata")
  parts <- list(fit = do.call(cbind, terms$mean))
  if (se.fit) parts$se.fit <- do.call(cbind, terms$sd)
  list(parts = parts)
}

# Of each level of the output; of two classes, both.
predict_levels <- function(ask, object) {
  names <- level_names(object)
  if (length(names) == 0) wrong_use("type = \"prob\" is for classes and levels; see type = \"quantile\"")
  if (object$information$domain == "binary") {
    answer <- ask("log_density_at", c(0, 1))
    p <- exp(do.call(cbind, unname(answer[names(answer) == "log_density_at"])))
  } else {
    answer <- ask("probabilities")
    p <- answer$probabilities
  }
  colnames(p) <- names
  list(parts = list(fit = p), notes = answer$notes)
}

# None where outputs are no levels.
level_names <- function(object) {
  information <- object$information
  numbers <- if (information$domain == "binary") 0:1 else seq_len(information$classes)
  names <- information$roles$levels  # those after the last that occurs are not of the model
  if (length(names) >= length(numbers)) names[seq_along(numbers)] else as.character(numbers)
}

predict_class <- function(ask, object) {
  answer <- predict_levels(ask, object)
  p <- answer$parts$fit
  best <- apply(p, 1, function(row) if (anyNA(row)) NA_integer_ else which.max(row))
  list(parts = list(fit = factor(colnames(p)[best], levels = colnames(p))), notes = answer$notes)
}

predict_density <- function(ask) {
  answer <- ask("log_density")
  if (is.null(answer$log_density)) wrong_use("type = \"log_density\": newdata has no column of the target")
  list(parts = list(fit = answer$log_density), notes = answer$notes)
}

fitted.ggpm <- function(object, ...) predict(object)

# Draws from the posterior predictive distribution, whole tables at a time: rows belong together. Those of
# classes without order are drawn each by itself.
simulate.ggpm <- function(object, nsim = 1, seed = NULL, newdata = NULL,
                          what = c("outcome", "mean", "latent"), ...) {
  what <- match.arg(what)
  if (is.null(seed)) seed <- sample.int(.Machine$integer.max, 1)
  rows <- new_rows(object, newdata)
  draws <- if (is_unordered(object) && what == "outcome") {
    .Call(C_sample, pointer_of(object), rows$columns, "newdata", as.integer(nsim), as.numeric(seed))
  } else {
    .Call(C_draw, pointer_of(object), rows$columns, "newdata", as.integer(nsim), as.numeric(seed), what)
  }
  out <- as.data.frame(place_rows(draws, rows))
  of <- object$information$roles$levels
  if (what == "outcome" && length(of) > 0) {  # outputs as they came: a factor
    first <- if (object$information$domain == "binary") 0 else 1
    out[] <- lapply(out, function(y) factor(of[y + 1 - first], levels = of))
  }
  names(out) <- paste0("sim_", seq_len(nsim))
  structure(out, seed = seed)
}

# "quantile": randomized quantile residuals of each row left out, standard normal if the model is right.
residuals.ggpm <- function(object, type = c("quantile", "response", "pearson"), seed = 1, ...) {
  type <- match.arg(type)
  rows <- new_rows(object, NULL)
  y <- object$information$y
  value <- if (type == "quantile") {
    qnorm(leave_one_out(object, seed)$pit)
  } else {
    refuse_unordered(object, paste0("type = \"", type, "\""))
    of <- .Call(C_predict, pointer_of(object), NULL, "", c("mean", "sd"), NULL, 0L)
    if (type == "response") y - of$mean else (y - of$mean) / of$sd
  }
  if (!is.null(rows$names)) names(value) <- rows$names
  stats::naresid(object$na.action, value)
}

leave_one_out <- function(object, seed = 1) .Call(C_loo, pointer_of(object), as.numeric(seed))
