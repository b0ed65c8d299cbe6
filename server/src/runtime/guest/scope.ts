import { ask } from './channel.ts';
import { fetchFor, type FetchAnswer, type FetchOptions, Secret } from './fetch.ts';
import { ReadOnlyGraph, WritableGraph } from './graph.ts';
import { parse, stringify, text } from './primordials.ts';
import { Query } from './query.ts';
import { noteLine, noteProgress } from './remarks.ts';
import {
  badRequest,
  forbidden,
  notFound,
  ok,
  passOn,
  redirect,
  status,
  unauthorized,
} from './reply.ts';
import { searchFor } from './search.ts';

/** One call, as the guest knows it. */
export interface Call {
  readonly id: number;
  readonly isReadOnly: boolean;
  readonly body: unknown;
  /** JSON texts: most endpoints look at neither. */
  readonly headers: string;
  readonly user: string;
  readonly signal: Signal;
}

/**
 * What the endpoint function is given: see `Scope` of `@trellis/endpoint`. Each member is made when
 * it is asked for.
 */
export class Scope {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  get body(): unknown {
    return this.#call.body;
  }

  get headers(): unknown {
    return parse(this.#call.headers);
  }

  get CurrentUser(): unknown {
    return parse(this.#call.user);
  }

  get graph(): unknown {
    const { id, isReadOnly } = this.#call;
    return isReadOnly ? new ReadOnlyGraph(id) : new WritableGraph(id);
  }

  get q(): () => Query {
    const { id } = this.#call;
    return () => new Query(id);
  }

  get search(): (request: unknown) => Promise<unknown> {
    const { id } = this.#call;
    return (request) => searchFor(id, 'search', request);
  }

  get searchAsUser(): (request: unknown) => Promise<unknown> {
    const { id } = this.#call;
    return (request) => searchFor(id, 'searchAsUser', request);
  }

  get suggestAsUser(): (request: unknown) => Promise<unknown> {
    const { id } = this.#call;
    return (request) => ask(id, 'suggestAsUser', stringify(request));
  }

  get run(): (path: string, body?: unknown) => Promise<unknown> {
    const { id } = this.#call;
    // A body that is left out stays out.
    return (path, body) => ask(id, 'run', stringify({ path, body: stringify(body) }));
  }

  get runOnPrimary(): (path: string, body?: unknown) => Promise<unknown> {
    const { id } = this.#call;
    return (path, body) => ask(id, 'runOnPrimary', stringify({ path, body: stringify(body) }));
  }

  get fetch(): (url: string, options?: FetchOptions) => Promise<FetchAnswer> {
    const { id } = this.#call;
    return (url, options) => fetchFor(id, url, options);
  }

  get secret(): (name: string, template?: string) => Secret {
    return (name, template) => new Secret(name, template);
  }

  get ai(): Ai {
    return new Ai(this.#call.id);
  }

  get progress(): (fractionOrText: number | string, message?: string) => void {
    const { id } = this.#call;
    return (fractionOrText, message) => {
      const isText = typeof fractionOrText === 'string';
      if (isText) noteProgress(id, null, fractionOrText);
      else noteProgress(id, fractionOrText, message);
    };
  }

  /** zod, where the endpoint names it: see `boot.ts`. */
  get z(): unknown {
    return Reflect.get(globalThis, 'z');
  }

  get log(): Log {
    return new Log(this.#call.id);
  }

  get signal(): Signal {
    return this.#call.signal;
  }

  get ok() {
    return ok;
  }

  get status() {
    return status;
  }

  get badRequest() {
    return badRequest;
  }

  get unauthorized() {
    return unauthorized;
  }

  get forbidden() {
    return forbidden;
  }

  get notFound() {
    return notFound;
  }

  get passOn() {
    return passOn;
  }

  get redirect() {
    return redirect;
  }
}

class Log {
  readonly #call: number;

  constructor(call: number) {
    this.#call = call;
  }

  debug(message: unknown, data?: unknown): void {
    this.#write('debug', message, data);
  }

  info(message: unknown, data?: unknown): void {
    this.#write('info', message, data);
  }

  warn(message: unknown, data?: unknown): void {
    this.#write('warn', message, data);
  }

  error(message: unknown, data?: unknown): void {
    this.#write('error', message, data);
  }

  #write(level: string, message: unknown, data: unknown): void {
    noteLine(this.#call, level, () => stringify({ message: text(message), data }));
  }
}

/** The caller's AbortSignal as far as an endpoint needs one. */
export class Signal {
  #aborted = false;
  #listeners: (() => void)[] = [];

  get aborted(): boolean {
    return this.#aborted;
  }

  throwIfAborted(): void {
    if (this.#aborted) throw new Error('the caller has gone');
  }

  addEventListener(_event: 'abort', listener: () => void): void {
    this.#listeners = [...this.#listeners, listener];
  }

  removeEventListener(_event: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener);
  }

  static abort(signal: Signal): void {
    signal.#aborted = true;
    for (const listener of signal.#listeners) listener();
  }
}

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
