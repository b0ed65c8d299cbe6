import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorBody, errorCatalogue } from './errors.ts';
import { operations } from './operations.ts';
import { scopes, scopesOf } from './rights.ts';
import {
  ENDPOINT_CODE_BYTES_MAX,
  ENDPOINT_NAME_CHARACTERS_MAX,
  LIST_TAKE_DEFAULT,
  LIST_TAKE_MAX,
} from './limits.ts';
import { endpointCode, endpointName } from './shapes/endpoint.ts';
import { graphOperation } from './shapes/graph-operation.ts';
import { pageQuery } from './shapes/list.ts';
import { SCALAR_TYPES } from './field-types.ts';
import { fieldType } from './shapes/schema-document.ts';

const rows = operations.map((operation) => [operation.id, operation] as const);

describe('the table of operations', () => {
  it('has every id once, and every method and path once', () => {
    const ids = operations.map(({ id }) => id);
    const places = operations.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(places).size).toBe(places.length);
  });

  it.each(rows)('%s: the parameters of its path are those it checks', (_, { path, params }) => {
    const inPath = [...path.matchAll(/\{\+?(\w+)\}/g)].map((match) => match[1]);
    expect(Object.keys(params?.shape ?? {})).toEqual(inPath);
  });

  it.each(rows)('%s: every shape has a JSON Schema', (_, operation) => {
    const bodies = Object.values(operation.responses).map(({ body }) => body);
    const inputs = [operation.params, operation.query, operation.headers, operation.body];
    for (const schema of inputs)
      if (schema) expect(z.toJSONSchema(schema, { io: 'input' })).toBeDefined();
    for (const schema of bodies) if (schema) expect(z.toJSONSchema(schema)).toBeDefined();
  });

  it.each(rows)('%s: is told in one sentence, and answers success somehow', (_, operation) => {
    expect(operation.summary).toMatch(/^[A-Z].*\.$/);
    const statuses = Object.keys(operation.responses).map(Number);
    expect(statuses.some((status) => status < 400)).toBe(true);
    for (const { description } of Object.values(operation.responses)) {
      expect(description).toMatch(/^[A-Z].*\.$/);
    }
  });

  it.each(rows)('%s: names only scopes and errors that exist', (_, operation) => {
    const { errors } = operation;
    for (const scope of scopesOf(operation)) expect(Object.keys(scopes)).toContain(scope);
    for (const code of errors) expect(Object.keys(errorCatalogue)).toContain(code);
    expect(new Set(errors).size).toBe(errors.length);
  });

  it('asks nothing of the caller in these rows alone', () => {
    const open = operations.filter(({ auth }) => auth === 'none').map(({ id }) => id);
    // Written down once more on purpose: a row that opens by mistake is a leak.
    expect(open).toEqual([
      'createLogin',
      'resetPassword',
      'completePasswordReset',
      'getProtectedResource',
      'getMcpResource',
      'getAuthorizationServer',
      'registerOAuthClient',
      'authorizeOAuthClient',
      'createOAuthTokens',
      'revokeOAuthToken',
      'getLoginUrl',
      'completeLogin',
      'createSamlRequest',
      'consumeSamlResponse',
      'getSamlMetadata',
      'listLoginProviders',
      'exchangeLogin',
      'getReady',
      'getAvailableStatus',
      'getHealth',
      'getPrimaryHealth',
      'getReplicaHealth',
      'registerReplica',
    ]);
  });

  it.each(rows)('%s: a body only where the method has one', (id, { method, body }) => {
    const isBodiless = method === 'GET' || method === 'DELETE';
    // These name what is deleted in the body (open-shapes, sections 9 and 10).
    const namesInBody = id === 'deleteSchemaIndex' || id === 'deleteSchemaAlias';
    if (isBodiless && !namesInBody) expect(body).toBeUndefined();
    if (method === 'PUT') expect(body).toBeDefined();
  });
});

