import { pipeline, Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { budgetKey } from '#access/caller.ts';
import {
  ANSWER_SLICE_BYTES,
  ANSWER_UNREAD_TIMEOUT_MS,
  ANSWERS_UNREAD_BYTES_MAX,
  ANSWERS_UNREAD_BYTES_PER_CALLER_MAX,
} from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { type CompressedAnswers, varyWith } from './compressed-answers.ts';

type Response = FastifyReply['raw'];

/** An answer whose client has not taken all of it. */
interface Unread {
  readonly bytes: number;
  /** The bytes that the connection had sent when it last made progress. */
  bytesWritten: number;
  stillSince: number;
}

/**
 * Holds large answers in memory until their clients have read them. The bytes are limited for each
 * caller and for all together, but a caller with nothing waiting always gets an answer. An answer
 * or stream of which the client reads nothing for a while is cut off.
 */
export class UnreadAnswers {
  readonly #timeoutMs: number;
  readonly #unread = new Map<Response, Unread>();
  /** Waiting bytes by `budgetKey`. */
  readonly #ofCaller = new Map<string, number>();
  #bytes = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(timeoutMs = ANSWER_UNREAD_TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Throws `too_many_requests` when half of a caller's limit is waiting: the next answer may be as
   * large.
   */
  check(reply: FastifyReply): void {
    this.#check(reply, ANSWERS_UNREAD_BYTES_PER_CALLER_MAX / 2);
  }

  /**
   * Holds a text and sends it in slices, each once the one before is read. Throws
   * `too_many_requests`.
   */
  hold(reply: FastifyReply, text: string): Readable {
    const bytes = Buffer.from(text);
    this.#check(reply, bytes.length);
    this.#add(reply, bytes.length);
    return Readable.from(slicesOf(bytes), { objectMode: false, highWaterMark: ANSWER_SLICE_BYTES });
  }

  /** From now on, cuts the answer off when its client stops reading. */
  watch(reply: FastifyReply): void {
    this.#add(reply, 0);
  }

  #check({ request }: FastifyReply, bytes: number): void {
    const own = this.#ofCaller.get(budgetKeyOf(request)) ?? 0;
    const isTooMuch =
      own + bytes > ANSWERS_UNREAD_BYTES_PER_CALLER_MAX ||
      this.#bytes + bytes > ANSWERS_UNREAD_BYTES_MAX;
    if (own === 0 || !isTooMuch) return;
    throw new Problem('too_many_requests', `${own} bytes of answers to you wait to be read.`, {
      hint: 'Read answers as they come, ask for fewer at a time, or for less.',
      details: { unreadBytes: own, retryAfterSeconds: 1 },
    });
  }

  #add({ raw, request }: FastifyReply, bytes: number): void {
    const caller = budgetKeyOf(request);
    const socket = request.raw.socket;
    this.#unread.set(raw, {
      bytes,
      bytesWritten: socket.bytesWritten,
      stillSince: performance.now(),
    });
    this.#change(caller, bytes);
    raw.once('close', () => {
      this.#unread.delete(raw);
      this.#change(caller, -bytes);
      if (this.#unread.size > 0) return;
      clearInterval(this.#watch);
      this.#watch = undefined;
    });
    this.#watch ??= setInterval(() => this.#look(), this.#timeoutMs / 4).unref();
  }

  #change(caller: string, by: number): void {
    this.#bytes += by;
    const bytes = (this.#ofCaller.get(caller) ?? 0) + by;
    if (bytes > 0) this.#ofCaller.set(caller, bytes);
    else this.#ofCaller.delete(caller);
  }

  #look(): void {
    const now = performance.now();
    for (const [response, unread] of this.#unread) {
      const bytesWritten = response.socket?.bytesWritten ?? 0;
      if (!response.writableNeedDrain || bytesWritten !== unread.bytesWritten) {
        unread.bytesWritten = bytesWritten;
        unread.stillSince = now;
      } else if (now - unread.stillSince > this.#timeoutMs) response.destroy();
    }
  }
}

/**
 * Holds the large answers that the framework sends, and compresses those that their client takes
 * so. Routes that send by themselves hold and compress their own.
 */
export function holdLargeAnswers(
  app: FastifyInstance,
  timeoutMs: number,
  compressed: CompressedAnswers,
): UnreadAnswers {
  const unread = new UnreadAnswers(timeoutMs);
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string') {
      done(null, payload);
      return;
    }
    const hasForm = compressed.hasForm(request, reply.getHeader('content-type'), payload);
    if (hasForm) reply.header('vary', varyWith(reply.getHeader('vary')));
    const isWanted = hasForm && compressed.isWanted(request);
    if (!isLarge(payload)) {
      const form = isWanted ? compressed.atOnce(payload) : undefined;
      if (form === undefined) done(null, payload);
      else void form.then((bytes) => done(null, gzipped(reply, bytes)), done);
      return;
    }
    if (request.method === 'HEAD') {
      done(null, payload);
      return;
    }
    try {
      const held = unread.hold(reply, payload);
      const form = isWanted ? compressed.inSlices(held) : undefined;
      if (form === undefined) reply.header('content-length', Buffer.byteLength(payload));
      done(null, form === undefined ? held : gzipped(reply, form));
    } catch (error) {
      done(error as Error);
    }
  });
  return unread;
}

function gzipped<Form>(reply: FastifyReply, form: Form): Form {
  reply.header('content-encoding', 'gzip');
  return form;
}

export function isLarge(payload: unknown): payload is string {
  return typeof payload === 'string' && payload.length > ANSWER_SLICE_BYTES;
}

/** Sends a held text, after the head of the answer was written. */
export function sendHeld(held: Readable, response: Response): void {
  // An error means that the client has gone.
  pipeline(held, response, () => undefined);
}

function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += ANSWER_SLICE_BYTES) {
    yield bytes.subarray(at, at + ANSWER_SLICE_BYTES);
  }
}

/** Whose budget a request uses: that of its caller, or of its address when there is none. */
export function budgetKeyOf({ caller, ip }: FastifyReply['request']): string {
  return caller === null ? ip : budgetKey(caller);
}
