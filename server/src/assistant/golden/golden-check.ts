import type { CheckedGoldenAnswers } from '@trellis/contract/shapes/golden-answers.ts';
import { Problem } from '#base/problem.ts';
import { tryParseUid } from '#base/uid.ts';

/**
 * Checks what the contract's shape does not; throws `invalid_request`. Whether nodes and users
 * exist is found by a run, not by this check: they come and go.
 */
export function checkGoldenAnswers({ questions }: CheckedGoldenAnswers): void {
  const known = new Set<string>();
  for (const [i, { id, nuggets, mustNotReveal = [] }] of questions.entries()) {
    const path = `questions.${i}`;
    if (known.has(id)) throw invalid(`${path}.id`, `"${id}" is there twice`);
    known.add(id);
    for (const [j, { uids = [] }] of nuggets.entries()) {
      checkUids(uids, `${path}.nuggets.${j}.uids`);
    }
    checkUids(mustNotReveal, `${path}.mustNotReveal`);
  }
}

function checkUids(uids: readonly string[], path: string): void {
  for (const [i, uid] of uids.entries()) {
    if (tryParseUid(uid) === undefined) throw invalid(`${path}.${i}`, `"${uid}" is not a UID`);
  }
}

export function invalid(path: string, message: string): Problem {
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}
