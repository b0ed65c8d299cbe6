import { must } from '#base/assert.ts';
import { IMPORTED_CHARACTERS_MAX } from '#base/endpoint-limits.ts';
import { EDITOR_COMPLETION_DETAILS_MAX, EDITOR_COMPLETIONS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import {
  COMPLETION_KINDS,
  type Completions,
  type Hover,
  type SignatureHelp,
} from '@trellis/contract/shapes/editor.ts';
import type { Diagnostic, Remark } from '@trellis/contract/shapes/endpoint.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type {
  CallExpression,
  Identifier,
  Node,
  PrivateIdentifier,
  SourceFile,
} from 'typescript/unstable/ast';
import {
  isCallExpression,
  isIdentifier,
  isPrivateIdentifier,
  isPropertyAccessExpression,
} from 'typescript/unstable/ast/is';
import {
  type Checker,
  type CompletionEntry,
  NodeBuilderFlags,
  type Symbol as CompilerSymbol,
  SymbolFlags,
} from 'typescript/unstable/async';
import { offsetAt, positionAt, diagnosticsOf } from './diagnostics.ts';
import {
  type ModuleSources,
  NO_SOURCES,
  reachedModules,
  reachedSources,
  packagesAt,
} from './imported-modules.ts';
import type { ScopedSource } from './project-files.ts';
import { scopeTypes } from './scope-types.ts';
import { engineDiagnostics, toModuleScript, toScript } from './script.ts';
import {
  nodesAround,
  signatureHelpAt,
  signatureText,
  documentationOf,
  oneLine,
  typeText,
} from './signature-help.ts';
import {
  type Asked,
  type AskOptions,
  checkedSource,
  CheckTimeout,
  TypeChecker,
} from './type-checker.ts';
import { transactionRemarks } from './transaction-remarks.ts';
import { type InspectedTypes, typesOfEndpoint } from './endpoint-types.ts';

/** A place in code that need not be complete: before the character of that column, both from 1. */
export interface CodePlace {
  readonly code: string;
  readonly isReadOnly: boolean;
  readonly line: number;
  readonly column: number;
}

/** Says which endpoints code may run, with their types. */
export interface DeclaredEndpoints {
  /**
   * The interface `Endpoints` of those that code names; of all, should it be a draft, which is
   * told their names. `self` is the endpoint that it is the code of.
   */
  declaredFor(
    code: string,
    schema: SchemaDocument,
    options: { readonly self?: string | undefined; readonly isDraft?: boolean },
  ): Promise<string>;
}

const NO_ENDPOINTS: DeclaredEndpoints = { declaredFor: () => Promise.resolve('') };

/** Code to be checked. */
export interface CodeToCheck {
  readonly code: string;
  readonly isReadOnly: boolean;
  /** What it is the code of, if it is known: an endpoint may run itself as it likes. */
  readonly name?: string | undefined;
  /** An endpoint when not given; a migration is checked as one. */
  readonly kind?: 'endpoint' | 'module';
  /** Those of the workspace when not given. */
  readonly modules?: ModuleSources;
}

/** What the compiler has to say of code. */
export interface ReviewedCode {
  /** Empty when it compiles. */
  readonly diagnostics: readonly Diagnostic[];
  /** Only when it compiles, and something is to be remarked. */
  readonly remarks?: readonly Remark[];
}

export interface InspectedCode extends ReviewedCode {
  /** Only when it compiles. */
  readonly types?: InspectedTypes;
}

/**
 * Checks the code of endpoints against a schema, and answers the questions of an editor about it.
 * The compiler's process starts with the first of them.
 */
export class EndpointCompiler {
  readonly #checker: TypeChecker;
  readonly #endpoints: DeclaredEndpoints;
  readonly #modules: ModuleSources;
  /** Types of the last schema: only the first check after a change makes them. */
  #types: ScopeTypes | undefined;

  constructor(
    endpoints: DeclaredEndpoints = NO_ENDPOINTS,
    modules: ModuleSources = NO_SOURCES,
    checker = new TypeChecker(),
  ) {
    this.#endpoints = endpoints;
    this.#modules = modules;
    this.#checker = checker;
  }

