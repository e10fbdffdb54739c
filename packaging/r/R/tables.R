# The folder of a release, as `traincompute download` or a browser leaves it; TRAINCOMPUTE_DATA names it once for all calls.
release_folder <- function(folder) {
  if (!nzchar(folder)) stop("name the folder of a release, or set TRAINCOMPUTE_DATA to it", call. = FALSE)
  if (!file.exists(file.path(folder, "manifest.json"))) {
    stop(folder, " holds no release: it has no manifest.json", call. = FALSE)
  }
  folder
}

traincompute_tables <- function(folder = Sys.getenv("TRAINCOMPUTE_DATA")) {
  sub("\\.parquet$", "", list.files(release_folder(folder), pattern = "\\.parquet$"))
}

traincompute_table <- function(table = "models", folder = Sys.getenv("TRAINCOMPUTE_DATA")) {
  known <- traincompute_tables(folder)
  if (!table %in% known) stop("no table ", table, "; there are ", toString(known), call. = FALSE)
  frame <- read_table(table, folder)
  about <- read_table("columns", folder)
  about <- about[about$table_name == table, ]
  for (name in intersect(about$column_name, names(frame))) {
    attr(frame[[name]], "unit") <- about$unit[about$column_name == name]
    attr(frame[[name]], "description") <- about$description[about$column_name == name]
  }
  frame
}

read_table <- function(table, folder) {
  as.data.frame(arrow::read_parquet(file.path(folder, paste0(table, ".parquet"))))
}
