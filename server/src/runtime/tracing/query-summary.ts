import { TRACE_TEXT_CHARACTERS_MAX } from '#base/trace-limits.ts';
import { guestText } from '../guest-text.ts';

/** Members of a step or an end that name parts of the schema: none is a value of the graph. */
const NAMES = ['type', 'edge', 'field', 'types', 'edges', 'fields'];

/**
 * The steps of a query with the names that they use, such as `startWhere(Book.Year) out(WrittenBy)
 * count`. Takes JSON that a guest made: of what is no query, the result is empty.
 */
export function querySummary(json: string): string {
  const { steps, end } = objectOf(parsed(json));
  const { end: ending, ...rest } = objectOf(end);
  const texts = [...stepTexts(steps), ...(typeof ending === 'string' ? [text(ending, rest)] : [])];
  return texts.join(' ').slice(0, TRACE_TEXT_CHARACTERS_MAX);
}

function stepTexts(steps: unknown): string[] {
  if (!Array.isArray(steps)) return [];
  return steps.map((step) => {
    const { op, steps: inner, ...rest } = objectOf(step);
    if (inner !== undefined) return `${guestText(op)}(${stepTexts(inner).join(' ')})`;
    return text(guestText(op), rest);
  });
}

function text(name: string, members: Readonly<Record<string, unknown>>): string {
  const names = NAMES.flatMap((member) => {
    const value = members[member];
    if (typeof value === 'string') return [value];
    return Array.isArray(value) ? [value.filter((one) => typeof one === 'string').join(', ')] : [];
  });
  return names.length === 0 ? name : `${name}(${names.join('.')})`;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value) as Readonly<Record<string, unknown>>;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
