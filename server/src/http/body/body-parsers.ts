import type { FastifyContentTypeParser, FastifyRequest } from 'fastify';
import type { Bodies } from './bodies.ts';
import type { BodyHold } from './body-budget.ts';
import { FORM_FIELDS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';

/** Parses a whole JSON body. */
export function jsonParser(bodies: Bodies): FastifyContentTypeParser {
  return parserOf(bodies, (request, bytes, hold) => bodies.json(request, bytes, hold));
}

/** Gives a whole JSON body as text; null when there is none. */
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

/**
 * The fields of a form by name. A name that comes twice has a list of values, which fails where a
 * text is expected. Throws `invalid_request` for too many fields before it parses any.
 */
export function formFields(text: string): Record<string, string | string[]> {
  let separators = 0;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    if (++separators >= FORM_FIELDS_MAX) throw tooMany();
  }
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields.get(name);
    if (before === undefined) fields.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else fields.set(name, [before, value]);
  }
  return Object.fromEntries(fields);
}

function tooMany(): Problem {
  const message = `has more than ${FORM_FIELDS_MAX} fields`;
  return new Problem('invalid_request', `The form ${message}.`, {
    details: { fields: [{ path: '', message }] },
  });
}
