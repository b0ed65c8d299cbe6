import { NODES_ANSWER_CHARACTERS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';

/** How much one answer of JSON holds, which is in memory as a whole. */
export class AnswerSize {
  #left = NODES_ANSWER_CHARACTERS_MAX;

  /** What may still come. */
  get left(): number {
    return this.#left;
  }

  /** Counts a value. Throws `invalid_request` when the answer is too large with it. */
  add(value: unknown): void {
    this.#left -= textLength(value);
    if (this.#left < 0) throw tooLarge();
  }
}

export function tooLarge(): Problem {
  const message = `The answer would be larger than ${NODES_ANSWER_CHARACTERS_MAX} characters.`;
  return new Problem('invalid_request', message, {
    hint: 'Ask for fewer nodes at a time, or for some of their fields; a download has no limit.',
  });
}

/** About how many characters a value of JSON takes: enough to tell the large from the small. */
function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let length = 0;
  if (Array.isArray(value)) {
    for (const one of value) length += 1 + textLength(one);
    return length;
  }
  for (const name in value) length += 1 + textLength((value as Record<string, unknown>)[name]);
  return length;
}
