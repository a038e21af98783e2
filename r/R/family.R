# A family by its name here, or an object of R: poisson(), binomial(link = "probit"), Gamma(link = "log"), and
# mgcv's nb(), betar(), tw(), ziP(), ocat(), scat().
known_families <- c(
  gaussian = "gaussian", poisson = "poisson", binomial = "binomial", Gamma = "gamma-shape",
  inverse.gaussian = "inverse-gaussian", "Negative Binomial" = "negative-binomial",
  "negative binomial" = "negative-binomial", "Beta regression" = "beta", Tweedie = "tweedie",
  "zero inflated Poisson" = "zero-inflated-poisson", "Ordered Categorical" = "ordinal",
  "scaled t" = "student-t", "Scaled t" = "student-t"
)

# list(likelihood =, link =) as text; what a family of R leaves open stays open.
family_text <- function(family, has_trials) {
  if (is.function(family)) family <- family()
  if (is.character(family) && length(family) == 1) {
    if (grepl("/", family, fixed = TRUE)) {  # "negative-binomial/log", as in compare_ggpm()
      return(list(likelihood = sub("/.*", "", family), link = sub(".*/", "", family)))
    }
    if (family == "Gamma") family <- "gamma-shape"
    if (family == "binomial" && !has_trials) family <- "bernoulli"
    return(list(likelihood = family))
  }
  if (!inherits(family, "family")) {
    wrong_use("family is a name, as \"poisson\", or a family, as poisson(); ggpm_likelihoods() lists the names")
  }
  name <- sub(" *[(].*", "", family$family)
  if (!name %in% names(known_families)) {
    wrong_use("the family '", family$family, "' of R has no name here; ggpm_likelihoods() lists those that there are")
  }
  likelihood <- known_families[[name]]
  if (likelihood == "binomial" && !has_trials) likelihood <- "bernoulli"
  # Links that the library does not offer by name are those it always has.
  if (likelihood %in% c("student-t", "ordinal", "zero-inflated-poisson")) return(list(likelihood = likelihood))
  list(likelihood = likelihood, link = family$link)
}
