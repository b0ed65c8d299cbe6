import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { isDeepStrictEqual } from 'node:util';
import { DEFINITION_ERROR_CHARACTERS_MAX } from '#base/limits.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { EXPORTED_KINDS } from '@trellis/contract/shapes/definitions.ts';
import { definitionIn, filesOf } from './definition-files.ts';
import type {
  Definition,
  DefinitionDiagnostic,
  DefinitionKind,
  DefinitionKindName,
  Importer,
  ImportMode,
  Outlook,
  PackedDefinition,
} from './definition-kind.ts';
import { filesDiff, ImportRecord } from './import-report.ts';
import type { SchemaKind } from './kinds/schema-kind.ts';
import type { GivenDefinitions } from './read-definitions.ts';

export type DefinitionKinds = Readonly<Record<DefinitionKindName, DefinitionKind>> & {
  readonly schema: SchemaKind;
};

export function kindsInOrder(kinds: DefinitionKinds): readonly DefinitionKind[] {
  return EXPORTED_KINDS.map((kind) => kinds[kind]);
}

/** How an import goes on. */
export interface ImportWatch {
  readonly log: (text: string) => void;
  readonly onProgress: (done: number, total: number, step: string) => void;
  /** Looked at between two definitions. */
  readonly signal: AbortSignal;
}

export interface ImportParts {
  readonly kinds: DefinitionKinds;
  /** Told of what is a fault of ours. */
  readonly onFault: (error: unknown) => void;
}

interface PreparedChange {
  readonly before: Definition | undefined;
  readonly after: Definition;
  /** Empty when nothing changes. */
  readonly diff: string;
}

type Wanted = ImportMode & { readonly by: Importer; readonly given: GivenDefinitions };

/**
 * One import: each definition by itself, what others need before them, so that what fails keeps
 * nothing else from being done, and doing it again does the rest. Deletions are last, those of what
 * needs others first.
 */
export class DefinitionImport {
  readonly #parts: ImportParts;
  readonly #wanted: Wanted;
  readonly #watch: ImportWatch;
  readonly #record = new ImportRecord();
  readonly #total: number;
  #outlook: Outlook | undefined;

  constructor(parts: ImportParts, wanted: Omit<Wanted, 'givenTypes'>, watch: ImportWatch) {
    this.#parts = parts;
    this.#watch = watch;
    const { given } = wanted;
    this.#wanted = { ...wanted, givenTypes: typesIn(given) };
    const counts = [...given.packed.values()].map(({ size }) => size);
    this.#total = counts.reduce((sum, count) => sum + count, 0);
  }

  /** Rejects when the signal aborts; what fails otherwise is told of. */
  async run(): Promise<ImportRecord> {
    const { given, isMirror } = this.#wanted;
    const { log } = this.#watch;
    for (const path of given.others) log(`Left out: ${path} is no definition.`);
    const kinds = kindsInOrder(this.#parts.kinds);
    for (const kind of kinds) await this.#importKind(kind);
    if (isMirror) for (const kind of kinds.toReversed()) await this.#deleteOthers(kind);
    return this.#record;
  }

  async #importKind(kind: DefinitionKind): Promise<void> {
    const packed = [...(this.#wanted.given.packed.get(kind.kind)?.values() ?? [])];
    let unchanged = 0;
    const byName = packed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const one of kind.inOrder?.(byName) ?? byName) {
      const step = named(kind, one.name);
      this.#watch.signal.throwIfAborted();
      this.#watch.onProgress(this.#record.items.length, this.#total, `Importing ${step}`);
      let diff = '';
      try {
        const prepared = this.#prepared(kind, one);
        diff = prepared.diff;
        if (diff === '') {
          unchanged++;
          this.#record.add({ kind: kind.kind, name: one.name, action: 'unchanged' });
          continue;
        }
        await this.#write(kind, one.name, prepared);
      } catch (error) {
        this.#fail(kind, one.name, diff, error);
      }
    }
    if (unchanged > 0) this.#watch.log(`Unchanged: ${unchanged} of ${plural(kind)}.`);
  }

  #prepared(kind: DefinitionKind, packed: PackedDefinition): PreparedChange {
    const { by } = this.#wanted;
    const { name } = packed;
    const given = kind.parse(definitionIn(kind, packed), name, by.caller);
    const before = kind.read(by.caller, name);
    const after = kind.merge?.(before, given, this.#wanted) ?? given;
    if (before === undefined && isDeepStrictEqual(after, kind.nothing)) {
      return { before, after, diff: '' };
    }
    const filesBefore = before === undefined ? [] : filesOf(kind, name, before);
    return { before, after, diff: filesDiff(filesBefore, filesOf(kind, name, after)) };
  }

  async #write(
    kind: DefinitionKind,
    name: string,
    { before, after, diff }: PreparedChange,
  ): Promise<void> {
    const { by, isDryRun } = this.#wanted;
    const found = (await kind.check?.(after, name, this.#look())) ?? [];
    const diagnostics = isDryRun ? found : await kind.write(by, name, { before, after });
    const action = before === undefined ? 'created' : 'changed';
    this.#record.add({ kind: kind.kind, name, action, diff, diagnostics });
    this.#tell(action, kind, name);
    for (const one of diagnostics) this.#watch.log(`  ${inWords(one)}`);
  }

  async #deleteOthers(kind: DefinitionKind): Promise<void> {
    const { by, given, isDryRun } = this.#wanted;
    if (kind.delete === undefined || !given.manifest.kinds.has(kind.kind)) return;
    const kept = given.packed.get(kind.kind);
    const others = kind.names(by.caller).filter((name) => kept?.has(name) !== true);
    for (const name of others.toSorted()) {
      this.#watch.signal.throwIfAborted();
      try {
        const before = must(kind.read(by.caller, name), 'a definition that is there');
        const diff = filesDiff(filesOf(kind, name, before), []);
        if (!isDryRun) await kind.delete(by, name);
        this.#record.add({ kind: kind.kind, name, action: 'deleted', diff });
        this.#tell('deleted', kind, name);
      } catch (error) {
        this.#fail(kind, name, '', error);
      }
    }
  }

  #fail(kind: DefinitionKind, name: string, diff: string, error: unknown): void {
    const told = this.#told(error);
    const diagnostics = diagnosticsOf(error);
    this.#record.add({ kind: kind.kind, name, action: 'failed', diff, diagnostics, error: told });
    this.#watch.log(`Failed: ${named(kind, name)}: ${told.message}`);
    for (const one of diagnostics) this.#watch.log(`  ${inWords(one)}`);
  }

