import type { Caller } from '#access/caller.ts';
import type { EXPORTED_KINDS } from '@trellis/contract/shapes/definitions.ts';

export type DefinitionKindName = (typeof EXPORTED_KINDS)[number];

/**
 * As JSON, with its members in an order that is always the same: two that render to the same files
 * are equal.
 */
export type Definition = Readonly<Record<string, unknown>>;

/** A file of a zip, or of a folder: its path has slashes. */
export interface DefinitionFile {
  readonly path: string;
  readonly text: string;
}

/** The files of one definition, by their ending. */
export interface PackedDefinition {
  readonly name: string;
  readonly json: DefinitionFile | undefined;
  /** The member that is a file of its own. */
  readonly text: DefinitionFile | undefined;
}

/** A member that people read and write as a file of its own, beside the JSON with the others. */
export interface TextMember {
  readonly member: string;
  /** Ending of its file's name, such as ".ts". */
  readonly ending: string;
  /** Whether the file ends with a line break that the text has not. */
  readonly endsLine: boolean;
  /** There are no others, and so no JSON. */
  readonly isAlone?: boolean;
}

/**
 * Where definitions lie: each under its name in a folder; or the only one, which is named like its
 * kind, in one file.
 */
export type Layout =
  | { readonly folder: string; readonly text?: TextMember }
  | { readonly file: string };

/** Who imports, and from which address. */
export interface Importer {
  readonly caller: Caller;
  readonly address: string;
}

export interface ImportMode {
  /** What is not in the zip goes. */
  readonly isMirror: boolean;
  /** Types of nodes that the zip has in its schema. */
  readonly givenTypes: ReadonlySet<string>;
}

/** What the workspace will be like after an import. */
export interface Outlook extends ImportMode {
  /** Whether the zip has it, good or not. */
  has(kind: DefinitionKindName, name: string): boolean;
}

/** Line and column are those of code, and not there for what is not about code. */
export interface DefinitionDiagnostic {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly code?: number;
}

/**
 * One kind of what is custom in a workspace: how it is read, laid out in files, checked and
 * written, by the services of the workspace.
 */
export interface DefinitionKind {
  readonly kind: DefinitionKindName;
  readonly layout: Layout;
  /** Content that is as good as none, of what has some. */
  readonly nothing?: Definition;
  /**
   * Names that an export has, without what belongs to the server and settings never set.
   */
  names(caller: Caller): readonly string[];
  /** Undefined when there is none of this name. */
  read(caller: Caller, name: string): Definition | undefined;
  /**
   * As a file gives it, checked as a request would be; throws `invalid_request` and what the kind
   * refuses with.
   */
  parse(given: Definition, name: string, caller: Caller): Definition;
  /** In which order they are written; by name when it is not given. */
  inOrder?(packed: readonly PackedDefinition[]): PackedDefinition[];
  /**
   * What there will be: of what holds many things under names, those that are not given stay unless
   * it is mirrored. The default is what is given.
   */
  merge?(before: Definition | undefined, given: Definition, mode: ImportMode): Definition;
  /** Throws for what would be left without something that the import deletes. */
  check?(after: Definition, outlook: Outlook): void;
  /** Rejects for what is refused. Answers what is wrong with what is written all the same. */
  write(
    by: Importer,
    name: string,
    change: { readonly before: Definition | undefined; readonly after: Definition },
  ): Promise<readonly DefinitionDiagnostic[]>;
  /** Absent of what is never deleted. */
  delete?(by: Importer, name: string): Promise<void>;
  /** What people have to do about one that is there now, as files do not hold it. */
  afterwards?(caller: Caller, name: string): string | undefined;
}
