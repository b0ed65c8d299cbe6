import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import { bodyTooLarge } from '../error-answer.ts';
import type { BodyHold } from './body-budget.ts';

export interface BodyTerms {
  readonly bytesMax: number;
  /** The time for the whole body; null when the time of the request is enough. */
  readonly timeoutMs: number | null;
}

/**
 * Reads the whole body. What has arrived is counted in `hold`, also after this call. Calls back
 * once. It is an error when the body is too large (by its headers or by its bytes), when it takes
 * too long, or when the budget is used up; what still arrives then is thrown away. It uses events
 * instead of promises, because every call passes here.
 */
export function readBody(
  { raw, headers }: FastifyRequest,
  hold: BodyHold,
  { bytesMax, timeoutMs }: BodyTerms,
  done: (error: Error | null, body: Uint8Array) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const finish = (error: Error | null, body: Uint8Array): void => {
    clearTimeout(timer);
    raw.off('data', onData).off('end', onEnd).off('error', onError);
    done(error, body);
  };
  const onError = (error: unknown): void => {
    finish(error instanceof Error ? error : new Error('no error', { cause: error }), NOTHING);
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      finish(bodyTooLarge(bytesMax), NOTHING);
      return;
    }
    try {
      hold.add(chunk.length);
    } catch (error) {
      onError(error);
      return;
    }
    chunks.push(chunk);
  };
  const onEnd = (): void => {
    const [only] = chunks;
    finish(null, only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, bytes));
  };
  if (saysTooMuch(headers, bytesMax)) {
    done(bodyTooLarge(bytesMax), NOTHING);
    return;
  }
  if (timeoutMs !== null) {
    timer = setTimeout(() => {
      onError(new Problem('request_timeout', 'The body did not arrive in time.'));
    }, timeoutMs);
  }
  raw.on('data', onData).on('end', onEnd).on('error', onError);
}

/** Whether a body is too large by its headers, compressed or not. */
export function saysTooMuch(headers: FastifyRequest['headers'], bytesMax: number): boolean {
  return Number(headers['content-length'] ?? 0) > bytesMax;
}

const NOTHING = new Uint8Array(0);

export type JsonReader = (request: FastifyRequest, text: string) => unknown;

/**
 * Reads JSON that does not try to reach into prototypes; an empty body is undefined. Throws
 * `malformed_json`.
 */
export function jsonReader(app: FastifyInstance): JsonReader {
  const parse = app.getDefaultJsonParser('error', 'error');
  return (request, text) => {
    if (text === '') return undefined;
    let outcome: { error: Error | null; value: unknown } | undefined;
    // Despite its callback it is synchronous.
    void parse(request, text, (error, value: unknown) => {
      outcome = { error, value };
    });
    if (outcome === undefined || outcome.error !== null) {
      throw new Problem('malformed_json', 'The body is not valid JSON.', { cause: outcome?.error });
    }
    return outcome.value;
  };
}
