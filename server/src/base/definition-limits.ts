/** The zip, packed and unpacked; its files; the path of one file. */
export const DEFINITIONS_ZIP_BYTES_MAX = 32 * 1024 * 1024;
export const DEFINITIONS_BYTES_MAX = 128 * 1024 * 1024;
export const DEFINITION_FILES_MAX = 20_000;
export const DEFINITION_PATH_CHARACTERS_MAX = 400;
/** Imports at one time that only say what would be done: each holds a state of the store. */
export const DEFINITION_DRY_RUNS_MAX = 4;
/** Deployments that are kept, and what their definitions take together, packed. */
export const DEPLOYMENTS_MAX = 50;
export const DEPLOYMENTS_BYTES_MAX = 128 * 1024 * 1024;
export const DEPLOYMENT_PART_BYTES_MAX = 1024 * 1024;
/** Changes that the record of a deployment names. */
export const DEPLOYMENT_CHANGES_MAX = 1_000;
/** How deep objects and lists may be nested in a JSON file. */
export const DEFINITION_DEPTH_MAX = 100;
/**
 * Text that people write packs to a tenth. A file that is larger than this size, and packs better
 * than this ratio, is refused as a bomb.
 */
export const DEFINITION_EXPANSION_RATIO_MAX = 200;
export const DEFINITION_EXPANSION_FROM_BYTES = 1024 * 1024;
/**
 * A report cuts off the diff of one definition, all diffs together, and one error at these lengths.
 */
export const DEFINITION_DIFF_CHARACTERS_MAX = 200_000;
export const DEFINITION_DIFFS_CHARACTERS_MAX = 2_000_000;
export const DEFINITION_ERROR_CHARACTERS_MAX = 500;
/** A report names this many faults of one piece of code, and files that belong to no definition. */
export const DEFINITION_DIAGNOSTICS_MAX = 20;
export const DEFINITION_IGNORED_FILES_MAX = 100;
/** Nodes that are read at once to tell what a change of the schema would lose. */
export const SCHEMA_CHANGE_SCAN_NODES = 256;
/** The newest changes of the schema that a workspace keeps; older ones cannot be undone. */
export const SCHEMA_CHANGES_KEPT = 1_000;
