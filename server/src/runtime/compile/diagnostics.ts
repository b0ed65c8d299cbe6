import { nearestName } from '#graph/names.ts';
import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import {
  type Node,
  NodeFlags,
  type SourceFile,
  type StringLiteral,
  SyntaxKind,
} from 'typescript/unstable/ast';
import {
  isAwaitExpression,
  isCallExpression,
  isExportAssignment,
  isExportDeclaration,
  isForOfStatement,
  isFunctionLikeDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isMetaProperty,
  isNewExpression,
  isPropertyDeclaration,
  isStringLiteral,
  isVariableStatement,
} from 'typescript/unstable/ast/is';
import type { Diagnostic as CompilerDiagnostic } from 'typescript/unstable/async';
import {
  isPackage,
  moduleNameOf,
  type ModuleSources,
  reachedModules,
  specifierOf,
} from './imported-modules.ts';
import type { CheckedSource } from './type-checker.ts';

const DIAGNOSTICS_MAX = 100;

/** What a source is, and what it may import. */
export interface SourceRules {
  readonly kind: 'endpoint' | 'module';
  readonly schema: SchemaDocument;
  readonly modules: ModuleSources;
}

/** Everything that is wrong with a checked source, in the order of its lines, in sentences. */
export function diagnosticsOf(
  source: string,
  checked: CheckedSource,
  { kind, schema, modules }: SourceRules,
): Diagnostic[] {
  const translate = (diagnostic: CompilerDiagnostic, text = source): Diagnostic => ({
    ...positionAt(text, diagnostic.pos),
    code: diagnostic.code,
    message: sentence(diagnostic, schema),
  });
  // After the first one the parser guesses, and types mean nothing yet.
  const [syntaxError] = checked.syntaxErrors.map((error) => translate(error));
  if (syntaxError !== undefined) return [syntaxError];
  const rules = brokenSyntaxRules(checked.syntax, kind, modules);
  const ruledLines = new Set(rules.map(({ line }) => line));
  // On the line of a broken rule the compiler only says the same less clearly.
  const errors = checked.errors
    .map((error) => translate(error))
    .filter(({ line }) => !ruledLines.has(line));
  for (const [name, { code, errors: found }] of checked.moduleErrors) {
    const offset = importStart(checked.syntax, name, modules);
    for (const { line, column, message } of found.map((error) => translate(error, code))) {
      const place = `In ${specifierOf(name)}, line ${line}, column ${column}`;
      errors.push(ruleBroken(source, offset, `${place}: ${message}`));
    }
  }
  if (kind === 'endpoint' && !checked.isEndpoint && rules.length === 0) {
    errors.push(ruleBroken(source, defaultExportStart(checked.syntax), NOT_AN_ENDPOINT));
  }
  return inOrder([...rules, ...errors]).slice(0, DIAGNOSTICS_MAX);
}

/** Sorted by place, one for each. */
function inOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .filter(({ line, column }, i, sorted) => {
      const before = sorted[i - 1];
      return before?.line !== line || before.column !== column;
    });
}

const NOT_AN_ENDPOINT =
  'The default export must be a function that takes the scope: ' +
  'export default async function ({ body, graph, q }: Scope<{ word: string }>) { ... }';

function sentence(diagnostic: CompilerDiagnostic, schema: SchemaDocument): string {
  const text = flatten(diagnostic);
  for (const translate of TRANSLATIONS) {
    const translated = translate(text, schema);
    if (translated !== undefined) return translated;
  }
  return text;
}

function flatten({ text, messageChain }: CompilerDiagnostic): string {
  return [text, ...(messageChain ?? []).map(flatten)].join(' ');
}

type Translation = (text: string, schema: SchemaDocument) => string | undefined;

const TRANSLATIONS: readonly Translation[] = [
  readOnlySentence,
  unknownMember,
  unknownProperty,
  wrongName,
  unknownIdentifier,
  syntaxWithMeaning,
];

