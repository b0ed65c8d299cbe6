import { TOOL_RESULT_CHARACTERS_MAX } from '#base/llm-limits.ts';

/** As much of a text as a model reads at a time, from an offset in characters; with a note when there is more. */
export function pageOfText(text: string, offset: number): string {
  const end = offset + TOOL_RESULT_CHARACTERS_MAX;
  if (end >= text.length) return text.slice(offset);
  return `${text.slice(offset, end)}\n[There are ${text.length} characters: read on with offset ${end}.]`;
}
