# Rscript mgcv.R FAMILY RANK THREADS PREDICTED WIDTH...   < rows of x1, ..., y
# Prints seconds of a fit and of predictions for as many rows as asked for, uniform in [0, WIDTH].
suppressPackageStartupMessages(library(mgcv))
words <- commandArgs(trailingOnly = TRUE)
family <- eval(parse(text = words[1]))
numbers <- as.numeric(words[-1])
rank <- numbers[1]
predicted <- numbers[3]
widths <- numbers[-(1:3)]

data <- read.csv(file("stdin"), header = FALSE)
names(data) <- c(paste0("x", seq_along(widths)), "y")
seconds <- function(work) unname(system.time(work)["elapsed"])
memory <- function() {
  line <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

start <- memory()
# m: stationary power exponential exp(-(d / range)^power).
smooth <- sprintf("y ~ s(%s, bs = 'gp', k = %d, m = c(-2, %.17g, 2))",
                  paste0("x", seq_along(widths), collapse = ", "), rank, sqrt(2))
fit_seconds <- seconds(model <- gam(as.formula(smooth), family = family, data = data,
                                    method = "ML", control = list(nthreads = numbers[2])))
new <- as.data.frame(sapply(widths, function(width) runif(max(predicted, 1), 0, width),
                            simplify = "matrix"))
if (ncol(new) != length(widths)) new <- as.data.frame(t(new))
names(new) <- paste0("x", seq_along(widths))
predict_seconds <- seconds(answer <- predict(model, new, type = "response", se.fit = TRUE))
cat(sprintf(paste0('{"fit": %g, "predict": %g, "mean": %g, "deviation": %g, "peak": %g, ',
                   '"start": %g, "R": "%s", "mgcv": "%s"}\n'),
            fit_seconds, predict_seconds, mean(answer$fit), mean(answer$se.fit), memory(), start,
            getRversion(), packageVersion("mgcv")))