/**
 * The scope of a read-only endpoint carries its sentence in a type: see `graph-read-only.ts` of
 * `@trellis/endpoint`.
 */
function readOnlySentence(text: string): string | undefined {
  return /READ_ONLY_ENDPOINT<"([^"]+)">/.exec(text)?.[1];
}

function unknownMember(text: string, schema: SchemaDocument): string | undefined {
  const match =
    /^Property '(.+?)' does not exist on type '(.+?)'\.(?: Did you mean '(.+?)'\?)?/.exec(text);
  if (match === null) return undefined;
  const [, name = '', type = '', suggestion] = match;
  if (type.startsWith('NodeOf<')) {
    return (
      `Not every node has a field "${name}": ` +
      'look at its Type first, or name the type of the nodes.'
    );
  }
  const nodeType = schema.nodes.find((node) => `${node.type}Node` === type);
  if (nodeType !== undefined) return unknownField(name, nodeType.type, schema);
  const owner = type.replace(/<.*/, '');
  const shown = /^\w+$/.test(owner) ? `in ${owner}` : `in ${type}`;
  return `There is no "${name}" ${shown}.${didYouMean(suggestion)}`;
}

function unknownProperty(text: string, schema: SchemaDocument): string | undefined {
  const match = /'([^']+)' does not exist in type '(?:[^']*\| )?FieldsOf<"(\w+)">'/.exec(text);
  return match === null ? undefined : unknownField(match[1] ?? '', match[2] ?? '', schema);
}

function unknownField(field: string, type: string, schema: SchemaDocument): string {
  const node = schema.nodes.find((candidate) => candidate.type === type);
  const fields = [
    ...Object.keys(node?.fields ?? {}),
    ...(node?.key === undefined ? [] : [node.key]),
  ];
  return `"${type}" has no field "${field}".${suggest(field, fields)}`;
}

const NOT_ASSIGNABLE =
  /(?:Argument of type|Type) '"([^"]*)"' is not assignable to (?:parameter of )?type '([^']+)'/;

/** A text where only some texts are allowed: names of types, edges, fields, and operators. */
function wrongName(text: string, schema: SchemaDocument): string | undefined {
  const match = NOT_ASSIGNABLE.exec(text);
  if (match === null) return undefined;
  const [, name = '', wanted = ''] = match;
  if (/\bNodeTypeName\b|\bWritableNodeTypeName\b/.test(wanted)) {
    return wrongTypeName(
      'node type',
      name,
      schema.nodes.map(({ type }) => type),
    );
  }
  if (/\bEdgeTypeName\b|\bWritableEdgeTypeName\b/.test(wanted)) {
    return wrongTypeName('edge type', name, schema.edges.flatMap(namesOfEdge));
  }
  const choices = [...wanted.matchAll(/"([^"]*)"/g)].map((choice) => choice[1] ?? '');
  if (choices.includes('UID') && choices.includes('Timestamp')) {
    return `There is no field "${name}" here.${suggest(name, choices)}`;
  }
  if (wanted === 'Comparison') return `"${name}" is not a comparison. ${COMPARISONS}`;
  return choices.length === 0 || wanted.replaceAll(/"[^"]*"|undefined|[| ]/g, '') !== ''
    ? undefined
    : `"${name}" is not one of ${choices.map((choice) => `"${choice}"`).join(', ')}.`;
}

const COMPARISONS =
  'Comparisons are "=", "!=", "<", "<=", ">", ">=", "in", "contains", "startsWith", ' +
  '"endsWith" and "exists".';

function wrongTypeName(kind: string, name: string, known: readonly string[]): string {
  if (known.includes(name))
    return `The ${kind} "${name}" is the server's own: code cannot write it.`;
  const writable = known.filter((candidate) => !candidate.startsWith('_'));
  return `There is no ${kind} "${name}".${suggest(name, name.startsWith('_') ? known : writable)}`;
}

