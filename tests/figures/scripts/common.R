Sys.setenv(TZ = "UTC")
# What all scripts share: where the generated rows lie, where results go, and a JSON writer that keeps every digit.
# Rscript SCRIPT FOLDER_OF_ROWS FOLDER_OF_RESULTS

arguments <- commandArgs(trailingOnly = TRUE)
rows_folder <- arguments[1]
results_folder <- arguments[2]

# A scalar is a number, a vector of several an array; I(x) is an array of any length. A named vector or list is an
# object, a data frame an object of columns, a matrix {"rows", "cols", "values"}. NaN and Inf are text, NA is null.
as_json <- function(x) {
  if (is.null(x)) return("null")
  if (is.data.frame(x)) return(as_object(lapply(x, I)))
  if (is.matrix(x)) {
    labels <- function(names) if (is.null(names)) NULL else I(names)
    values <- lapply(seq_len(nrow(x)), function(i) I(unname(x[i, ])))
    return(as_object(list(rows = labels(rownames(x)), cols = labels(colnames(x)), values = values)))
  }
  if (is.list(x) && is.null(names(x))) return(paste0("[", paste(vapply(x, as_json, ""), collapse = ", "), "]"))
  if (!is.null(names(x)) && !inherits(x, "AsIs")) return(as_object(as.list(x)))
  values <- vapply(unclass(x), as_scalar, "")
  if (length(values) == 1 && !inherits(x, "AsIs")) return(values)
  paste0("[", paste(values, collapse = ", "), "]")
}

as_object <- function(x) {
  pairs <- vapply(seq_along(x), function(i) paste0(as_text(names(x)[i]), ": ", as_json(x[[i]])), "")
  paste0("{", paste(pairs, collapse = ", "), "}")
}

as_scalar <- function(x) {
  if (is.nan(x) || is.infinite(x)) return(as_text(format(x)))
  if (is.na(x)) return("null")
  if (is.logical(x)) return(if (x) "true" else "false")
  if (is.numeric(x)) return(sprintf("%.17g", x))
  as_text(x)
}

as_text <- function(x) paste0('"', gsub('"', '\\"', gsub("\\", "\\\\", x, fixed = TRUE), fixed = TRUE), '"')

write_figures <- function(name, ...) {
  writeLines(as_json(list(...)), file.path(results_folder, paste0(name, ".json")))
}

versions <- function(...) {
  packages <- c(...)
  c(R = paste(R.version$major, R.version$minor, sep = "."),
    vapply(packages, function(package) as.character(packageVersion(package)), ""))
}

# The fields of a test that R's htest classes have in common.
test_fields <- function(test) {
  keep <- c("statistic", "parameter", "p.value", "estimate", "conf.int")
  found <- unclass(test)[intersect(keep, names(test))]
  if (!is.null(found$conf.int)) found$conf.int <- I(as.numeric(found$conf.int))
  found
}

table_of <- function(values, labels) matrix(values, 2, byrow = TRUE, dimnames = list(labels, labels))

# Rows are actual, columns predicted: the spam filter of the first edition and that of the later ones.
spam_tables <- list(
  ed1 = table_of(c(1202, 5, 29, 154), c("ham", "spam")),
  ed2to4 = table_of(c(1203, 4, 31, 152), c("ham", "spam")))

# Twenty-four rows with ties.
toy <- data.frame(
  y = c(1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0),
  score = c(.97, .93, .93, .88, .81, .77, .74, .74, .69, .66, .66, .66, .58, .55, .5, .5, .44, .41, .33, .33, .28, .2,
            .12, .05),
  score_2 = c(.699, .791, .908, .595, .669, .762, .461, .577, .664, .763, .479, .596, .665, .363, .45, .567, .647, .346,
              .415, .531, .218, .287, .355, .03))

source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "formulas.R"))
