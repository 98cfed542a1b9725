source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))
# Confusion tables: caret's statistics, agreement by vcd, psych, epiR and formulas, and gmodels' cross table.
suppressMessages({library(caret); library(vcd); library(psych); library(epiR); library(gmodels)})

caret_figures <- function(actual_by_predicted) {
  table <- as.table(t(actual_by_predicted))
  names(dimnames(table)) <- c("Prediction", "Reference")
  found <- function(positive, ...) {
    matrix <- confusionMatrix(table, positive = positive, ...)
    list(overall = matrix$overall, byClass = matrix$byClass)
  }
  prevalent <- found("spam", prevalence = 0.25)
  list(inputs = list(table = t(actual_by_predicted)),
       caret_positive_spam = found("spam"),
       caret_positive_ham = found("ham"),
       caret_positive_spam_prevalence_0.25 = prevalent["byClass"])
}

vcd_figures <- function(table, scheme) {
  found <- Kappa(table, weights = scheme)
  limits <- lapply(c("0.9" = 0.9, "0.95" = 0.95, "0.99" = 0.99), function(level) {
    limits <- confint(found, level = level)
    matrix(limits, 2, dimnames = list(c("Unweighted", "Weighted"), c("lwr", "upr")))
  })
  parts <- lapply(list(Unweighted = found$Unweighted, Weighted = found$Weighted),
                  function(part) list(value = part[["value"]], ASE = part[["ASE"]]))
  c(parts, list(Weights = matrix(found$Weights, 2), confint = limits))
}

# Coefficients of two raters that share the form (observed - chance) / (1 - chance).
agreement_by_formula <- function(table) {
  n <- sum(table)
  p <- table / n
  observed <- sum(diag(p))
  k <- nrow(table)
  shares <- (rowSums(p) + colSums(p)) / 2
  over_chance <- function(chance, agreed = observed) (agreed - chance) / (1 - chance)
  list(cohen_kappa = over_chance(sum(rowSums(p) * colSums(p))),
       scott_pi = over_chance(sum(shares^2)),
       gwet_ac1 = over_chance(sum(shares * (1 - shares)) / (k - 1)),
       brennan_prediger = over_chance(1 / k),
       krippendorff_alpha = over_chance(sum(shares^2), observed * (1 - 1 / (2 * n)) + 1 / (2 * n)),
       percent_agreement = observed)
}

agreement_figures <- function(table) {
  raters <- data.frame(actual = rep(c(1, 1, 2, 2), t(table)), predicted = rep(c(1, 2, 1, 2), t(table)))
  found <- suppressWarnings(cohen.kappa(raters))
  plain <- diag(2)
  epi <- epi.kappa(table, method = "fleiss", alternative = "two.sided", conf.level = 0.95)
  list(inputs = list(table = table),
       vcd_equal_spacing = vcd_figures(table, "Equal-Spacing"),
       vcd_fleiss_cohen = vcd_figures(table, "Fleiss-Cohen"),
       kappa_by_formula = list(unweighted = kappa_by_formula(table, plain),
                               equal = kappa_by_formula(table, 1 - abs(row(table) - col(table))),
                               squared = kappa_by_formula(table, 1 - (row(table) - col(table))^2)),
       percent_agreement = 100 * sum(diag(table)) / sum(table),
       psych_cohen_kappa = list(kappa = found$kappa, weighted.kappa = found$weighted.kappa, var.kappa = found$var.kappa),
       agreement_by_formula = agreement_by_formula(table),
       epiR_fleiss = lapply(epi[c("prop.agree", "pindex", "bindex", "pabak", "kappa", "z")], as.data.frame))
}

gmodels_figures <- function(table) {
  invisible(capture.output(cross <- CrossTable(table)))
  test <- function(...) suppressWarnings(chisq.test(table, ...))
  plain <- test(correct = FALSE)
  list(inputs = list(table = table),
       prop.row = cross$prop.row, prop.col = cross$prop.col, prop.tbl = cross$prop.tbl,
       row.totals = rowSums(table), col.totals = colSums(table),
       expected = plain$expected, chisq_contribution = (table - plain$expected)^2 / plain$expected,
       residual_raw = table - plain$expected, residual_pearson = plain$residuals,
       residual_adjusted_standardized = plain$stdres,
       chisq = test_fields(plain), chisq_yates = test_fields(test(correct = TRUE)),
       fisher = test_fields(fisher.test(table)),
       fisher_less = test_fields(fisher.test(table, alternative = "less")),
       fisher_greater = test_fields(fisher.test(table, alternative = "greater")),
       mcnemar = test_fields(mcnemar.test(table, correct = FALSE)),
       mcnemar_corrected = test_fields(mcnemar.test(table)))
}

write_all <- function(name, figures, ...) {
  do.call(write_figures, c(list(name, versions = versions(...)), lapply(spam_tables, figures)))
}
write_all("sms_confusion_caret", caret_figures, "caret")
write_all("sms_agreement_kappa", agreement_figures, "vcd", "psych", "epiR")
write_all("sms_crosstable_gmodels", gmodels_figures, "gmodels")
