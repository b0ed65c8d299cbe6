import { LLM_CHARACTERS_PER_TOKEN } from '#base/llm-limits.ts';
import type { ModelMessage } from '../model/model-run.ts';

/**
 * Those that a model is sent: the last, the first, which says what the conversation is about, and as many of the newest between them as
 * `tokensMax` has room for. Ones without a text, such as answers that failed, are left out: providers refuse them.
 */
export function withinTokens(messages: readonly ModelMessage[], tokensMax: number): ModelMessage[] {
  const said = messages.filter(({ text }) => text !== '');
  const last = said.at(-1);
  const [first] = said;
  if (first === undefined || last === undefined || said.length < 2) return said;
  let left = tokensMax - tokensOf(last) - tokensOf(first);
  if (left < 0) return [last];
  const between = said.slice(1, -1);
  let from = between.length;
  while (from > 0) {
    left -= tokensOf(between[from - 1]);
    if (left < 0) break;
    from--;
  }
  return [first, ...between.slice(from), last];
}

function tokensOf(message: ModelMessage | undefined): number {
  return Math.ceil((message?.text.length ?? 0) / LLM_CHARACTERS_PER_TOKEN);
}
