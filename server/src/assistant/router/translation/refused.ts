import { Problem } from '#base/problem.ts';
import type { JsonObject } from '../llm-call.ts';

/** Of a request that the other protocol has no words for: nothing that changes the answer is left out silently. */
export function untranslatable(what: string): Problem {
  return new Problem(
    'llm_request_refused',
    `${what} cannot be asked of this provider, which speaks another protocol.`,
    { hint: "Leave it out, or use a client of the provider's own protocol." },
  );
}

/** Throws when a member is there that would change the answer. */
export function refuseMembers(request: JsonObject, names: readonly string[]): void {
  for (const name of names) {
    const value = request[name];
    const isEmpty = Array.isArray(value) && value.length === 0;
    if (value !== undefined && value !== null && value !== false && !isEmpty) {
      throw untranslatable(`"${name}"`);
    }
  }
}
