import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { EventStreams } from './event-streams.ts';
import { must } from '#base/assert.ts';
import { Bodies } from './body/bodies.ts';
import { jsonReader } from './body/read-body.ts';
import { registerRoutes } from './register-routes.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import type { HttpServices } from './services.ts';
import { UnreadAnswers } from './unread-answers.ts';

const TIMEOUTS = {
  headers: 1,
  strangerBody: 1,
  request: 1,
  streamIdle: 1,
  linger: 1,
  minSequenceWait: 1,
  silentConnection: 1,
  stopGrace: 1,
  webSocketSignIn: 1,
  answerUnread: 1_000,
  eventStreamHeartbeat: 1_000,
  webSocketPing: 1,
  webSocketSessionCheck: 1,
};

async function register(table: readonly Route[]) {
  const app = Fastify();
  app.decorateRequest('caller', null);
  const context = {
    // No request comes as far as them.
    services: {} as HttpServices,
    timeouts: TIMEOUTS,
    bodies: new Bodies({ readJson: jsonReader(app), strangerTimeoutMs: 1 }),
    streamingSockets: new WeakSet<object>(),
    eventStreams: new EventStreams(),
    unreadAnswers: new UnreadAnswers(),
    onBrokenAnswer: () => {},
    securityHeaders: {},
    securityLines: '',
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
