import { isDeepStrictEqual } from 'node:util';
import type { ErrorCode } from '@trellis/contract/errors.ts';
import { EXPORTED_KINDS } from '@trellis/contract/shapes/definitions.ts';
import { must } from '#base/assert.ts';
import { DEFINITION_ERROR_CHARACTERS_MAX } from '#base/definition-limits.ts';
import { Problem } from '#base/problem.ts';
import { definitionIn, filesOf } from './definition-files.ts';
import type {
  Definition,
  DefinitionDiagnostic,
  DefinitionKind,
  DefinitionKindName,
  Importer,
  Outlook,
  PackedDefinition,
} from './definition-kind.ts';
import { filesDiff, ImportRecord } from './import-report.ts';
import type { GivenDefinitions } from './read-definitions.ts';

export type DefinitionKinds = Readonly<Record<DefinitionKindName, DefinitionKind>>;

export function kindsInOrder(kinds: DefinitionKinds): readonly DefinitionKind[] {
  return EXPORTED_KINDS.map((kind) => kinds[kind]);
}

/** How an import goes on. */
export interface ImportWatch {
  readonly onProgress: (done: number, total: number, step: string) => void;
  /** Looked at between two definitions. */
  readonly signal: AbortSignal;
}

export interface ImportParts {
  readonly kinds: readonly DefinitionKind[];
  /** Told of what is a fault of ours. */
  readonly onFault: (error: unknown) => void;
}

interface PreparedChange {
  readonly before: Definition | undefined;
  readonly after: Definition;
  /** Empty when nothing changes. */
  readonly diff: string;
}

/** What is to be imported, and how. */
export interface WantedImport {
  readonly by: Importer;
  readonly given: GivenDefinitions;
  readonly isMirror: boolean;
  /** Whether code that does not compile is imported, too, and kept as a draft. */
  readonly takesDrafts: boolean;
}

/**
 * The plan of one import, made by writing each definition, what others need before them, where that
 * changes nothing yet. Deletions are last, those of what needs others first. What fails does not
 * keep the others from being looked at, so that all faults are told together.
 */
export class DefinitionImport {
  readonly #parts: ImportParts;
  readonly #wanted: WantedImport;
  readonly #watch: ImportWatch;
  readonly #record = new ImportRecord();
  readonly #total: number;
  readonly #outlook: Outlook;

  constructor(parts: ImportParts, wanted: WantedImport, watch: ImportWatch) {
    this.#parts = parts;
    this.#watch = watch;
    this.#wanted = wanted;
    const { given, isMirror } = wanted;
    this.#outlook = {
      isMirror,
      givenTypes: typesIn(given),
      has: (kind, name) => given.packed.get(kind)?.has(name) === true,
    };
    const counts = [...given.packed.values()].map(({ size }) => size);
    this.#total = counts.reduce((sum, count) => sum + count, 0);
  }

  /** Rejects when the signal aborts; what fails otherwise is told of. */
  async run(): Promise<ImportRecord> {
    const { kinds } = this.#parts;
    for (const kind of kinds) await this.#importKind(kind);
    if (this.#wanted.isMirror) {
      for (const kind of kinds.toReversed()) await this.#deleteOthers(kind);
    }
    return this.#record;
  }

  async #importKind(kind: DefinitionKind): Promise<void> {
    const packed = [...(this.#wanted.given.packed.get(kind.kind)?.values() ?? [])];
    const byName = packed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const one of kind.inOrder?.(byName) ?? inOrderOfUse(byName)) {
      this.#watch.signal.throwIfAborted();
      const step = `Checking ${named(kind, one.name)}`;
      this.#watch.onProgress(this.#record.items.length, this.#total, step);
      let diff = '';
      try {
        const prepared = this.#prepared(kind, one);
        diff = prepared.diff;
        if (diff === '') this.#record.add({ ...placeOf(kind, one.name), action: 'unchanged' });
        else await this.#write(kind, one.name, prepared);
        const message = kind.afterwards?.(this.#wanted.by.caller, one.name);
        if (message !== undefined) {
          this.#record.afterwards.push({ kind: kind.kind, name: one.name, message });
        }
      } catch (error) {
        this.#fail(kind, one.name, diff, error);
      }
    }
  }

  #prepared(kind: DefinitionKind, packed: PackedDefinition): PreparedChange {
    const { by } = this.#wanted;
    const { name } = packed;
    const given = kind.parse(definitionIn(kind, packed), name, by.caller);
    const before = kind.read(by.caller, name);
    const after = kind.merge?.(before, given, this.#outlook) ?? given;
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
    const { by, takesDrafts } = this.#wanted;
    kind.check?.(after, this.#outlook);
    const diagnostics = await kind.write(by, name, { before, after });
    if (diagnostics.length > 0 && !takesDrafts) {
      throw notCompiled(kind, 'The code does not compile.', diagnostics);
    }
    const action = before === undefined ? 'created' : 'changed';
    this.#record.add({ ...placeOf(kind, name), action, diff, diagnostics });
  }

  async #deleteOthers(kind: DefinitionKind): Promise<void> {
    const { by, given } = this.#wanted;
    if (kind.delete === undefined || !given.manifest.kinds.has(kind.kind)) return;
    const kept = given.packed.get(kind.kind);
    const others = kind.names(by.caller).filter((name) => kept?.has(name) !== true);
    for (const name of others.toSorted()) {
      this.#watch.signal.throwIfAborted();
      try {
        const before = must(kind.read(by.caller, name), 'a definition that is there');
        const diff = filesDiff(filesOf(kind, name, before), []);
        await kind.delete(by, name);
        this.#record.add({ ...placeOf(kind, name), action: 'deleted', diff });
      } catch (error) {
        this.#fail(kind, name, '', error);
      }
    }
  }

  #fail(kind: DefinitionKind, name: string, diff: string, error: unknown): void {
    const diagnostics = diagnosticsOf(error);
    const place = placeOf(kind, name);
    this.#record.add({ ...place, action: 'failed', diff, diagnostics, error: this.#told(error) });
  }

  #told(error: unknown): { readonly code: string; readonly message: string } {
    if (error instanceof Problem) {
      return { code: error.code, message: error.message.slice(0, DEFINITION_ERROR_CHARACTERS_MAX) };
    }
    this.#parts.onFault(error);
    return { code: 'internal_error', message: 'Something went wrong on our side.' };
  }
}

