import { FORM_FIELDS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';

/**
 * The fields of a form by name; a name that comes twice has its values in a list, which no shape
 * takes for a text. Throws `invalid_request` for more fields than any form has, before it looks at
 * one of them.
 */
export function formFields(text: string): Record<string, string | string[]> {
  let separators = 0;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    if (++separators >= FORM_FIELDS_MAX) throw tooMany();
  }
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields.get(name);
    if (before === undefined) fields.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else fields.set(name, [before, value]);
  }
  return Object.fromEntries(fields);
}

function tooMany(): Problem {
  const message = `has more than ${FORM_FIELDS_MAX} fields`;
  return new Problem('invalid_request', `The form ${message}.`, {
    details: { fields: [{ path: '', message }] },
  });
}
