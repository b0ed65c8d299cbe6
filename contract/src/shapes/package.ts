import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  PACKAGE_CODE_BYTES_MAX,
  PACKAGE_FILES_MAX,
  PACKAGE_MAP_BYTES_MAX,
  PACKAGE_SPECIFIER_CHARACTERS_MAX,
  PACKAGE_TEXT_CHARACTERS_MAX,
  PACKAGE_TYPES_BYTES_MAX,
} from '../limits.ts';
import { moduleUser } from './module.ts';

const SEGMENT = '[A-Za-z0-9~-][A-Za-z0-9._~-]*';
const NAME = `(?:@${SEGMENT}/)?${SEGMENT}`;
const SPECIFIER = new RegExp(`^${NAME}(?:/${SEGMENT})*$`);
/** Below `node_modules`: declarations, and the files that say where a package has them. */
const TYPES_FILE = new RegExp(
  `^${NAME}(?:/(?:[\\w@~-][\\w.@~-]*))*/(?:package\\.json|[\\w~-][\\w.~-]*\\.d\\.[cm]?ts)$`,
);

/** As code imports it: `date-fns`, `csv-parse/sync`. */
export const packageSpecifier = z
  .string()
  .max(PACKAGE_SPECIFIER_CHARACTERS_MAX)
  .regex(SPECIFIER, 'must be the name of a package of npm, or a path in one');

const utf8 = new TextEncoder();

/** Whether this is what code imports a package of npm by. */
export function isPackageSpecifier(text: string): boolean {
  return text.length <= PACKAGE_SPECIFIER_CHARACTERS_MAX && SPECIFIER.test(text);
}

function textOf(bytesMax: number) {
  const error = `must be at most ${bytesMax} bytes of UTF-8`;
  return z
    .string()
    .max(bytesMax, { error, abort: true })
    .refine((text) => utf8.encode(text).length <= bytesMax, { error });
}

const typesFile = z
  .string()
  .max(PACKAGE_SPECIFIER_CHARACTERS_MAX)
  .regex(TYPES_FILE, 'must be a declaration file below node_modules');

const word = z.string().min(1).max(PACKAGE_TEXT_CHARACTERS_MAX);

/** A package of npm with all that it imports, as `trellis push` bundles it. */
export const packageBundle = z.strictObject({
  /** Name of the package that the specifier is of. */
  package: word,
  version: word,
  license: word,
  /** Whether it was written for CommonJS: members of what it exports are exports, too. */
  isCommonJs: z.boolean(),
  /** One ES module that imports nothing. */
  code: textOf(PACKAGE_CODE_BYTES_MAX),
  /** The source map of the code, as JSON text. */
  map: textOf(PACKAGE_MAP_BYTES_MAX),
  /** The file with the types of what is imported; null for a package without types. */
  typesEntry: typesFile.nullable(),
  /** Texts by path. */
  types: z
    .record(typesFile, z.string())
    .refine((files) => Object.keys(files).length <= PACKAGE_FILES_MAX, {
      error: `must have at most ${PACKAGE_FILES_MAX} files`,
    })
    .refine((files) => typesBytesOf(files) <= PACKAGE_TYPES_BYTES_MAX, {
      error: `must be at most ${PACKAGE_TYPES_BYTES_MAX} bytes of UTF-8`,
    }),
});
export type PackageBundle = Immutable<z.infer<typeof packageBundle>>;

export function typesBytesOf(files: Readonly<Record<string, string>>): number {
  return Object.values(files).reduce((sum, text) => sum + utf8.encode(text).length, 0);
}

/** A package that code imports, without its code. */
export const packageSummary = z.strictObject({
  /** As code imports it. */
  specifier: packageSpecifier,
  package: word,
  version: word,
  license: word,
  codeBytes: z.int().min(0),
  typesBytes: z.int().min(0),
  /** Starts at 1 and rises by 1 with every change. */
  revision: z.int().min(1),
  /** What imports it itself, by kind and name. */
  usedBy: z.array(moduleUser),
});
export type PackageSummary = Immutable<z.infer<typeof packageSummary>>;
