# Rscript blocks.R ROOT: every block of R in the README and in docs/ runs, page by page, in a folder with examples/.
# coming-from.md shows the lines of other packages: it is left out.
root <- normalizePath(commandArgs(TRUE))
folder <- tempfile()
dir.create(folder)
file.copy(file.path(root, "examples"), folder, recursive = TRUE)
setwd(folder)
pdf(NULL)
pages <- c(file.path(root, "README.md"), list.files(file.path(root, "docs"), "[.]md$", full.names = TRUE))
count <- 0
for (page in pages[basename(pages) != "coming-from.md"]) {
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
