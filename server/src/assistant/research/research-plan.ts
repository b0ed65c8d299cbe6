import { RESEARCH_PART_CHARACTERS_MAX } from '#base/assistant-limits.ts';
import { isObject, textIn } from '../router/json-members.ts';
import type { Researcher } from './research-settings.ts';

/** A question of a plan, and who studies it. */
export interface PlannedQuestion {
  readonly researcher: Researcher;
  readonly question: string;
}

/**
 * The plan in what a model has said: a list of `{researcher, question}`, of strings, or an object that holds such a list, with or
 * without words around it. A question for nobody in particular goes to the next one in turn. Where there is no plan in it, each
 * researcher studies the question as a whole.
 */
export function planIn(
  said: string,
  { question, researchers, questionsMax }: PlanRequest,
): PlannedQuestion[] {
  const byName = new Map(researchers.map((one) => [one.name.toLowerCase(), one]));
  const planned = new Map<string, PlannedQuestion>();
  for (const item of plannedIn(said)) {
    const { text, name } = read(item);
    const next = researchers[planned.size % researchers.length];
    const researcher = byName.get(name.toLowerCase()) ?? next;
    if (text === '' || researcher === undefined || planned.has(text)) continue;
    planned.set(text, { researcher, question: text });
  }
  const plan = [...planned.values()];
  const whole = researchers.map((researcher) => ({ researcher, question }));
  return (plan.length === 0 ? whole : plan).slice(0, questionsMax);
}

export interface PlanRequest {
  readonly question: string;
  /** At least one. */
  readonly researchers: readonly Researcher[];
  readonly questionsMax: number;
}

function read(item: unknown): { readonly text: string; readonly name: string } {
  const [question, name] = isObject(item) ? [item['question'], item['researcher']] : [item];
  const text = textIn(question).trim().slice(0, RESEARCH_PART_CHARACTERS_MAX);
  return { text, name: textIn(name).trim() };
}

function plannedIn(said: string): readonly unknown[] {
  const list = jsonFrom(said, '[', ']');
  if (Array.isArray(list)) return list;
  const object = jsonFrom(said, '{', '}');
  if (!isObject(object)) return [];
  return Object.values(object).find((member) => Array.isArray(member)) ?? [object];
}

/** From the first sign of the one kind to the last of the other. */
function jsonFrom(text: string, first: string, last: string): unknown {
  const [from, to] = [text.indexOf(first), text.lastIndexOf(last)];
  if (from < 0 || to < from) return undefined;
  try {
    return JSON.parse(text.slice(from, to + 1)) as unknown;
  } catch {
    return undefined;
  }
}