/** The item of code that was left alone, and would not compile any more. */
export function brokenItem(
  kind: DefinitionKind,
  {
    name,
    diagnostics,
  }: { readonly name: string; readonly diagnostics: readonly DefinitionDiagnostic[] },
) {
  const { code, message } = notCompiled(kind, 'It compiles now, and would not any more.', []);
  return {
    ...placeOf(kind, name),
    action: 'failed',
    diagnostics,
    error: { code, message },
  } as const;
}

function notCompiled(
  { kind }: DefinitionKind,
  message: string,
  diagnostics: readonly DefinitionDiagnostic[],
): Problem {
  const code: ErrorCode = kind === 'migration' ? 'migration_not_compiled' : 'endpoint_not_compiled';
  return new Problem(code, message, { details: { diagnostics } });
}

/** Where a definition lies; of one in two files, the text, to which diagnostics point. */
function placeOf(kind: DefinitionKind, name: string) {
  const { layout } = kind;
  const ending = 'folder' in layout ? (layout.text?.ending ?? '.json') : '';
  const file = 'file' in layout ? layout.file : `${layout.folder}/${name}${ending}`;
  return { kind: kind.kind, name, file };
}

/** A text that may be the name of an endpoint, in code that runs it. */
const NAME_LITERAL = /(["'`])([A-Za-z0-9][\w./-]*)\1/g;

/**
 * By name; but what the code of others names comes before them, so that they are checked against
 * what it will be. Of those that name each other one comes first.
 */
function inOrderOfUse(packed: readonly PackedDefinition[]): readonly PackedDefinition[] {
  const byName = new Map(packed.map((one) => [one.name, one]));
  const begun = new Set<PackedDefinition>();
  const ordered = new Set<PackedDefinition>();
  for (const one of packed) {
    for (const waiting = [one]; waiting.length > 0;) {
      const next = must(waiting.at(-1), 'one that waits');
      const isNew = !begun.has(next);
      begun.add(next);
      const needed = isNew ? namedIn(next, byName).filter((other) => !begun.has(other)) : [];
      if (needed.length > 0) {
        waiting.push(...needed.toReversed());
        continue;
      }
      waiting.pop();
      ordered.add(next);
    }
  }
  return [...ordered];
}

function namedIn(
  { text }: PackedDefinition,
  byName: ReadonlyMap<string, PackedDefinition>,
): PackedDefinition[] {
  if (text?.path.endsWith('.ts') !== true) return [];
  const names = new Set([...text.text.matchAll(NAME_LITERAL)].map(([, , name = '']) => name));
  return [...names].flatMap((name) => byName.get(name) ?? []);
}

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

function named({ kind, layout }: DefinitionKind, name: string): string {
  const what = kind.replaceAll('-', ' ');
  return 'file' in layout ? `the ${what}` : `the ${what} "${name}"`;
}

/** Diagnostics of a problem with code. */
function diagnosticsOf(error: unknown): readonly DefinitionDiagnostic[] {
  if (!(error instanceof Problem)) return [];
  const diagnostics = error.details?.['diagnostics'];
  return Array.isArray(diagnostics) ? (diagnostics as DefinitionDiagnostic[]) : [];
}
