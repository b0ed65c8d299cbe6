import type { JsonPlan } from './json-plan.ts';

/** What the thread that reads large JSON is asked. */
export interface JsonRequest {
  readonly id: number;
  /** In UTF-8; handed over. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The text as it is, which somebody else parses; or a plan of its pieces. */
  readonly wants: 'text' | 'plan';
}

export type JsonAnswer = { readonly id: number } & JsonReading;

export type JsonReading =
  | { readonly plan: JsonPlan; readonly values: number }
  | { readonly fault: 'malformed' | 'too-many-values' };
