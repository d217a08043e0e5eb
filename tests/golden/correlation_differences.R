# Golden values of the tests and intervals for differences of correlations.
#
#   Rscript tests/golden/correlation_differences.R > tests/golden/correlation_differences.csv
#
# R 4.2.2, psych 2.2.9 (Debian 12: r-base-core, r-cran-psych). Rows with source "psych" come from
# psych::r.test. Rows with source "printed" evaluate the formulas as their sources print them
# (corrections as named beside each), term by term and with nothing rearranged.

suppressMessages(library(psych))

overlapping <- rbind(
  c(.5, .2, .3, 50), c(.2, .5, .3, 50), c(.63, -.03, -.19, 15), c(.4, .5, .1, 103),
  c(.971, .881, .9, 12), c(.95, .94, .999, 12), c(-.6, -.7, .4, 20), c(.3, -.4, .2, 8),
  c(0, .1, 0, 30), c(.87, .86, .6, 4), c(.9912, .99, .98, 1000), c(.91, .905, .97, 10000)
)
non_overlapping <- rbind(
  c(.38, .25, .45, .53, .31, .55, 603), c(.3, .4, .5, .8, .6, .7, 100),
  c(.5, .6, .8, .5, .5, .7, 103), c(.396, .189, .208, .143, .023, .423, 66),
  c(-.5, .3, .1, -.2, .15, .05, 12), c(.9, .85, .7, .75, .65, .8, 15), c(0, .2, 0, 0, 0, 0, 4)
)
independent <- rbind(
  c(.92, .82, 60, 50), c(.71, .28, 200, 78), c(.657, .430, 62, 143), c(.4, .5, 100, 100),
  c(.49, .36, 145, 87), c(-.3, .2, 4, 9)
)

cat("source,family,method,r12,rival,r13,r14,r23,r24,n1,n2,statistic,p_value,lower,upper\n")
emit <- function(source, family, method, r, statistic = NA, p = NA, lower = NA, upper = NA) {
  numbers <- sapply(c(r, statistic, p, lower, upper), function(x) sprintf("%.17g", x))
  numbers[is.na(c(r, statistic, p, lower, upper))] <- ""
  cat(source, ",", family, ",", method, ",", paste(numbers, collapse = ","), "\n", sep = "")
}
z_of <- function(r) 0.5 * (log(1 + r) - log(1 - r))
r_of <- function(z) (exp(2 * z) - 1) / (exp(2 * z) + 1)
by_normal <- function(z) 2 * pnorm(-abs(z))
by_t <- function(t, df) 2 * pt(-abs(t), df)
fisher_limits <- function(r, n) r_of(z_of(r) + c(-1, 1) * qnorm(.975) / sqrt(n - 3))
zou_limits <- function(r1, r2, n1, n2, c) {
  a <- fisher_limits(r1, n1); b <- fisher_limits(r2, n2)
  c(r1 - r2 - sqrt((r1 - a[1])^2 + (b[2] - r2)^2 - 2 * c * (r1 - a[1]) * (b[2] - r2)),
    r1 - r2 + sqrt((a[2] - r1)^2 + (r2 - b[1])^2 - 2 * c * (a[2] - r1) * (r2 - b[1])))
}

