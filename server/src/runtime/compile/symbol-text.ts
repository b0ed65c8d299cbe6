import type { Checker, Symbol as CompilerSymbol, Type } from 'typescript/unstable/async';
import { NodeBuilderFlags } from 'typescript/unstable/async';
import type { Node } from 'typescript/unstable/ast';
import { EDITOR_TEXT_CHARACTERS_MAX } from '#base/limits.ts';

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
