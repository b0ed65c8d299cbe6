/** Files of nodes, and the text that is taken out of them. */

/** Files of one node, and each of them, which is kept in pieces. */
export const NODE_FILES_MAX = 1_000;
export const FILE_CHUNK_BYTES_MAX = 1024 * 1024;

/** Uploads in pieces: how many one caller has under way, and for how long one is kept that nobody goes on with. */
export const FILE_UPLOADS_PER_CALLER_MAX = 100;
export const FILE_UPLOAD_LIFETIME_MS = 24 * 60 * 60 * 1_000;
export const FILE_UPLOAD_SWEEP_INTERVAL_MS = 10 * 60 * 1_000;

/** Text of files: of one file no more than so much is read, and so much text of it kept. */
export const FILE_TEXT_SOURCE_BYTES_MAX = 64 * 1024 * 1024;
export const FILE_TEXT_CHARACTERS_MAX = 500_000;
/** The process that takes text out of one file: how long it may work, and how much memory it may have. */
export const FILE_TEXT_TIMEOUT_MS = 60_000;
export const FILE_TEXT_MEMORY_BYTES_MAX = 768 * 1024 * 1024;
export const FILE_TEXT_HEAP_MB_MAX = 384;
export const FILE_TEXT_MEMORY_CHECK_MS = 50;
/** In an archive (docx, xlsx, pptx, odt): entries, and what those that are read unpack to. */
export const FILE_TEXT_ARCHIVE_ENTRIES_MAX = 10_000;
export const FILE_TEXT_UNPACKED_BYTES_MAX = 128 * 1024 * 1024;
/** Elements within each other, in pages and documents. */
export const FILE_TEXT_DEPTH_MAX = 5_000;
/** Times that a file is tried whose process ended without a word. */
export const FILE_TEXT_TRIES_MAX = 2;
