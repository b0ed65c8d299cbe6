import type { SignatureHelp } from '@trellis/contract/shapes/editor.ts';
import {
  NodeBuilderFlags,
  SignatureKind,
  type Project,
  type Signature,
  type Checker,
  type Symbol as CompilerSymbol,
  type Type,
} from 'typescript/unstable/async';
import {
  SyntaxKind,
  type CallExpression,
  type NewExpression,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import {
  isBlock,
  isCallExpression,
  isCallSignatureDeclaration,
  isIdentifier,
  isNewExpression,
  isPropertyAccessExpression,
} from 'typescript/unstable/ast/is';
import { assert, must } from '#base/assert.ts';
import { EDITOR_SIGNATURES_MAX, EDITOR_TEXT_CHARACTERS_MAX } from '#base/limits.ts';
import type { Asked } from './type-checker.ts';

interface SignatureText {
  /** The name of the function, its parameters and what it returns, in TypeScript. */
  readonly label: string;
  readonly parameters: { readonly label: string; readonly documentation?: string }[];
  readonly documentation?: string;
}

type Call = CallExpression | NewExpression;

/** How the call is written in whose parentheses the offset lies; null outside of any. */
export async function signatureHelpAt(
  { project, file }: Asked,
  offset: number,
): Promise<SignatureHelp | null> {
  const { checker, program } = project;
  const tree = must(await program.getSourceFile(file), 'the source file');
  const call = innermostCall(tree, offset);
  if (call === undefined) return null;
  const { expression } = call;
  const name = isPropertyAccessExpression(expression) ? expression.name : expression;
  const [type, resolved, symbol] = await Promise.all([
    checker.getTypeAtLocation(expression),
    checker.getResolvedSignature(call),
    checker.getSymbolAtLocation(name),
  ]);
  if (type === undefined) return null;
  const kind = isNewExpression(call) ? SignatureKind.Construct : SignatureKind.Call;
  const declared = await checker.getSignaturesOfType(type, kind);
  if (declared.length === 0) return null;
  // In place of the one that the call takes: with the types of its arguments.
  const signatures = declared
    .slice(0, EDITOR_SIGNATURES_MAX)
    .map((signature) => (isSame(signature, resolved) ? resolved : signature));
  const activeParameter = argumentAt(call, offset);
  const documentation = symbol && (await documentationOf(checker, symbol));
  return {
    signatures: await Promise.all(
      signatures.map((signature) => signatureText(project, signature, name, documentation)),
    ),
    activeSignature: activeOf(signatures, resolved, activeParameter),
    activeParameter,
  };
}

/** A signature of the function that has this name. */
export async function signatureText(
  { checker, emitter }: Project,
  signature: Signature,
  name: Node,
  documentation?: Documentation,
): Promise<SignatureText> {
  const declaration = await checker.signatureToSignatureDeclaration(
    signature,
    SyntaxKind.CallSignature,
    name,
    NodeBuilderFlags.NoTruncation,
  );
  assert(
    declaration !== undefined && isCallSignatureDeclaration(declaration),
    'the declaration of a signature is of the kind that was asked for',
  );
  const { parameters } = declaration;
  const [text = '', ...labels] = await Promise.all(
    [declaration, ...parameters].map((node) => emitter.printNode(node)),
  );
  const explanation = (i: number) => {
    const parameter = parameters[i]?.name;
    if (parameter === undefined || !isIdentifier(parameter)) return {};
    const found = documentation?.parameters.get(parameter.text);
    return found === undefined ? {} : { documentation: found };
  };
  return {
    label: oneLine(`${isIdentifier(name) ? name.text : ''}${text.replace(/;$/, '')}`),
    parameters: labels.map((label, i) => ({ label: oneLine(label), ...explanation(i) })),
    ...(documentation?.text === undefined ? {} : { documentation: documentation.text }),
  };
}

/**
 * The call in whose parentheses the offset lies, also where the closing one is not written yet; not
 * from inside a block, such as the body of a function that is an argument.
 */
function innermostCall(tree: SourceFile, offset: number): Call | undefined {
  // The spaces after a call that has no end yet are no part of it.
  const at = tree.text.slice(0, offset).trimEnd().length;
  let innermost: Call | undefined;
  for (const node of nodesAround(tree, at)) {
    if ((isCallExpression(node) || isNewExpression(node)) && isInParentheses(node, tree, at)) {
      innermost = node;
    } else if (isBlock(node) && node.getStart(tree) < at && at < node.end) {
      innermost = undefined;
    }
  }
  return innermost;
}

function isInParentheses(call: Call, tree: SourceFile, at: number): boolean {
  if (call.arguments === undefined || at < call.arguments.pos) return false;
  const isClosed = tree.text.slice(call.arguments.end, call.end).includes(')');
  return at < call.end || !isClosed;
}

/** Which argument the offset is in, from 0. Each but the first begins after a comma. */
function argumentAt({ arguments: list }: Call, offset: number): number {
  if (list === undefined) return 0;
  const before = list.filter(({ pos }) => pos <= offset).length;
  const endsWithComma = list.end > (list.at(-1)?.end ?? list.end);
  return endsWithComma && offset >= list.end ? before : Math.max(0, before - 1);
}

/** The one that the call takes, unless only another one has the parameter. */
function activeOf(
  signatures: readonly Signature[],
  resolved: Signature | undefined,
  activeParameter: number,
): number {
  const fits = ({ parameters, hasRestParameter }: Signature) =>
    parameters.length > activeParameter || hasRestParameter;
  const taken = signatures.findIndex((signature) => signature === resolved && fits(signature));
  return Math.max(0, taken < 0 ? signatures.findIndex(fits) : taken);
}

function isSame(declared: Signature, resolved: Signature | undefined): resolved is Signature {
  const [a, b] = [declared.declaration, resolved?.declaration];
  return a !== undefined && a.path === b?.path && a.index === b.index;
}

/**
 * The nodes that an offset lies in or at the border of, those around others first. Without
 * recursion: code can be nested more deeply than calls of a function.
 */
export function nodesAround(tree: SourceFile, offset: number): Node[] {
  const around: Node[] = [tree];
  // The list grows while it is gone through.
  for (const node of around) {
    node.forEachChild((child) => {
      if (child.pos <= offset && offset <= child.end) around.push(child);
    });
  }
  return around;
}

/** What a comment says of a symbol, and of the parameters if it is a function. */
export interface Documentation {
  readonly text: string | undefined;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Text of the JSDoc comment before its declarations. */
export async function documentationOf(
  checker: Checker,
  symbol: CompilerSymbol,
): Promise<Documentation> {
  const [comment, tags] = await Promise.all([
    checker.getDocumentationCommentOfSymbol(symbol),
    checker.getJsDocTagsOfSymbol(symbol),
  ]);
  const parameters = new Map<string, string>();
  const lines = [comment];
  for (const { name, text = '' } of tags) {
    const parameter = name === 'param' ? /^(\w+)\s+(?:-\s+)?([\s\S]+)$/.exec(text) : null;
    const [, parameterName, explanation] = parameter ?? [];
    if (parameterName === undefined || explanation === undefined) {
      lines.push(`@${name} ${text}`.trimEnd());
    } else {
      parameters.set(parameterName, bounded(explanation));
    }
  }
  const text = lines.filter((line) => line !== '').join('\n');
  return { text: text === '' ? undefined : bounded(text), parameters };
}

/** A type in TypeScript, as it is named in that place. */
export async function typeText(checker: Checker, type: Type, place?: Node): Promise<string> {
  return oneLine(await checker.typeToString(type, place, NodeBuilderFlags.NoTruncation));
}

/**
 * What the compiler prints, without the modules that names come from: an endpoint cannot import.
 */
export function oneLine(printed: string): string {
  return bounded(printed.replaceAll(/import\("[^"]*"\)\./g, '').replaceAll(/\s*\n\s*/g, ' '));
}

/** Cut off where it goes beyond what anybody reads in an editor. */
function bounded(text: string): string {
  return text.length <= EDITOR_TEXT_CHARACTERS_MAX
    ? text
    : `${text.slice(0, EDITOR_TEXT_CHARACTERS_MAX - 3).toWellFormed()}...`;
}
