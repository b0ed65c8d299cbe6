import { Worker } from 'node:worker_threads';
import { must } from '#base/assert.ts';
import {
  HTTP_BODIES_ADDRESS_BYTES_MAX,
  HTTP_BODIES_BYTES_MAX,
  HTTP_STRANGER_BODIES_ADDRESS_BYTES_MAX,
  HTTP_STRANGER_BODIES_BYTES_MAX,
  JSON_BODY_DEPTH_MAX,
  JSON_BODY_VALUES_MAX,
  JSON_INLINE_BYTES_MAX,
  JSON_THREAD_HEAP_MB_MAX,
  JSON_VALUE_BYTES,
} from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { addressGroup } from '#identity/address-group.ts';
import { bodyBytesMaxOf } from '@trellis/contract/operation.ts';
import type { FastifyRequest } from 'fastify';
import {
  assembleJson,
  type JsonAnswer,
  type JsonPlan,
  type JsonReading,
  type JsonRequest,
  planJson,
  TooManyValues,
} from './json-plan.ts';
import { BodyBudget, BodyHold, type JsonReader, readBody } from './read-body.ts';

export interface BodiesOptions {
  readonly readJson: JsonReader;
  readonly strangerTimeoutMs: number;
}

/**
 * Receives the bodies of requests within the budget of bytes, and parses them as their routes want.
 */
export class Bodies {
  readonly #options: BodiesOptions;
  readonly #thread = new JsonThread();
  readonly #callers = new BodyBudget({
    bytesMax: HTTP_BODIES_BYTES_MAX,
    addressBytesMax: HTTP_BODIES_ADDRESS_BYTES_MAX,
  });
  readonly #strangers = new BodyBudget({
    bytesMax: HTTP_STRANGER_BODIES_BYTES_MAX,
    addressBytesMax: HTTP_STRANGER_BODIES_ADDRESS_BYTES_MAX,
  });

  constructor(options: BodiesOptions) {
    this.#options = options;
  }

  /** Bytes of bodies whose requests are not answered yet. */
  get bytesInFlight(): number {
    return this.#callers.bytes + this.#strangers.bytes;
  }

  /**
   * The share of the budget that the body of a request takes, until its answer or its connection is
   * done.
   */
  hold(request: FastifyRequest): BodyHold {
    const budget = request.caller === null ? this.#strangers : this.#callers;
    const hold = new BodyHold(budget, addressGroup(request.ip));
    const response = must(request.response, 'the answer to a request with a body');
    if (response.closed) hold.release();
    else response.once('close', () => hold.release());
    return hold;
  }

  /** The whole body of an operation. Calls back once. */
  receive(
    request: FastifyRequest,
    done: (error: Error | null, bytes: Uint8Array, hold: BodyHold) => void,
  ): void {
    const operation = must(request.routeOptions.config.operation, 'the operation of a body');
    const hold = this.hold(request);
    const timeoutMs = request.caller === null ? this.#options.strangerTimeoutMs : null;
    const terms = { bytesMax: bodyBytesMaxOf(operation), timeoutMs };
    readBody(request, hold, terms, (error, bytes) => done(error, bytes, hold));
  }

  /**
   * The value of a JSON body. Throws or rejects with `malformed_json`, `body_too_complex`,
   * `bodies_in_flight`.
   */
  json(request: FastifyRequest, bytes: Uint8Array, hold: BodyHold): unknown {
    if (bytes.length > JSON_INLINE_BYTES_MAX) return this.#largeJson(request, bytes, hold);
    const text = textOf(bytes);
    requireFewValues(text);
    return this.#options.readJson(request, text);
  }

  /** The text of a JSON body, for another thread to parse. Throws `body_too_complex`. */
  text(bytes: Uint8Array, hold: BodyHold): string | Promise<string> {
    if (bytes.length <= JSON_INLINE_BYTES_MAX) return textOf(bytes);
    return this.#thread
      .read(new Uint8Array(bytes), 'text')
      .then((reading) => must(texts(planOf(reading, hold)), 'the text of a body'));
  }

  stop(): Promise<void> {
    return this.#thread.stop();
  }

  async #largeJson(request: FastifyRequest, bytes: Uint8Array, hold: BodyHold): Promise<unknown> {
    const plan = planOf(await this.#thread.read(new Uint8Array(bytes), 'plan'), hold);
    const { readJson } = this.#options;
    return assembleJson(plan, (text) => readJson(request, text), {
      turn: () => new Promise((resolve) => setImmediate(resolve)),
      refuse: malformed,
    });
  }
}

/** Throws `body_too_complex`. For texts that are small enough for this thread. */
export function requireFewValues(text: string, valuesMax = JSON_BODY_VALUES_MAX): void {
  // Too short for too many values, or for too much depth.
  if (text.length <= JSON_BODY_DEPTH_MAX) return;
  try {
    planJson(text, {
      pieceCharacters: Number.POSITIVE_INFINITY,
      depthMax: JSON_BODY_DEPTH_MAX,
      valuesMax,
    });
  } catch (error) {
    throw error instanceof TooManyValues ? tooComplex(valuesMax) : error;
  }
}

function planOf(reading: JsonReading, hold: BodyHold): JsonPlan {
  if ('plan' in reading) {
    hold.add(reading.values * JSON_VALUE_BYTES);
    return reading.plan;
  }
  throw reading.fault === 'malformed' ? malformed() : tooComplex();
}

function texts(plan: JsonPlan): string | undefined {
  return typeof plan === 'string' ? plan : undefined;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

function malformed(): Problem {
  return new Problem('malformed_json', 'The body is not valid JSON.');
}

function tooComplex(limitValues = JSON_BODY_VALUES_MAX): Problem {
  const limitDepth = JSON_BODY_DEPTH_MAX;
  return new Problem(
    'body_too_complex',
    `The body has more than ${limitValues} values, or they stand more than ${limitDepth} deep in each other.`,
    { details: { limitValues, limitDepth } },
  );
}

/**
 * The thread that reads large JSON bodies, one after the other. The first body starts it; when it
 * has ended, the next body starts another.
 */
class JsonThread {
  readonly #waiting = new Map<number, PromiseWithResolvers<JsonReading>>();
  #worker: Worker | undefined;
  #lastId = 0;

  /** `bytes` move to the thread: they are empty afterwards. */
  read(bytes: Uint8Array<ArrayBuffer>, wants: JsonRequest['wants']): Promise<JsonReading> {
    this.#worker ??= this.#start();
    const id = ++this.#lastId;
    const reading = Promise.withResolvers<JsonReading>();
    this.#waiting.set(id, reading);
    const request: JsonRequest = { id, bytes, wants };
    this.#worker.postMessage(request, [bytes.buffer]);
    return reading.promise;
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./json-worker.ts', import.meta.url), {
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: JSON_THREAD_HEAP_MB_MAX },
    });
    worker.unref();
    worker.on('message', ({ id, ...reading }: JsonAnswer) => {
      this.#waiting.get(id)?.resolve(reading);
      this.#waiting.delete(id);
    });
    let cause: unknown;
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      const ended = new Error('the thread that reads JSON has ended', { cause });
      for (const reading of this.#waiting.values()) reading.reject(ended);
      this.#waiting.clear();
    });
    return worker;
  }
}
