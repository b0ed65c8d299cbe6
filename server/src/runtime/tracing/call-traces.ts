import { randomBytes } from 'node:crypto';
import type { CallTrace } from '@trellis/contract/shapes/call-trace.ts';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import {
  ALL_TRACES_KEPT_CHARACTERS_MAX,
  TRACES_KEPT_CHARACTERS_MAX,
  TRACES_KEPT_MAX,
} from '#base/trace-limits.ts';

/** What a trace takes beside its texts. */
const TRACE_CHARACTERS = 200;

interface KeptTrace {
  readonly endpoint: string;
  /** JSON of the trace without its input. */
  readonly json: string;
  readonly input: string | null;
  readonly characters: number;
}

interface CallTracesOptions {
  /** Takes secrets out of JSON text. */
  readonly redact: (json: string) => string;
  readonly charactersMax?: number;
}

/**
 * Traces of calls, in the memory of this process: the oldest go first, those of an endpoint and
 * those of all.
 */
export class CallTraces {
  readonly #redact: (json: string) => string;
  readonly #charactersMax: number;
  /** By id, the oldest first. */
  readonly #kept = new Map<string, KeptTrace>();
  /** By endpoint: the ids, the oldest first, and the characters of all. */
  readonly #byEndpoint = new Map<string, { readonly ids: string[]; characters: number }>();
  #characters = 0;

  constructor({ redact, charactersMax = ALL_TRACES_KEPT_CHARACTERS_MAX }: CallTracesOptions) {
    this.#redact = redact;
    this.#charactersMax = charactersMax;
  }

  /** Gives the id. */
  keep(trace: Omit<CallTrace, 'id'>): string {
    const id = randomBytes(12).toString('hex');
    const { endpoint, input, ...rest } = trace;
    const json = JSON.stringify({ id, endpoint, ...rest });
    const characters = json.length + (input?.length ?? 0) + TRACE_CHARACTERS;
    this.#kept.set(id, { endpoint, json, input, characters });
    this.#characters += characters;
    const own = this.#byEndpoint.get(endpoint) ?? { ids: [], characters: 0 };
    this.#byEndpoint.set(endpoint, own);
    own.ids.push(id);
    own.characters += characters;
    while (own.ids.length > TRACES_KEPT_MAX || own.characters > TRACES_KEPT_CHARACTERS_MAX) {
      this.#forget(own.ids[0]);
    }
    while (this.#characters > this.#charactersMax) {
      const [oldest] = this.#kept.keys();
      this.#forget(oldest);
    }
    return id;
  }

  has(id: string): boolean {
    return this.#kept.has(id);
  }

  /** Throws `trace_not_found`. */
  get(_caller: Caller, id: string): CallTrace {
    const kept = this.#kept.get(id);
    if (kept === undefined) throw new Problem('trace_not_found', `There is no trace "${id}"`);
    const trace = JSON.parse(this.#redact(kept.json)) as Omit<CallTrace, 'input'>;
    return { ...trace, input: kept.input };
  }

  #forget(id: string | undefined): void {
    const kept = this.#kept.get(id ?? '');
    if (id === undefined || kept === undefined) return;
    this.#kept.delete(id);
    this.#characters -= kept.characters;
    const own = this.#byEndpoint.get(kept.endpoint);
    if (own === undefined) return;
    own.ids.splice(own.ids.indexOf(id), 1);
    own.characters -= kept.characters;
    if (own.ids.length === 0) this.#byEndpoint.delete(kept.endpoint);
  }
}
