import { unifiedDiff } from './unified-diff.ts';
import type { TextFile } from './unified-diff.ts';

/** What a version is about. */
export interface CodeContent {
  readonly code: string;
  /** Everything that can be set beside the code. */
  readonly settings: object;
}

/**
 * Settings and code as the files `<name>.json` and `<name>.ts`; undefined where there is nothing.
 */
export function contentDiff(
  name: string,
  before: CodeContent | undefined,
  after: CodeContent | undefined,
): string {
  const settings = (content: CodeContent) => `${JSON.stringify(content.settings, null, 2)}\n`;
  const code = (content: CodeContent) => content.code;
  const diffOf = (ending: string, textOf: (content: CodeContent) => string) => {
    const file = (side: string, content: CodeContent | undefined): TextFile =>
      content === undefined
        ? { path: '/dev/null', text: '' }
        : { path: `${side}/${name}.${ending}`, text: textOf(content) };
    return unifiedDiff(file('a', before), file('b', after));
  };
  return diffOf('json', settings) + diffOf('ts', code);
}
