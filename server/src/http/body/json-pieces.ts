import type { JsonPlan } from './json-plan.ts';

/**
 * The value of a text that was cut, made piece by piece: `turn` is waited for after each, so that
 * others have theirs. `parse` takes a text of JSON and refuses names that reach into prototypes;
 * `refuse` makes its error for those that stand between pieces.
 */
export async function assembleJson(
  plan: JsonPlan,
  parse: (text: string) => unknown,
  { turn, refuse }: { readonly turn: () => Promise<void>; readonly refuse: () => Error },
): Promise<unknown> {
  if (typeof plan === 'string') return parse(plan);
  const list: unknown[] = [];
  const object: Record<string, unknown> = {};
  for (const part of plan.parts) {
    if (typeof part === 'string') {
      if (plan.isList) for (const item of parse(`[${part}]`) as unknown[]) list.push(item);
      else Object.assign(object, parse(`{${part}}`));
      await turn();
      continue;
    }
    const value = await assembleJson(part.plan, parse, { turn, refuse });
    if (part.key === null) {
      list.push(value);
      continue;
    }
    const name = String(parse(part.key));
    if (name === '__proto__' || (name === 'constructor' && hasPrototype(value))) throw refuse();
    object[name] = value;
  }
  return plan.isList ? list : object;
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}
