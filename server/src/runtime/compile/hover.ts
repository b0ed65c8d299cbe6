import type { Hover } from '@trellis/contract/shapes/editor.ts';
import {
  type Checker,
  NodeBuilderFlags,
  type Symbol as CompilerSymbol,
  SymbolFlags,
} from 'typescript/unstable/async';
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
import { must } from '#base/assert.ts';
import { positionAt } from './diagnostic.ts';
import { nodesAround, signatureText } from './signature-help.ts';
import { documentationOf, oneLine, typeText } from './symbol-text.ts';
import type { Asked } from './type-checker.ts';

/** What the name at an offset means; null where there is none, or none that is known. */
export async function hoverAt(
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
