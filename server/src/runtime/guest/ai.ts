import { ask } from './channel.ts';
import { stringify } from './primordials.ts';

/** See `Ai` of `@trellis/endpoint`. */
export class Ai {
  readonly #call: number;

  constructor(call: number) {
    this.#call = call;
  }

  complete(request: unknown): Promise<unknown> {
    const asked = typeof request === 'string' ? { prompt: request } : request;
    return ask(this.#call, 'complete', stringify(asked ?? null));
  }

  embed(texts: unknown): Promise<unknown> {
    return ask(this.#call, 'embed', stringify({ texts }));
  }

  runAgent(name: unknown, message: unknown, variables?: unknown): Promise<unknown> {
    return ask(this.#call, 'runAgent', stringify({ name, message, variables }));
  }
}
