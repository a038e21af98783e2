# Expressions and values of R as the text that the library reads. What it means, the library decides: one
# parser for the command, Python and R.

# A formula: `my column` is "my column", c(1, 2) is [1, 2], TRUE is true, - 1 is + 0.
expression_text <- function(e) {
  if (is.name(e)) return(name_text(as.character(e)))
  if (!is.call(e)) return(literal_text(e))
  f <- if (is.name(e[[1]])) as.character(e[[1]]) else ""
  if (f %in% names(terms_of_others)) wrong_use("formula: ", terms_of_others[[f]])
  parts <- vapply(as.list(e)[-1], expression_text, "")
  if (f == "-" && length(parts) == 2 && parts[2] == "1") return(paste(parts[1], "+ 0"))
  if (f %in% c("+", "-", "*", "/", "~", "^", ":", "%in%") && length(parts) == 2) {
    return(paste(parts[1], if (f == "%in%") "in" else f, parts[2]))
  }
  if (f %in% c("+", "-", "~") && length(parts) == 1) return(paste0(f, parts))
  if (f == "(") return(paste0("(", parts, ")"))
  given <- names(parts)
  if (!is.null(given)) parts <- ifelse(nzchar(given), paste(given, "=", parts), parts)
  parts <- paste(parts, collapse = ", ")
  if (f == "c") paste0("[", parts, "]") else paste0(expression_text(e[[1]]), "(", parts, ")")
}

# Terms of mgcv, brms, lme4 and INLA, which are no kernels here.
terms_of_others <- c(
  s = "s(x) of mgcv is rbf(x) or matern52(x) here, s(g, bs = \"re\") is group(g)",
  te = "te(x, y) of mgcv is rbf(x) * rbf(y) here",
  ti = "ti(x, y) of mgcv is rbf(x) * rbf(y) here",
  gp = "gp(x) of brms is rbf(x) or matern52(x) here",
  f = "f(g, model = \"iid\") of INLA is group(g) here; f(t, model = \"rw2\") is rbf(t)",
  `|` = "(1 | g) of lme4 is group(g) here, (x | g) is linear(x) * group(g)",
  `||` = "(x || g) of lme4 is linear(x) * group(g) here",
  factor = "factor(g) is group(g) here; make it a factor in the data for inputs of its own"
)

name_text <- function(name) {
  if (name == make.names(name) && !grepl("[^A-Za-z0-9._]", name)) name else literal_text(name)
}

literal_text <- function(value) {
  if (is.character(value)) return(paste0('"', gsub('(["\\\\])', "\\\\\\1", value), '"'))
  if (is.logical(value)) return(tolower(as.character(value)))
  if (is.numeric(value)) return(number_text(value))
  paste(deparse(value), collapse = " ")
}

# With enough digits to read back equal.
number_text <- function(x) {
  vapply(x, function(value) {
    short <- format(value, digits = 15)
    if (identical(as.numeric(short), as.numeric(value))) short else sprintf("%.17g", value)
  }, "")
}

# The value of an option: several are joined, named ones with their names.
option_text <- function(name, value) {
  if (is.function(value) || is.null(value)) wrong_use(name, ": a value is needed, not ", class(value)[1])
  text <- vapply(as.list(value), function(v) {
    if (is.character(v)) v else if (is.name(v) || is.call(v)) expression_text(v) else literal_text(v)
  }, "")
  if (!is.null(names(value))) text <- paste(names(value), if (name == "priors") "~" else "=", text)
  paste(text, collapse = ",")
}

# ggpm(..., restarts = 10, optimize = FALSE) as text by name; one that does not exist is refused by the library.
options_text <- function(options) {
  if (length(options) == 0) return(NULL)
  if (is.null(names(options)) || any(!nzchar(names(options)))) {
    wrong_use("options of a fit have names, as restarts = 10; ggpm_options() lists them")
  }
  vapply(names(options), function(name) option_text(name, options[[name]]), "")
}
