# Errors of the library as conditions: ggpm_usage_error, ggpm_data_error (with $source, $row and $column) and
# ggpm_numerical_error, all of them ggpm_error. Called by the compiled part.
signal_error <- function(kind, sentence, source = "", row = 0, column = "") {
  if (kind == "interrupt") {  # as Ctrl-C everywhere in R: tryCatch(interrupt =), or the prompt
    signalCondition(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
    invokeRestart("abort")
  }
  known <- function(text) if (nzchar(text)) text
  stop(structure(
    class = c(paste0("ggpm_", kind, "_error"), "ggpm_error", "error", "condition"),
    list(message = sentence, call = NULL, source = known(source), row = if (row > 0) row, column = known(column))
  ))
}

wrong_use <- function(...) signal_error("usage", paste0(...))
