/** The zip of a workspace's definitions, as it is uploaded (docs/definitions.md). */

/** Packed, and unpacked; files in it, and the path of one. */
export const DEFINITIONS_ZIP_BYTES_MAX = 32 * 1024 * 1024;
export const DEFINITIONS_BYTES_MAX = 128 * 1024 * 1024;
export const DEFINITION_FILES_MAX = 20_000;
export const DEFINITION_PATH_CHARACTERS_MAX = 400;
/** Objects and lists in one another, in a file of JSON. */
export const DEFINITION_DEPTH_MAX = 100;
/** Text that people write packs to a tenth; a file larger than this which packs much better is a bomb. */
export const DEFINITION_EXPANSION_RATIO_MAX = 200;
export const DEFINITION_EXPANSION_FROM_BYTES = 1024 * 1024;
/** What a report says of one definition, beyond which it is cut off, and of all of them, beyond which it says no more. */
export const DEFINITION_DIFF_CHARACTERS_MAX = 200_000;
export const DEFINITION_DIFFS_CHARACTERS_MAX = 2_000_000;
export const DEFINITION_ERROR_CHARACTERS_MAX = 500;
/** Faults of one piece of code, and files that are no definition's, as many as a report names. */
export const DEFINITION_DIAGNOSTICS_MAX = 20;
export const DEFINITION_IGNORED_FILES_MAX = 100;