describe('the error catalogue', () => {
  it.each(Object.entries(errorCatalogue))('%s says what it is and what to do', (code, entry) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(entry.status).toBeGreaterThanOrEqual(400);
    expect(entry.status).toBeLessThan(600);
    expect(entry.title).toMatch(/^[A-Z].*[^.]$/);
    expect(entry.hint).toMatch(/^[A-Z].*\.$/);
  });

  it('has a body that holds nothing else', () => {
    const error = { code: 'x', message: 'y' };
    expect(errorBody.safeParse({ error, traceId: 't' }).success).toBe(true);
    expect(errorBody.safeParse({ error, traceId: 't', stack: 's' }).success).toBe(false);
  });
});

describe('shapes at their limits', () => {
  it('pages', () => {
    expect(pageQuery.parse({})).toEqual({ skip: 0, take: LIST_TAKE_DEFAULT });
    expect(pageQuery.parse({ skip: '7', take: String(LIST_TAKE_MAX) })).toEqual({
      skip: 7,
      take: LIST_TAKE_MAX,
    });
    for (const take of ['0', String(LIST_TAKE_MAX + 1), '', '-1', '1e2', ' 5', '5.0', ['1', '2']]) {
      expect(pageQuery.safeParse({ take }).success, String(take)).toBe(false);
    }
    expect(pageQuery.safeParse({ take: '1' }).success).toBe(true);
    expect(pageQuery.safeParse({ skip: '9'.repeat(16) }).success).toBe(false);
  });

  it('names of endpoints', () => {
    for (const name of [
      'a',
      'words/lookup-v2',
      'A_b.c-d/9',
      'x'.repeat(ENDPOINT_NAME_CHARACTERS_MAX),
    ]) {
      expect(endpointName.safeParse(name).success, name).toBe(true);
    }
    const bad = [
      '',
      '/a',
      'a/',
      'a//b',
      '..',
      'a/../b',
      '.a',
      '-a',
      'a~b',
      'a b',
      'a%2Fb',
      'é',
      'a\n',
      'a?',
    ];
    for (const name of [...bad, 'x'.repeat(ENDPOINT_NAME_CHARACTERS_MAX + 1)]) {
      expect(endpointName.safeParse(name).success, name).toBe(false);
    }
  });

  it('code of endpoints, in bytes and not in characters', () => {
    const twoBytes = 'é'.repeat(ENDPOINT_CODE_BYTES_MAX / 2);
    expect(endpointCode.safeParse(twoBytes).success).toBe(true);
    expect(endpointCode.safeParse(`${twoBytes}x`).success).toBe(false);
  });

  it('field types: every scalar, and a list of each', () => {
    expect(fieldType.options).toHaveLength(2 * SCALAR_TYPES.length);
    for (const scalar of SCALAR_TYPES) {
      expect(fieldType.safeParse(scalar).success).toBe(true);
      expect(fieldType.safeParse(`${scalar}[]`).success).toBe(true);
    }
    expect(fieldType.safeParse('String[][]').success).toBe(false);
  });

  it('operations of ingestion', () => {
    const node = { type: 'Word', key: 'dog' };
    const good: unknown[] = [
      { op: 'addOrUpdate', ...node, fields: { lemma: 'dog', gone: null }, timestamp: 0 },
      { op: 'link', from: node, edge: 'HasSense', to: { uid: 'u' }, inverse: 'SenseOf' },
      { op: 'unlinkExcept', from: node, edge: 'HasSense', keep: [{ uid: 'u' }] },
      { op: 'delete', ...node, ifVersion: 0 },
    ];
    for (const operation of good) expect(graphOperation.safeParse(operation).success).toBe(true);
    const bad: unknown[] = [
      { op: 'upsert', ...node },
      { op: 'link', from: node, edge: 'HasSense' },
      { op: 'link', from: { ...node, uid: 'u' }, edge: 'e', to: node },
      { op: 'update', ...node, field: {} },
    ];
    for (const operation of bad) expect(graphOperation.safeParse(operation).success).toBe(false);
  });
});
