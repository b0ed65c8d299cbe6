import { Problem } from '#base/problem.ts';
import { tooLarge } from './answer-size.ts';

/** Text, and names of fields whose values stand between. */
export interface NodeTemplate {
  /** One more than there are fields. */
  readonly texts: readonly string[];
  readonly fields: readonly string[];
}

/** A brace that is written twice, a name in braces, or a brace that is neither. */
const BRACES = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;

/**
 * Reads `{FirstName} {LastName}`; a brace itself is written twice. Throws `invalid_request` for one
 * that stands alone.
 */
export function parseTemplate(template: string): NodeTemplate {
  const texts: string[] = [];
  const fields: string[] = [];
  let text = '';
  let end = 0;
  for (const { 0: found, 1: name, index } of template.matchAll(BRACES)) {
    text += template.slice(end, index);
    end = index + found.length;
    if (name !== undefined) {
      texts.push(text);
      fields.push(name.trim());
      text = '';
    } else if (found.length === 2) {
      text += found[0];
    } else {
      throw loneBrace(found, index);
    }
  }
  return { texts: [...texts, text + template.slice(end)], fields };
}

/**
 * `values` in the order of the template's fields. Throws `invalid_request` for a text of more than
 * `max` characters.
 */
export function fillTemplate(
  { texts }: NodeTemplate,
  values: readonly unknown[],
  max: number,
): string {
  return texts.reduce((text, next, i) => {
    const value = textOf(values[i - 1]);
    if (text.length + value.length > max) throw tooLarge();
    return text + value + next;
  });
}

/** Text as it is, nothing as no text, and lists and the like as JSON. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function loneBrace(brace: string, index: number): Problem {
  const message = `a "${brace}" at position ${index} stands alone`;
  return new Problem('invalid_request', `body, template: ${message}`, {
    hint: 'Put the names of fields in braces, and write a brace itself twice.',
    details: { fields: [{ path: 'template', message }] },
  });
}
