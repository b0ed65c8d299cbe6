import type { FastifyContentTypeParser, FastifyRequest } from 'fastify';
import type { Bodies } from './bodies.ts';
import type { BodyHold } from './body-budget.ts';
import { formFields } from './form-fields.ts';

/** A whole body of JSON as its value. */
export function jsonParser(bodies: Bodies): FastifyContentTypeParser {
  return parserOf(bodies, (request, bytes, hold) => bodies.json(request, bytes, hold));
}

/** A whole body of JSON as its text; null when there is none. */
export function textParser(bodies: Bodies): FastifyContentTypeParser {
  return parserOf(bodies, (_request, bytes, hold) =>
    bytes.length === 0 ? null : bodies.text(bytes, hold),
  );
}

export function formParser(bodies: Bodies): FastifyContentTypeParser {
  return parserOf(bodies, (_request, bytes) => formFields(Buffer.from(bytes).toString('utf8')));
}

function parserOf(
  bodies: Bodies,
  read: (request: FastifyRequest, bytes: Uint8Array, hold: BodyHold) => unknown,
): FastifyContentTypeParser {
  return (request, _payload, done) => {
    bodies.receive(request, (error, bytes, hold) => {
      if (error !== null) {
        done(error);
        return;
      }
      let value: unknown;
      try {
        value = read(request, bytes, hold);
      } catch (failure) {
        done(asError(failure));
        return;
      }
      if (value instanceof Promise) hand(value, done);
      else done(null, value);
    });
  };
}

function hand(value: Promise<unknown>, done: (error: Error | null, value?: unknown) => void): void {
  value.then(
    (late) => done(null, late),
    (failure: unknown) => done(asError(failure)),
  );
}

function asError(failure: unknown): Error {
  return failure instanceof Error ? failure : new Error('unreadable body', { cause: failure });
}
