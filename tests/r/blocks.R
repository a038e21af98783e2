# Rscript blocks.R ROOT: every block of R in the README and in docs/ runs, page by page, in a folder with examples/.
# Blocks of `s` are lines of packages that Debian does not have.
root <- normalizePath(commandArgs(TRUE))
folder <- tempfile()
dir.create(folder)
file.copy(file.path(root, "examples"), folder, recursive = TRUE)
setwd(folder)
pdf(NULL)
pages <- c(file.path(root, "README.md"), list.files(file.path(root, "docs"), "[.]md$", full.names = TRUE))
count <- 0
for (page in pages) {
  lines <- readLines(page, encoding = "UTF-8")
  names <- new.env()
  for (begin in which(lines == "```r")) {
    end <- begin + which(lines[-seq_len(begin)] == "```")[1]
    cat("\n#", basename(page), "line", begin, "\n")
    source(exprs = parse(text = lines[(begin + 1):(end - 1)]), local = names, echo = TRUE, max.deparse.length = Inf)
    count <- count + 1
  }
}
if (count < 5) stop("only ", count, " blocks of R were found")
cat("\n", count, " blocks of R ran\n", sep = "")
