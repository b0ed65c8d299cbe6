import Fastify from 'fastify';
import { reachedBy } from './reached.ts';
import { describe, expect, it } from 'vitest';
import { CompressedAnswers } from './compressed-answers.ts';
import { EventStreams } from './live-answers.ts';
import { must } from '#base/assert.ts';
import { Bodies } from './body/bodies.ts';
import { jsonReader } from './body/read-body.ts';
import { formFields, registerRoutes } from './register-routes.ts';
import { HTTP_TIMEOUTS, type Route } from './route.ts';
import { routes } from './routes.ts';
import type { HttpServices } from './services.ts';
import { UnreadAnswers } from './unread-answers.ts';
import { FORM_FIELDS_MAX } from '#base/limits.ts';

async function register(table: readonly Route[]) {
  const app = Fastify();
  app.decorateRequest('caller', null);
  const context = {
    // No request comes as far as them.
    services: {} as HttpServices,
    timeouts: HTTP_TIMEOUTS,
    bodies: new Bodies({ readJson: jsonReader(app), strangerTimeoutMs: 1 }),
    streamingSockets: new WeakSet<object>(),
    eventStreams: new EventStreams(),
    compressedAnswers: new CompressedAnswers(),
    unreadAnswers: new UnreadAnswers(),
    onBrokenAnswer: () => {},
    securityHeaders: {},
    securityLines: '',
    reachedBy: reachedBy(null, null),
    corsOrigins: [],
    errorOf: () => ({ error: { code: 'internal_error', message: '' }, traceId: '' }),
  };
  await registerRoutes(app, table, context, { primaryAddress: null, minSequenceWaitMs: 1 });
  return app;
}

describe('what does not say who may call it', () => {
  const route = must(routes[0], 'a route');

  it('is not served as an operation', async () => {
    const operation = { ...route.operation };
    Reflect.deleteProperty(operation, 'auth');
    await expect(register([{ ...route, operation }])).rejects.toThrow('does not say who may call');
    Reflect.set(operation, 'auth', 'everybody');
    await expect(register([{ ...route, operation }])).rejects.toThrow('does not say who may call');
  });

  it('is not served beside the operations either', async () => {
    const app = await register(routes);
    expect(() => app.get('/debug', () => 'hello')).toThrow('does not say who may call');
    await app.close();
  });
});

const fields = (count: number) => Array.from({ length: count }, (_, i) => `f${i}=${i}`).join('&');

describe('a form', () => {
  it('is read by name, with all values of a name that comes more often', () => {
    expect(formFields('a=1&b=%20x+y&a=2&a=&c')).toEqual({ a: ['1', '2', ''], b: ' x y', c: '' });
  });

  it('may be empty', () => {
    expect(formFields('')).toEqual({});
  });

  it('sets no prototype', () => {
    const form = formFields('__proto__=x');
    expect(Object.getPrototypeOf(form)).toBe(Object.prototype);
    expect(Object.keys(form)).toEqual(['__proto__']);
  });

  it('has fields up to the limit, and not one more', () => {
    for (const count of [FORM_FIELDS_MAX - 1, FORM_FIELDS_MAX]) {
      expect(Object.keys(formFields(fields(count)))).toHaveLength(count);
    }
    expect(() => formFields(fields(FORM_FIELDS_MAX + 1))).toThrow(/more than 20 fields/);
  });
});
