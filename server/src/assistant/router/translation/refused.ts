import { Problem } from '#base/problem.ts';
import type { JsonObject } from '../llm-call.ts';

/** Of a name that somebody made up. */
const NAME_CHARACTERS_MAX = 100;

/** Of a request that the other protocol has no words for: nothing that changes the answer is left out silently. */
export function untranslatable(what: string): Problem {
  return new Problem(
    'llm_request_refused',
    `${what} cannot be asked of this provider, which speaks another protocol.`,
    { hint: "Leave it out, or use a client of the provider's own protocol." },
  );
}

/** Throws for a member that is not known: it might change the answer. `where` says what it is a member of. */
export function refuseOthers(given: JsonObject, known: ReadonlySet<string>, where: string): void {
  for (const [name, value] of Object.entries(given)) {
    if (known.has(name)) continue;
    const isEmpty = Array.isArray(value) && value.length === 0;
    if (value !== undefined && value !== null && value !== false && !isEmpty) {
      throw untranslatable(`"${name.slice(0, NAME_CHARACTERS_MAX)}" of ${where}`);
    }
  }
}
