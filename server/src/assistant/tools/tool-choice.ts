import { TOOLS_PER_REQUEST_MAX } from '#base/assistant-limits.ts';

/** What is known of a tool when it is chosen. */
export interface ChoosableTool {
  readonly name: string;
  readonly description: string;
  readonly endpoint: string;
  /** Whether somebody made it a tool, or wrote `// trellis: tool` for it. */
  readonly isWritten: boolean;
}

/** How close a tool is to the question by meaning, from 0 to 1; undefined where nobody knows. */
export type ToolCloseness = (tool: ChoosableTool) => number | undefined;

/** A model that cannot search finds nothing that the other tools could start from. */
const ALWAYS = 'system/search';
/** What it counts that somebody wrote a tool for models, beside a word that fits. */
const WRITTEN = 0.5;
/** What the meaning counts, beside a word that fits. */
const MEANING = 2;
/** The shortest beginning that two forms of a word have in common. */
const STEM_CHARACTERS = 4;

/**
 * At most as many tools as a request may have, in the order of `tools`: models choose worse among
 * many, and each costs tokens in every step. Those that fit the question by their words and their
 * meaning are kept, and rather those that somebody wrote for models.
 */
export function chosenTools<T extends ChoosableTool>(
  tools: readonly T[],
  question: string,
  closeness: ToolCloseness = () => undefined,
): readonly T[] {
  if (tools.length <= TOOLS_PER_REQUEST_MAX) return tools;
  const asked = wordsOf(question);
  const described = tools.map((tool) => wordsOf(`${tool.name} ${tool.description}`));
  const weights = new Map(
    [...asked].map((word) => {
      const count = described.filter((words) => hasWord(words, word)).length;
      return [word, count === 0 ? 0 : Math.log(1 + tools.length / count)] as const;
    }),
  );
  const weightOf = (words: ReadonlySet<string>): number =>
    [...weights].reduce((sum, [word, weight]) => sum + (hasWord(words, word) ? weight : 0), 0);
  const scored = tools.map((tool, at) => ({
    tool,
    score:
      (tool.endpoint === ALWAYS ? Infinity : weightOf(described[at] ?? new Set())) +
      (tool.isWritten ? WRITTEN : 0) +
      MEANING * (closeness(tool) ?? 0),
  }));
  const best = scored.toSorted((a, b) => b.score - a.score).slice(0, TOOLS_PER_REQUEST_MAX);
  const kept = new Set(best.map(({ tool }) => tool));
  return tools.filter((tool) => kept.has(tool));
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}]+/gu));
}

/** Also another form of it: "books" for "book". */
function hasWord(words: ReadonlySet<string>, word: string): boolean {
  if (words.has(word)) return true;
  if (word.length < STEM_CHARACTERS) return false;
  return [...words].some(
    (other) =>
      other.length >= STEM_CHARACTERS && (other.startsWith(word) || word.startsWith(other)),
  );
}