  /**
   * Checks code that runs other endpoints, and imports other modules, with the same process. Only
   * the first one is closed.
   */
  over(endpoints: DeclaredEndpoints, modules: ModuleSources): EndpointCompiler {
    return new EndpointCompiler(endpoints, modules, this.#checker);
  }

  /** An empty list when the code compiles. */
  async check(asked: CodeToCheck, schema: SchemaDocument): Promise<readonly Diagnostic[]> {
    return (await this.review(asked, schema)).diagnostics;
  }

  /** The same, with what else is to be remarked of code that compiles. */
  async review(asked: CodeToCheck, schema: SchemaDocument): Promise<ReviewedCode> {
    const { code, kind = 'endpoint' } = asked;
    const source = await this.#scoped(asked, schema);
    if (importsTooMuch(source)) return { diagnostics: TOO_MUCH };
    const check = async (): Promise<ReviewedCode> => {
      const checked = await this.#checker.check(source);
      const found = diagnosticsOf(code, checked, this.#rules(asked, schema));
      return { diagnostics: found, ...remarksOf(asked, checked.syntax, found) };
    };
    const reviewed = await this.#inTime(check, { diagnostics: TOO_LONG });
    if (reviewed.diagnostics.length > 0) return reviewed;
    const toText = kind === 'module' ? toModuleScript : toScript;
    const diagnostics = await engineDiagnostics(code, toText);
    return diagnostics.length > 0 ? { diagnostics } : reviewed;
  }

  /** The same, with what the types of code that compiles say of its JSON. */
  async inspect(inspectedCode: CodeToCheck, schema: SchemaDocument): Promise<InspectedCode> {
    const { code } = inspectedCode;
    const ask = async (asked: Asked): Promise<InspectedCode> => {
      const checked = await checkedSource(asked);
      const diagnostics = diagnosticsOf(code, checked, this.#rules(inspectedCode, schema));
      if (diagnostics.length > 0) return { diagnostics };
      const { syntax } = checked;
      const types = await typesOfEndpoint(asked, syntax, schema);
      return { diagnostics, types, ...remarksOf(inspectedCode, syntax, diagnostics) };
    };
    const source = await this.#scoped(inspectedCode, schema);
    if (importsTooMuch(source)) return { diagnostics: TOO_MUCH };
    const tooLong = { diagnostics: TOO_LONG };
    const inspected = await this.#inTime(() => this.#checker.ask(source, ask), tooLong);
    if (inspected.diagnostics.length > 0) return inspected;
    const diagnostics = await engineDiagnostics(code);
    return diagnostics.length > 0 ? { diagnostics } : inspected;
  }

  /**
   * This and the next two reject with `invalid_request`, `compiler_timeout`, or the signal's
   * reason.
   */
  completions(
    place: CodePlace,
    schema: SchemaDocument,
    signal?: AbortSignal,
  ): Promise<Completions> {
    const answer = async (asked: Asked, offset: number): Promise<Completions> => {
      const found = await completionsAt(asked, place.code, offset);
      // The compiler finds packages by a pattern, which tells no names.
      const packages = packagesAt(place.code, offset, this.#modules.names())
        .slice(0, EDITOR_COMPLETIONS_MAX - found.items.length)
        .map((label): CompletionItem => ({ label, kind: 'module' }));
      return { ...found, items: [...found.items, ...packages] };
    };
    return this.#at(place, schema, answer, { isDraft: true, signal });
  }

  hover(place: CodePlace, schema: SchemaDocument, signal?: AbortSignal): Promise<Hover | null> {
    const answer = (asked: Asked, offset: number) => hoverAt(asked, place.code, offset);
    return this.#at(place, schema, answer, { signal });
  }

  signatureHelp(
    place: CodePlace,
    schema: SchemaDocument,
    signal?: AbortSignal,
  ): Promise<SignatureHelp | null> {
    return this.#at(place, schema, signatureHelpAt, { signal });
  }

  /** The declarations that code is checked against. */
  types(schema: SchemaDocument, isReadOnly: boolean): string {
    if (this.#types?.schema !== schema) this.#types = { schema };
    return isReadOnly
      ? (this.#types.readOnly ??= scopeTypes(schema, true))
      : (this.#types.full ??= scopeTypes(schema, false));
  }

  /** Whether its process does not answer any more, not even after it was begun anew. */
  get isFailing(): boolean {
    return this.#checker.isFailing;
  }

  close(): Promise<void> {
    return this.#checker.close();
  }

  async #inTime<T>(ask: () => Promise<T>, tooLong: T): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof CheckTimeout)) throw error;
      return tooLong;
    }
  }

  async #at<T>(
    place: CodePlace,
    schema: SchemaDocument,
    answer: (asked: Asked, offset: number) => Promise<T>,
    options: AskOptions,
  ): Promise<T> {
    const { code, line, column } = place;
    const offset = offsetAt(code, line, column);
    if (offset === undefined) throw noSuchPlace(line, column);
    try {
      const source = await this.#scoped(place, schema, true);
      return await this.#checker.ask(source, (asked) => answer(asked, offset), options);
    } catch (error) {
      if (!(error instanceof CheckTimeout)) throw error;
      throw new Problem('compiler_timeout', 'Checking the types of this code took too long.', {
        cause: error,
      });
    }
  }

  #rules({ kind = 'endpoint', modules = this.#modules }: CodeToCheck, schema: SchemaDocument) {
    return { kind, schema, modules };
  }

  async #scoped(
    { code, isReadOnly, name, kind, modules: sources = this.#modules }: CodeToCheck,
    schema: SchemaDocument,
    isDraft = false,
  ): Promise<ScopedSource> {
    const scope = isReadOnly ? 'read-only' : 'full';
    const modules = reachedModules(code, sources);
    const self = kind === 'module' ? undefined : name;
    const texts = [code, ...reachedSources(code, sources)].join('\n');
    const endpoints = await this.#endpoints.declaredFor(texts, schema, { self, isDraft });
    const types = this.types(schema, isReadOnly);
    return { source: code, scope, scopeTypes: types, endpoints, modules };
  }
}

/** Of endpoints that may write, and compile. */
function remarksOf(
  { kind = 'endpoint', isReadOnly }: CodeToCheck,
  syntax: SourceFile,
  diagnostics: readonly Diagnostic[],
): Pick<ReviewedCode, 'remarks'> {
  if (kind === 'module' || isReadOnly || diagnostics.length > 0) return {};
  const remarks = transactionRemarks(syntax);
  return remarks.length > 0 ? { remarks } : {};
}

interface ScopeTypes {
  readonly schema: SchemaDocument;
  full?: string;
  readOnly?: string;
}

const TOOK_TOO_LONG = 'Checking the types of this code took too long: simplify them.';
const TOO_LONG: Diagnostic[] = [{ line: 1, column: 1, code: 0, message: TOOK_TOO_LONG }];

const TOO_MUCH: Diagnostic[] = [
  {
    line: 1,
    column: 1,
    code: 0,
    message: `This code imports more than ${IMPORTED_CHARACTERS_MAX} characters of modules.`,
  },
];

function importsTooMuch({ modules = new Map<string, string>() }: ScopedSource): boolean {
  const characters = [...modules.values()].reduce((sum, { length }) => sum + length, 0);
  return characters > IMPORTED_CHARACTERS_MAX;
}

function noSuchPlace(line: number, column: number): Problem {
  return new Problem('invalid_request', `The code has no line ${line} with a column ${column}`, {
    details: {
      fields: [
        { path: 'line', message: 'and column together must be a place in the code' },
        { path: 'column', message: 'may be one after the last character of the line, at most' },
      ],
    },
  });
}

interface CompletionItem {
  readonly label: string;
  readonly kind: (typeof COMPLETION_KINDS)[number];
  /** Its type. */
  readonly detail?: string;
  readonly documentation?: string;
  /** `label` when not given. */
  readonly insertText?: string;
  /** By which items are in order, then by `label`. */
  readonly sortText?: string;
}

/** What could stand at an offset of a draft, from the most to the least likely. */
async function completionsAt(
  { project: { checker }, file }: Asked,
  source: string,
  offset: number,
): Promise<Completions> {
  const found = await checker.getCompletionsAtPosition(file, offset, { includeSymbol: true });
  const entries = (found?.entries ?? []).filter(({ name }) => !REFUSED.has(name)).toSorted(inOrder);
  const isIncomplete = entries.length > EDITOR_COMPLETIONS_MAX;
  const offered = isIncomplete
    ? entries.filter(beginningWith(wordBefore(source, offset)))
    : entries;
  const items = offered
    .slice(0, EDITOR_COMPLETIONS_MAX)
    .map((entry, i) => itemOf(checker, entry, i < EDITOR_COMPLETION_DETAILS_MAX));
  return { items: await Promise.all(items), isIncomplete };
}

/** What the compiler knows and the code of an endpoint may not have (see `syntax-rules.ts`). */
const REFUSED = new Set(
  'debugger declare enum eval Function import module namespace require'.split(' '),
);

async function itemOf(
  checker: Checker,
  { name, kind = 1, sortText, insertText, symbol }: CompletionEntry,
  isDetailed: boolean,
): Promise<CompletionItem> {
  const item = {
    label: name,
    kind: COMPLETION_KINDS[kind - 1] ?? 'text',
    ...(insertText === undefined ? {} : { insertText }),
    ...(sortText === undefined ? {} : { sortText }),
  };
  if (symbol === undefined || !isDetailed) return item;
  const hasType = (symbol.flags & SymbolFlags.Value) !== 0;
  const [type, documentation] = await Promise.all([
    hasType ? checker.getTypeOfSymbol(symbol) : undefined,
    documentationOf(checker, symbol),
  ]);
  return {
    ...item,
    ...(type === undefined ? {} : { detail: oneLine(await checker.typeToString(type)) }),
    ...(documentation.text === undefined ? {} : { documentation: documentation.text }),
  };
}

function inOrder(a: CompletionEntry, b: CompletionEntry): number {
  return compare(a.sortText ?? a.name, b.sortText ?? b.name) || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The part of a name that stands before the offset. */
function wordBefore(source: string, offset: number): string {
  return /[$\w\p{ID_Continue}]*$/u.exec(source.slice(0, offset))?.[0] ?? '';
}

function beginningWith(word: string): (entry: CompletionEntry) => boolean {
  const start = word.toLowerCase();
  return ({ name }) => name.toLowerCase().startsWith(start);
}

/** What the name at an offset means; null where there is none, or none that is known. */
async function hoverAt(
  { project, file }: Asked,
  source: string,
  offset: number,
): Promise<Hover | null> {
  const { checker, program } = project;
  const tree = must(await program.getSourceFile(file), 'the source file');
  const name = nameAt(tree, offset);
  const symbol = name && (await checker.getSymbolAtLocation(name));
  if (name === undefined || symbol === undefined) return null;
  const call = callOf(name);
  const signature = call && (await checker.getResolvedSignature(call));
  const [contents, { text }] = await Promise.all([
    signature === undefined
      ? declarationText(checker, symbol, name)
      : signatureText(project, signature, name).then(({ label }) => label),
    documentationOf(checker, symbol),
  ]);
  return {
    contents,
    ...(text === undefined ? {} : { documentation: text }),
    range: { start: positionAt(source, name.getStart(tree)), end: positionAt(source, name.end) },
  };
}

/** The name around the offset, or that ends there. */
function nameAt(tree: SourceFile, offset: number): Identifier | PrivateIdentifier | undefined {
  return nodesAround(tree, offset)
    .filter((node) => isIdentifier(node) || isPrivateIdentifier(node))
    .find((name) => name.getStart(tree) <= offset);
}

/** The call whose function has this name. */
function callOf(name: Node): CallExpression | undefined {
  const { parent } = name;
  const callee = isPropertyAccessExpression(parent) && parent.name === name ? parent : name;
  const call = callee.parent;
  return isCallExpression(call) && call.expression === callee ? call : undefined;
}

async function declarationText(
  checker: Checker,
  symbol: CompilerSymbol,
  name: Identifier | PrivateIdentifier,
): Promise<string> {
  if ((symbol.flags & SymbolFlags.Value) !== 0) {
    const type = await checker.getTypeOfSymbolAtLocation(symbol, name);
    return `${name.text}: ${await typeText(checker, type, name)}`;
  }
  const type = await checker.getDeclaredTypeOfSymbol(symbol);
  if ((symbol.flags & SymbolFlags.TypeAlias) === 0) {
    const word = (symbol.flags & SymbolFlags.Interface) === 0 ? 'type' : 'interface';
    return `${word} ${await typeText(checker, type)}`;
  }
  const flags = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.InTypeAlias;
  return oneLine(`type ${name.text} = ${await checker.typeToString(type, name, flags)}`);
}
