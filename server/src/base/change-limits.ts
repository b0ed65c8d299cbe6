/** Commits that are kept for all who follow changes, and their bytes in the log. */
export const CHANGES_KEPT_COMMITS_MAX = 1_000;
export const CHANGES_KEPT_BYTES_MAX = 16 * 1024 * 1024;
