import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import { SyntaxKind } from 'typescript/unstable/ast';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import {
  isAwaitExpression,
  isCallExpression,
  isExportAssignment,
  isForOfStatement,
  isFunctionLikeDeclaration,
  isIdentifier,
  isImportTypeNode,
  isMetaProperty,
  isNewExpression,
  isPropertyDeclaration,
  isVariableStatement,
} from 'typescript/unstable/ast/is';
import { ruleBroken } from './diagnostic.ts';

/**
 * What the code of an endpoint may not contain although TypeScript allows it: everything that
 * reaches out of its one file, makes code from text, or silences the compiler; and what a script,
 * which it runs as, reads otherwise than a module.
 */
export function brokenSyntaxRules(file: SourceFile): Diagnostic[] {
  const found: Diagnostic[] = [];
  const refuse = (offset: number, message: string) => {
    found.push(ruleBroken(file.text, offset, message));
  };
  const literals: Node[] = [];
  const visit = (node: Node, isInFunction: boolean): void => {
    if (isTextLiteral(node)) literals.push(node);
    const message = faultOf(node, isInFunction);
    if (message !== undefined) refuse(node.getStart(file), message);
    const inside = isInFunction || isFunctionLikeDeclaration(node) || isPropertyDeclaration(node);
    node.forEachChild((child) => visit(child, inside));
  };
  file.forEachChild((statement) => visit(statement, false));
  for (const { offset, message } of faultsOfComments(file, literals)) refuse(offset, message);
  const mains = file.statements.filter(isDefaultExport);
  if (mains.length !== 1) refuse(mains[1]?.getStart(file) ?? 0, ONE_DEFAULT_EXPORT);
  return found;
}

/** Where the default export begins; the start of the file when there is none. */
export function defaultExportStart(file: SourceFile): number {
  return file.statements.find(isDefaultExport)?.getStart(file) ?? 0;
}

const ONE_DEFAULT_EXPORT =
  'An endpoint has exactly one default export: ' +
  'export default async function ({ body, graph, q }: Scope<{ word: string }>) { ... }';

const IMPORTS =
  'An endpoint is one file: nothing can be imported. What it may use is in its scope; ' +
  'run() calls another endpoint.';

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
    case SyntaxKind.ImportDeclaration:
    case SyntaxKind.ImportEqualsDeclaration:
      return IMPORTS;
    case SyntaxKind.ExportDeclaration:
      return ONE_DEFAULT_EXPORT;
    case SyntaxKind.ExportKeyword:
      return isDefaultExport(node.parent) || isInputExport(node.parent)
        ? undefined
        : ONE_DEFAULT_EXPORT;
    case SyntaxKind.ModuleDeclaration:
      return 'declare global, declare module and namespaces are not for endpoints.';
    default:
      return undefined;
  }
}

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
function isInputExport(node: Node): boolean {
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
  let code = '';
  for (const literal of literals.toSorted((a, b) => a.end - b.end)) {
    code += file.text.slice(code.length, literal.getStart(file)).padEnd(literal.end, '_');
  }
  code += file.text.slice(code.length);
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