function namesOfEdge(edge: SchemaDocument['edges'][number]): string[] {
  return edge.inverse === undefined ? [edge.type] : [edge.type, edge.inverse];
}

function unknownIdentifier(text: string): string | undefined {
  const match = /^Cannot find name '([^']+)'\.(?: Did you mean '([^']+)'\?)?/.exec(text);
  if (match === null) return undefined;
  const [, name = '', suggestion] = match;
  const advice = INSTEAD.get(name);
  return advice === undefined
    ? `There is no "${name}" in an endpoint.${didYouMean(suggestion)}`
    : `There is no "${name}" in an endpoint: ${advice}.`;
}

const INSTEAD = new Map([
  ['console', 'log.info() writes to the log of the server'],
  ['process', 'it has no access to the process of the server'],
  ['require', "import { price } from '#lib/prices.ts' imports a module of the workspace"],
  ['Buffer', 'use Uint8Array'],
  ['setTimeout', 'it has no timers'],
  ['setInterval', 'it has no timers'],
]);

function syntaxWithMeaning(text: string): string | undefined {
  return text.includes("'erasableSyntaxOnly'")
    ? 'enum, namespace and parameter properties are not for endpoints: ' +
        'use a constant object or a class field.'
    : undefined;
}

function suggest(name: string, candidates: readonly string[]): string {
  return didYouMean(nearestName(name, candidates));
}

function didYouMean(suggestion: string | undefined): string {
  return suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
}

/** Where a source imports a module, itself or by another one; its start where it does not. */
function importStart(file: SourceFile, name: string, modules: ModuleSources): number {
  for (const statement of file.statements) {
    const imported = moduleNameOf(importedFrom(statement)?.text ?? '');
    if (imported === undefined) continue;
    const code = modules.find(imported) ?? '';
    if (imported === name || reachedModules(code, modules).has(name)) {
      return statement.getStart(file);
    }
  }
  return 0;
}

/** The text after `from`; undefined of other statements. */
function importedFrom(node: Node): StringLiteral | undefined {
  if (!isImportDeclaration(node) && !isExportDeclaration(node)) return undefined;
  const { moduleSpecifier } = node;
  return moduleSpecifier !== undefined && isStringLiteral(moduleSpecifier)
    ? moduleSpecifier
    : undefined;
}

/**
 * What code may not contain although TypeScript allows it: everything that reaches out of the
 * workspace, makes code from text, or silences the compiler; and what a script, which it runs as,
 * reads otherwise than a module.
 */
function brokenSyntaxRules(
  file: SourceFile,
  kind: SourceRules['kind'],
  modules: ModuleSources,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const refuse = (offset: number, message: string) => {
    found.push(ruleBroken(file.text, offset, message));
  };
  const literals: Node[] = [];
  const faultOfExport = kind === 'endpoint' ? faultOfEndpointExport : faultOfModuleExport;
  const visit = (node: Node, isInFunction: boolean): void => {
    if (isTextLiteral(node)) literals.push(node);
    const message =
      faultOf(node, isInFunction) ?? faultOfExport(node) ?? faultOfImport(node, modules);
    if (message !== undefined) refuse(node.getStart(file), message);
    const inside = isInFunction || isFunctionLikeDeclaration(node) || isPropertyDeclaration(node);
    node.forEachChild((child) => visit(child, inside));
  };
  file.forEachChild((statement) => visit(statement, false));
  for (const { offset, message } of faultsOfComments(file, literals)) refuse(offset, message);
  if (kind === 'module') return found;
  const mains = file.statements.filter(isDefaultExport);
  if (mains.length !== 1) refuse(mains[1]?.getStart(file) ?? 0, ONE_DEFAULT_EXPORT);
  return found;
}

/** Where the default export begins; the start of the file when there is none. */
export function defaultExportStart(file: SourceFile): number {
  return file.statements.find(isDefaultExport)?.getStart(file) ?? 0;
}

