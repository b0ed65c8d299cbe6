import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';

/** Tokens are counted for a user: throws `forbidden` where there is none. */
export function payerOf({ userUid }: Caller): string {
  if (userUid !== null) return userUid;
  throw new Problem('forbidden', 'This token is of no user, so it can ask no model.', {
    hint: 'Use a token with an acting user.',
  });
}

/** The model that was asked for, or the first; throws `model_not_found`. */
export function allowedModel(wanted: string | undefined, allowed: readonly string[]): string {
  const model = wanted ?? must(allowed[0], 'a model of the provider');
  if (allowed.includes(model)) return model;
  throw new Problem('model_not_found', `There is no model "${model}" here.`);
}
