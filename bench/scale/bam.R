# Rscript bam.R FOLDER FAMILY THREADS: fits train.csv, writes latent means and deviations of test.csv.
# Seconds are from the table on, as those of the command ggpm; R itself is there already.
suppressPackageStartupMessages(library(mgcv))
words <- commandArgs(trailingOnly = TRUE)
family <- eval(parse(text = words[2]))
seconds <- function(work) unname(system.time(work)["elapsed"])
with_phase <- function(name) {
  out <- read.csv(file.path(words[1], name))
  out$phase <- out$x1 %% 0.01
  out
}
read <- seconds(train <- with_phase("train.csv"))
read_test <- seconds(test <- with_phase("test.csv"))
inputs <- setdiff(names(train), c("y", "phase"))
# Up to two inputs one smooth of all; beyond, a smooth each and the first with the next two.
smooth <- switch(min(length(inputs), 3),
  "s(x1, bs = 'gp', k = 300) + s(phase, bs = 'cc', k = 20)",
  "s(x1, x2, bs = 'gp', k = 300)",
  paste(c(sprintf("s(%s, k = 20)", inputs), "ti(x1, x2, k = 10)", "ti(x1, x3, k = 10)"),
        collapse = " + "))
fit <- seconds(model <- bam(as.formula(paste("y ~", smooth)), family = family, data = train,
                            discrete = TRUE, nthreads = as.integer(words[3])))
predicted <- seconds(answer <- predict(model, test, type = "link", se.fit = TRUE))
write.csv(data.frame(mean = answer$fit, sd = answer$se.fit), file.path(words[1], "answer.csv"),
          row.names = FALSE)
cat(sprintf('{"fit": %g, "predict": %g, "read": %g}\n', fit + read, predicted + read_test, read))