  #told(error: unknown): { readonly code: string; readonly message: string } {
    if (error instanceof Problem) {
      return { code: error.code, message: error.message.slice(0, DEFINITION_ERROR_CHARACTERS_MAX) };
    }
    this.#parts.onFault(error);
    return { code: 'internal_error', message: 'Something went wrong on our side.' };
  }

  #tell(action: 'created' | 'changed' | 'deleted', kind: DefinitionKind, name: string): void {
    const words = this.#wanted.isDryRun ? WOULD[action] : DONE[action];
    this.#watch.log(`${words} ${named(kind, name)}.`);
  }

  /** The schema is imported first, so that it is looked at when that is done. */
  #look(): Outlook {
    const { by, given } = this.#wanted;
    return (this.#outlook ??= {
      ...this.#wanted,
      caller: by.caller,
      schema: this.#schemaOutlook(),
      modules: codeOf(given.packed.get('module')),
      has: (kind, name) => given.packed.get(kind)?.has(name) === true,
    });
  }

  /** With the types of the zip, unless they are refused. */
  #schemaOutlook(): SchemaDocument {
    const { schema } = this.#parts.kinds;
    const packed = this.#wanted.given.packed.get('schema')?.get('schema');
    if (packed === undefined || !this.#wanted.isDryRun) return schema.outlook(undefined);
    try {
      return schema.outlook(schema.parse(definitionIn(schema, packed)));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return schema.outlook(undefined);
    }
  }
}

const DONE = { created: 'Created', changed: 'Changed', deleted: 'Deleted' } as const;
const WOULD = {
  created: 'Would create',
  changed: 'Would change',
  deleted: 'Would delete',
} as const;

/** Types of nodes in the schema of a zip; what is wrong with it is told when it is imported. */
function typesIn({ packed }: GivenDefinitions): ReadonlySet<string> {
  const text = packed.get('schema')?.get('schema')?.json?.text ?? '';
  try {
    const { nodes } = JSON.parse(text) as { readonly nodes: readonly { readonly type: string }[] };
    return new Set(nodes.map(({ type }) => type));
  } catch {
    return new Set();
  }
}

function codeOf(modules: ReadonlyMap<string, PackedDefinition> | undefined) {
  return new Map([...(modules ?? [])].map(([name, { text }]) => [name, text?.text ?? '']));
}

function named({ kind, layout }: DefinitionKind, name: string): string {
  const what = kind.replaceAll('-', ' ');
  return 'file' in layout ? `the ${what}` : `the ${what} "${name}"`;
}

function plural({ kind, layout }: DefinitionKind): string {
  return 'file' in layout ? `the ${kind.replaceAll('-', ' ')}` : layout.folder;
}

function inWords({ line, column, message }: DefinitionDiagnostic): string {
  return line === undefined ? message : `${line}:${column ?? 1} ${message}`;
}

/** Diagnostics of a problem with code. */
function diagnosticsOf(error: unknown): readonly DefinitionDiagnostic[] {
  if (!(error instanceof Problem)) return [];
  const diagnostics = error.details?.['diagnostics'];
  return Array.isArray(diagnostics) ? (diagnostics as DefinitionDiagnostic[]) : [];
}
