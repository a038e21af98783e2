# What the report shows, in base graphics: 1 the mean along each input, 2 left-out predictions, 3 their
# probability integral transforms, 4 quantile residuals. Classes without order have their probabilities along each
# input, and no 2.
plot.ggpm <- function(x, which = 1:3, ask = length(which) > 1 && dev.interactive() && prod(par("mfrow")) == 1,
                      level = 0.95, ...) {
  if (ask) {
    old <- devAskNewPage(TRUE)
    on.exit(devAskNewPage(old))
  }
  if (1 %in% which) plot_inputs(x, level, ...)
  if (2 %in% which && !is_unordered(x)) plot_outputs(x, level)
  if (3 %in% which) plot_pit(x)
  if (4 %in% which) plot_residuals(x)
  invisible(x)
}

# The mean and its interval along an input, the others at their median or most frequent level.
plot_inputs <- function(x, level, points = TRUE, ...) {
  if (is.null(x$data)) {
    message("plot: a model of a file has no data frame; inputs are not drawn")
    return(invisible())
  }
  roles <- x$information$roles
  per <- roles$exposure
  label <- if (nzchar(per)) paste(roles$target, "/", per) else roles$target
  for (input in x$information$needed) {
    values <- x$data[[input]]
    numeric <- is.numeric(values)
    at <- if (numeric) seq(min(values), max(values), length.out = 200) else sort(unique(as.character(values)))
    grid <- as.data.frame(lapply(x$data, typical), check.names = FALSE)[rep(1, length(at)), , drop = FALSE]
    grid[[input]] <- at
    for (part in c("trials", "exposure")) if (nzchar(roles[[part]])) grid[[roles[[part]]]] <- 1
    grid[[roles$target]] <- NULL
    if (is_unordered(x)) {
      plot_probabilities(predict(x, grid), at, input, ...)
      next
    }
    band <- predict(x, grid, interval = "confidence", level = level)
    y <- of_one(x, x$information$y)
    if (numeric) {
      graphics::matplot(at, band, type = "n", xlab = input, ylab = label,
                        ylim = range(band, if (points) c(y, of_one(x, x$information$upper)), finite = TRUE), ...)
      polygon(c(at, rev(at)), c(band[, 2], rev(band[, 3])), col = adjustcolor("steelblue", 0.3), border = NA)
      if (points) draw_outputs(x, values, y, of_one(x, x$information$upper), col = adjustcolor("black", 0.5))
      lines(at, band[, 1], lwd = 2, col = "steelblue")
    } else {
      place <- seq_along(at)
      graphics::plot(place, band[, 1], xaxt = "n", xlab = input, ylab = label, pch = 16, col = "steelblue",
                     ylim = range(band), xlim = c(0.5, length(at) + 0.5), ...)
      graphics::segments(place, band[, 2], place, band[, 3], col = "steelblue", lwd = 2)
      axis(1, place, at)
    }
  }
}

plot_probabilities <- function(p, at, input, ...) {
  numeric <- is.numeric(at)
  place <- if (numeric) at else seq_along(at)
  color <- hcl.colors(ncol(p), "Dark 3")
  graphics::matplot(place, p, type = if (numeric) "l" else "p", lty = 1, lwd = 2, pch = 16, col = color,
                    ylim = c(0, 1), xlab = input, ylab = "probability", xaxt = if (numeric) "s" else "n", ...)
  if (!numeric) axis(1, place, at)
  graphics::legend("topright", colnames(p), col = color, lwd = 2, bty = "n")
}

typical <- function(values) {
  if (is.numeric(values)) return(stats::median(values, na.rm = TRUE))
  names(sort(table(values), decreasing = TRUE))[1]
}

# Outputs in the units of the curve: of one trial, of exposure 1.
of_one <- function(x, y) {
  if (length(y) == 0) return(y)
  i <- x$information
  if (length(i$trials) > 0) y <- y / i$trials
  if (length(i$exposure) > 0) y <- y / i$exposure
  y
}

# What was observed is a dot; a triangle points to where an output is known to be, a bar is an interval.
draw_outputs <- function(x, at, y, upper, ...) {
  kind <- rep(0, length(y))
  if (length(x$information$censored) > 0) kind <- x$information$censored
  if (length(upper) > 0) {
    between <- !is.na(upper)
    graphics::segments(at[between], y[between], at[between], upper[between], ...)
    kind[between] <- NA
  }
  points(at, y, pch = c(6, 16, 2)[kind + 2], cex = 0.6, ...)
}

plot_outputs <- function(x, level) {
  y <- x$information$y
  bounds <- .Call(C_predict, pointer_of(x), NULL, "", c("mean", "quantiles"), tails(level), 0L)
  n <- length(y)
  graphics::plot(bounds$mean, y, xlab = "predicted mean", ylab = x$information$roles$target,
                 ylim = range(y, x$information$upper, bounds$quantiles, finite = TRUE), type = "n",
                 main = "Outputs and their predictions")
  graphics::segments(bounds$mean, bounds$quantiles[, 1], bounds$mean, bounds$quantiles[, 2],
                     col = adjustcolor("steelblue", if (n > 300) 0.15 else 0.4))
  draw_outputs(x, bounds$mean, y, x$information$upper)
  abline(0, 1, lty = 2)
}

plot_pit <- function(x) {
  hist(leave_one_out(x)$pit, breaks = seq(0, 1, 0.1), freq = FALSE, xlab = "PIT of rows left out", main = "Calibration",
       col = "steelblue", border = "white")
  abline(h = 1, lty = 2)
}

plot_residuals <- function(x) {
  of <- residuals(x)
  stats::qqnorm(of, main = "Quantile residuals", pch = 16, cex = 0.6)
  abline(0, 1, lty = 2)
}
