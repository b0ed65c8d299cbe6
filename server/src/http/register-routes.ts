import multipart from '@fastify/multipart';
import type {
  FastifyContentTypeParser,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import { budgetKey, type Caller } from '#access/caller.ts';
import { assert } from '#base/assert.ts';
import { turns } from '#base/turns.ts';
import { createGate, type Gate, type GateOptions } from './gate.ts';
import { REQUEST_ID } from './headers.ts';
import { answeredLive, LiveAnswer } from './live-answers.ts';
import { routerPath } from './path-template.ts';
import type { Route, RouteContext } from './route.ts';
import { refuseFormsWithoutSaml } from './sign-in-route.ts';
import { refuseNoZip, UPLOAD_OPTIONS, ZIP_TYPES } from './upload-route.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import type { Bodies } from './body/bodies.ts';
import type { BodyHold } from './body/read-body.ts';
import { SCIM_MEDIA_TYPE } from '@trellis/contract/shapes/scim.ts';
import { FORM_FIELDS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';

const INTAKES = [
  'json',
  'scim',
  'text',
  'form',
  'stream',
  'bytes',
  'zip',
  'multipart',
  'archive',
] as const;

const AUTHS: ReadonlySet<string> = new Set(['none', 'session', 'admin', 'admin-write', 'token']);

/**
 * Registers every route with its gate, each intake in a scope of its own with its own body
 * parsers.
 */
export async function registerRoutes(
  app: FastifyInstance,
  routes: readonly Route[],
  context: RouteContext,
  gateOptions: GateOptions,
): Promise<void> {
  app.removeAllContentTypeParsers();
  refuseUndeclaredRoutes(app);
  for (const intake of INTAKES) {
    const own = routes.filter((route) => route.intake === intake);
    // Scopes are made one after the other, in the order of registration.
    await app.register(async (scope) => {
      await addParsers[intake](scope, context);
      for (const route of own) register(scope, route, context, gateOptions);
    });
  }
}

function register(
  scope: FastifyInstance,
  { operation, intake, answersRaw, handle }: Route,
  context: RouteContext,
  gateOptions: GateOptions,
): void {
  const gate = createGate(operation, context.services, gateOptions);
  const putHeaders: Gate = (request, reply, done) => {
    reply.headers(context.securityHeaders).header(REQUEST_ID, request.id);
    done();
  };
  scope.route({
    method: operation.method,
    url: routerPath(operation),
    config: { operation },
    onRequest:
      answersRaw === true ? gate : [putHeaders, gate, ...afterGate(operation, intake, context)],
    handler: (request, reply) => {
      if (request.caller === null) return handle(request, reply, context);
      const live = new LiveAnswer(request, reply, context.services.running, operation);
      request.live = live;
      if (answersRaw === true) return answeredLive(live, () => handle(request, reply, context));
      const { caller } = request;
      return answeredLive(live, () => {
        const turn = turns.enter(budgetKey(caller));
        const answer = () => handle(request, reply, context);
        return turn === undefined ? answer() : turn.then(answer);
      });
    },
  });
}

/** The checks after the gate that need only the headers. */
function afterGate(
  { area }: Operation,
  intake: Route['intake'],
  { services }: RouteContext,
): Gate[] {
  if (intake === 'form' && area === 'sso') return [refuseFormsWithoutSaml(services)];
  return intake === 'archive' ? [refuseNoZip] : [];
}

/**
 * Denies by default: a route that does not say who may call it is not served. Only the preflight of
 * CORS is excepted.
 */
function refuseUndeclaredRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (method === 'OPTIONS' && url === '*') return;
    const auth = config?.operation?.auth;
    assert(
      auth !== undefined && AUTHS.has(auth),
      `${String(method)} ${url} does not say who may call it`,
    );
  });
}

const addParsers = {
  json(scope: FastifyInstance, { bodies }: RouteContext): void {
    scope.addContentTypeParser('application/json', jsonParser(bodies));
  },
  scim(scope: FastifyInstance, { bodies }: RouteContext): void {
    scope.addContentTypeParser([SCIM_MEDIA_TYPE, 'application/json'], jsonParser(bodies));
  },
  text(scope: FastifyInstance, { bodies }: RouteContext): void {
    scope.addContentTypeParser('application/json', textParser(bodies));
  },
  form(scope: FastifyInstance, { bodies }: RouteContext): void {
    scope.addContentTypeParser('application/x-www-form-urlencoded', formParser(bodies));
  },
  stream(scope: FastifyInstance): void {
    scope.addContentTypeParser(
      ['application/json', 'application/x-ndjson'],
      (_request, payload, done) => done(null, payload),
    );
  },
  bytes(scope: FastifyInstance): void {
    const type = 'application/octet-stream';
    scope.addContentTypeParser(type, (_request, payload, done) => done(null, payload));
  },
  zip(scope: FastifyInstance): void {
    scope.addContentTypeParser('application/zip', (_request, payload, done) => done(null, payload));
  },
  async multipart(scope: FastifyInstance): Promise<void> {
    await scope.register(multipart, UPLOAD_OPTIONS);
  },
  async archive(scope: FastifyInstance): Promise<void> {
    await scope.register(multipart, UPLOAD_OPTIONS);
    scope.addContentTypeParser([...ZIP_TYPES], (_request, payload, done) => done(null, payload));
  },
} as const;

/** Parses a whole JSON body. */
function jsonParser(bodies: Bodies): FastifyContentTypeParser {
  return parserOf(bodies, (request, bytes, hold) => bodies.json(request, bytes, hold));
}

/** Gives a whole JSON body as text; null when there is none. */
function textParser(bodies: Bodies): FastifyContentTypeParser {
  return parserOf(bodies, (_request, bytes, hold) =>
    bytes.length === 0 ? null : bodies.text(bytes, hold),
  );
}

function formParser(bodies: Bodies): FastifyContentTypeParser {
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

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The row of the contract that the route serves; nothing is registered without one. */
    operation?: Operation;
  }
  interface FastifyRequest {
    /** Set before the body is read, on every route that asks who is calling. */
    caller: Caller | null;
    /** Set before the body is read. The budget for the body is held until it closes. */
    response: FastifyReply['raw'] | null;
    /** Set once a request with a caller is handled. */
    live: LiveAnswer | null;
  }
}
