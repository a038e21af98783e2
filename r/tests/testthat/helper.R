counts <- function() {
  set.seed(1)
  d <- data.frame(x = seq(0.1, 10, length.out = 50))
  d$hours <- rep(c(1, 2, 5), length.out = 50)
  d$site <- factor(rep(c("b", "a", "c", "d", "e"), 10), levels = c("b", "a", "c", "d", "e"))
  d$n <- rpois(50, d$hours * exp(1 + sin(d$x) / 2 + c(0.4, -0.3, 0, 0.2, -0.2)[d$site]))
  d
}

# One quick fit that many tests look at.
counts_fit <- local({
  fit <- NULL
  function() {
    if (is.null(fit)) {
      fit <<- suppressMessages(ggpm(n ~ rbf(x) + group(site) + offset(log(hours)), counts(), poisson(), restarts = 2))
    }
    fit
  }
})

quick <- function(...) suppressWarnings(suppressMessages(ggpm(..., restarts = 1)))

# The command, where it is: make test-r says.
command <- function() {
  path <- Sys.getenv("GGPM_COMMAND", Sys.which("ggpm"))
  if (!nzchar(path) || !file.exists(path)) skip("the command ggpm is not here; set GGPM_COMMAND")
  path
}

write_table <- function(d) {
  file <- tempfile(fileext = ".csv")
  text <- lapply(d, function(column) if (is.numeric(column)) sprintf("%.17g", column) else as.character(column))
  utils::write.table(as.data.frame(text, check.names = FALSE), file, sep = ",", row.names = FALSE, quote = FALSE)
  file
}

run <- function(arguments, output = FALSE) {
  status <- system2(command(), shQuote(arguments), stdout = output, stderr = FALSE)
  expect_equal(status, 0)
}