/** What is exported by default; undefined when nothing is. */
export function defaultExportOf(file: SourceFile): Node | undefined {
  const statement = file.statements.find(isDefaultExport);
  return statement !== undefined && isExportAssignment(statement)
    ? statement.expression
    : statement;
}

const ONE_DEFAULT_EXPORT =
  'An endpoint has exactly one default export: ' +
  'export default async function ({ body, graph, q }: Scope<{ word: string }>) { ... }';

const IMPORTS =
  "Modules of the workspace are imported at the top: import { price } from '#lib/prices.ts'.";

function faultOf(node: Node, isInFunction: boolean): string | undefined {
  if (isMetaProperty(node)) {
    return node.keywordToken === SyntaxKind.ImportKeyword
      ? 'import.meta is not there in an endpoint.'
      : undefined;
  }
  if (isCallExpression(node) || isNewExpression(node)) return faultOfCall(node.expression);
  if (isAwaitExpression(node) || (isForOfStatement(node) && node.awaitModifier !== undefined)) {
    return isInFunction ? undefined : 'await stands inside the endpoint function, not outside it.';
  }
  if (isImportTypeNode(node)) return IMPORTS;
  switch (node.kind) {
    case SyntaxKind.ImportEqualsDeclaration:
      return IMPORTS;
    case SyntaxKind.ModuleDeclaration:
      return 'declare global, declare module and namespaces are not for endpoints.';
    default:
      return undefined;
  }
}

function faultOfEndpointExport(node: Node): string | undefined {
  if (node.kind === SyntaxKind.ExportDeclaration) return ONE_DEFAULT_EXPORT;
  if (node.kind !== SyntaxKind.ExportKeyword) return undefined;
  return isDefaultExport(node.parent) || isInputExport(node.parent)
    ? undefined
    : ONE_DEFAULT_EXPORT;
}

/**
 * Who imports a variable is given its value when the module is made: one that changes would not be
 * the same for both.
 */
function faultOfModuleExport(node: Node): string | undefined {
  if (isExportAssignment(node) && node.isExportEquals === true) return EXPORTS;
  if (node.kind !== SyntaxKind.ExportKeyword || !isVariableStatement(node.parent)) return undefined;
  const isConstant = (node.parent.declarationList.flags & NodeFlags.Const) !== 0;
  return isConstant ? undefined : 'An exported variable is a constant: export const ... = ...';
}

const EXPORTS = 'A module exports by name: export function price() { ... }';

function faultOfImport(node: Node, modules: ModuleSources): string | undefined {
  const from = importedFrom(node);
  if (from === undefined) return undefined;
  const name = moduleNameOf(from.text);
  if (name !== undefined) {
    if (modules.find(name) !== undefined) return undefined;
    if (isPackage(name)) return `There is no package "${from.text}" here. ${HOW_TO_HAVE_IT}`;
    const nearest = nearestName(from.text, modules.names().map(specifierOf));
    return `There is no module "${from.text}" that compiles.${didYouMean(nearest)}`;
  }
  if (from.text.startsWith('#lib/') || /^\.{0,2}\//.test(from.text)) {
    return `A module is imported by its whole name: "#lib/prices.ts", not "${from.text}".`;
  }
  return `There is no "${from.text}" in an endpoint: it imports modules of the workspace alone.`;
}

const HOW_TO_HAVE_IT =
  'In a folder with its package-lock.json, "trellis push" bundles what code imports of npm.';

function faultOfCall(callee: Node): string | undefined {
  if (callee.kind === SyntaxKind.ImportKeyword) return IMPORTS;
  if (isIdentifier(callee) && (callee.text === 'eval' || callee.text === 'Function')) {
    return `${callee.text}() is off in an endpoint: code is not made from text.`;
  }
  return undefined;
}