for (i in seq_len(nrow(overlapping))) {
  v <- overlapping[i, ]; r12 <- v[1]; r13 <- v[2]; r23 <- v[3]; n <- v[4]
  key <- c(r12, r13, NA, NA, r23, NA, n, NA)
  z_row <- function(method, z) emit("printed", "overlapping", method, key, z, by_normal(z))
  t_row <- function(method, t) emit("printed", "overlapping", method, key, t, by_t(t, n - 3))
  williams <- r.test(n = n, r12 = r12, r13 = r13, r23 = r23)
  emit("psych", "overlapping", "williams1959", key, williams$t, williams$p)

  det <- 1 + 2 * r12 * r13 * r23 - r12^2 - r13^2 - r23^2
  # Hotelling (1940, equation 7); Steiger (1980, equation 7); Hendrickson et al. (1970, p. 193)
  t_row("hotelling1940", (r12 - r13) * sqrt((n - 3) * (1 + r23)) / sqrt(2 * det))
  t_row("williams1959", (r12 - r13) * sqrt((n - 1) * (1 + r23) /
    (2 * (n - 1) / (n - 3) * det + ((r12 + r13) / 2)^2 * (1 - r23)^3)))
  t_row("hendrickson1970", (r12 - r13) * sqrt((n - 3) * (1 + r23)) /
    sqrt(2 * det + (r12 - r13)^2 * (1 - r23)^3 / (4 * (n - 1))))
  # Steiger (1980, equations 3 and 4)
  k <- r23 * (1 - r12^2 - r13^2) - r12 * r13 / 2 * (1 - r12^2 - r13^2 - r23^2)
  z_row("pearson1898", sqrt(n) * (r12 - r13) / sqrt((1 - r12^2)^2 + (1 - r13^2)^2 - 2 * k))
  # Olkin (1967, p. 112) as corrected by Hendrickson and Collins (1970), with n (Hittner 2003)
  z_row("olkin1967", (r12 - r13) * sqrt(n) / sqrt((1 - r12^2)^2 + (1 - r13^2)^2 - 2 * r23^3 -
    (2 * r23 - r12 * r13) * (1 - r12^2 - r13^2 - r23^2)))
  # Dunn and Clark (1969, equations 8 and 15)
  z_row("dunn1969", (z_of(r12) - z_of(r13)) * sqrt(n - 3) /
    sqrt(2 - 2 * k / ((1 - r12^2) * (1 - r13^2))))
  # Steiger (1980, equations 10, with the missing brackets, and 14); Hittner et al. (2003, p. 153)
  averaged <- function(m) {
    c <- (r23 * (1 - 2 * m^2) - m^2 / 2 * (1 - 2 * m^2 - r23^2)) / (1 - m^2)^2
    (z_of(r12) - z_of(r13)) * sqrt(n - 3) / sqrt(2 - 2 * c)
  }
  z_row("steiger1980", averaged((r12 + r13) / 2))
  z_row("hittner2003", averaged(r_of((z_of(r12) + z_of(r13)) / 2)))
  # Meng, Rosenthal and Rubin (1992, equations 1 to 4)
  s <- (r12^2 + r13^2) / 2
  f <- min(1, (1 - r23) / (2 * (1 - s)))
  h <- (1 - f * s) / (1 - s)
  z <- (z_of(r12) - z_of(r13)) * sqrt((n - 3) / (2 * (1 - r23) * h))
  around <- z_of(r12) - z_of(r13) + c(-1, 1) * qnorm(.975) * sqrt(2 * (1 - r23) * h / (n - 3))
  emit("printed", "overlapping", "meng1992", key, z, by_normal(z), around[1], around[2])
  # Zou (2007, p. 409)
  c <- ((r23 - r12 * r13 / 2) * (1 - r12^2 - r13^2 - r23^2) + r23^3) / ((1 - r12^2) * (1 - r13^2))
  limits <- zou_limits(r12, r13, n, n, c)
  emit("printed", "overlapping", "zou2007", key, lower = limits[1], upper = limits[2])
}

for (i in seq_len(nrow(non_overlapping))) {
  v <- non_overlapping[i, ]
  r12 <- v[1]; r34 <- v[2]; r13 <- v[3]; r14 <- v[4]; r23 <- v[5]; r24 <- v[6]; n <- v[7]
  key <- c(r12, r34, r13, r14, r23, r24, n, NA)
  z_row <- function(method, z) emit("printed", "non_overlapping", method, key, z, by_normal(z))
  for (method in c("steiger1980", "dunn1969")) {
    theirs <- r.test(n = n, r12 = r12, r34 = r34, r23 = r23, r13 = r13, r14 = r14, r24 = r24,
      pooled = method == "steiger1980")
    emit("psych", "non_overlapping", method, key, theirs$z, theirs$p)
  }
  # Dunn and Clark (1969, equation 9), with any a for r12 and b for r34
  correlation <- function(a, b) (a * b / 2 * (r13^2 + r14^2 + r23^2 + r24^2) + r13 * r24 +
    r14 * r23 - (a * r13 * r14 + a * r23 * r24 + r13 * r23 * b + r14 * r24 * b)) /
    ((1 - a^2) * (1 - b^2))
  with <- function(c) (z_of(r12) - z_of(r34)) * sqrt(n - 3) / sqrt(2 - 2 * c)
  z_row("dunn1969", with(correlation(r12, r34)))
  m <- (r12 + r34) / 2
  z_row("steiger1980", with(correlation(m, m)))
  m <- r_of((z_of(r12) + z_of(r34)) / 2)
  z_row("silver2004", with(correlation(m, m)))
  # Raghunathan, Rosenthal and Rubin (1996, equations 1 to 3)
  k <- (r13 - r12 * r23) * (r24 - r23 * r34) + (r14 - r13 * r34) * (r23 - r12 * r13) +
    (r13 - r14 * r34) * (r24 - r12 * r14) + (r14 - r12 * r24) * (r23 - r24 * r34)
  z_row("pearson1898", sqrt(n) * (r12 - r34) / sqrt((1 - r12^2)^2 + (1 - r34^2)^2 - k))
  z_row("raghunathan1996", sqrt((n - 3) / 2) * (z_of(r12) - z_of(r34)) /
    sqrt(1 - k / (2 * (1 - r12^2) * (1 - r34^2))))
  limits <- zou_limits(r12, r34, n, n, correlation(r12, r34))
  emit("printed", "non_overlapping", "zou2007", key, lower = limits[1], upper = limits[2])
}

for (i in seq_len(nrow(independent))) {
  v <- independent[i, ]; r1 <- v[1]; r2 <- v[2]; n1 <- v[3]; n2 <- v[4]
  key <- c(r1, r2, NA, NA, NA, NA, n1, n2)
  theirs <- r.test(n = n1, r12 = r1, r34 = r2, n2 = n2) # without the sign of the difference
  emit("psych", "independent", "fisher1925", key, sign(r1 - r2) * theirs$z, theirs$p)
  limits <- zou_limits(r1, r2, n1, n2, 0)
  emit("printed", "independent", "zou2007", key, lower = limits[1], upper = limits[2])
}