/** `export default <expression>`, or a function or class declared with both keywords. */
function isDefaultExport(node: Node): boolean {
  if (isExportAssignment(node)) return node.isExportEquals !== true;
  let isDefault = false;
  if (
    node.kind === SyntaxKind.FunctionDeclaration ||
    node.kind === SyntaxKind.ClassDeclaration ||
    node.kind === SyntaxKind.InterfaceDeclaration
  ) {
    node.forEachChild((child) => {
      isDefault ||= child.kind === SyntaxKind.DefaultKeyword;
    });
  }
  return isDefault;
}

/** `export const input = ...`, and nothing else in the statement. */
export function isInputExport(node: Node): boolean {
  if (!isVariableStatement(node)) return false;
  const { declarations } = node.declarationList;
  const [first] = declarations;
  if (declarations.length !== 1 || first === undefined) return false;
  return isIdentifier(first.name) && first.name.text === 'input' && first.initializer !== undefined;
}

function isTextLiteral(node: Node): boolean {
  switch (node.kind) {
    case SyntaxKind.StringLiteral:
    case SyntaxKind.NoSubstitutionTemplateLiteral:
    case SyntaxKind.TemplateHead:
    case SyntaxKind.TemplateMiddle:
    case SyntaxKind.TemplateTail:
    case SyntaxKind.RegularExpressionLiteral:
      return true;
    default:
      return false;
  }
}

/**
 * The syntax tree does not hold comments. With every text literal blanked out, whatever looks like
 * the beginning of a comment is one.
 */
function faultsOfComments(
  file: SourceFile,
  literals: readonly Node[],
): { offset: number; message: string }[] {
  const pieces: string[] = [];
  let end = 0;
  for (const literal of literals.toSorted((a, b) => a.end - b.end)) {
    const start = literal.getStart(file);
    pieces.push(file.text.slice(end, start), '_'.repeat(literal.end - start));
    end = literal.end;
  }
  const code = pieces.join('') + file.text.slice(end);
  const faults: { offset: number; message: string }[] = [];
  const noComments = code.replaceAll(/\/\/.*|\/\*[\s\S]*?\*\//g, (comment, offset: number) => {
    const message = faultOfComment(comment);
    if (message !== undefined) faults.push({ offset, message });
    return comment.replaceAll(/[^\n\r\u2028\u2029]/g, ' ');
  });
  // To a script, unlike a module, these begin a comment: code could hide behind them.
  for (const { index } of noComments.matchAll(/<!--|-->/g)) {
    faults.push({
      offset: index,
      message: 'Put a space into "<!--" or "-->": it would begin a comment.',
    });
  }
  return faults;
}

function faultOfComment(comment: string): string | undefined {
  const directive = /@ts-(?:ignore|expect-error|nocheck)/.exec(comment);
  if (directive !== null)
    return `${directive[0]} is off in an endpoint: correct what it would hide.`;
  return /^\/\/\/\s*<(?:reference|amd-)/.test(comment)
    ? 'A reference to another file is off in an endpoint.'
    : undefined;
}

/** The line and column of an offset in UTF-16 units. */
export function positionAt(source: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = source.indexOf('\n'); at >= 0 && at < offset; at = source.indexOf('\n', start)) {
    line++;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}

/** A broken rule of this server. */
export function ruleBroken(source: string, offset: number, message: string): Diagnostic {
  return { ...positionAt(source, offset), code: 0, message };
}

/** The offset of a line and column; undefined for a place that the source does not have. */
export function offsetAt(source: string, line: number, column: number): number | undefined {
  let start = 0;
  for (let before = line - 1; before > 0; before--) {
    const end = source.indexOf('\n', start);
    if (end < 0) return undefined;
    start = end + 1;
  }
  const end = source.indexOf('\n', start);
  const offset = start + column - 1;
  return offset <= (end < 0 ? source.length : end) ? offset : undefined;
}
