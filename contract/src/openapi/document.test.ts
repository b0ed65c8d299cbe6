import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorCatalogue, isOAuthPath, oauthErrorOf } from '../errors.ts';
import type { CatalogueEntry } from '../errors/entry.ts';
import { operations } from '../operations.ts';
import { webhookMessage } from '../shapes/webhook.ts';
import { areas, openApiDocument } from './document.ts';
import { isJsonObject, mapObjects, type JsonSchema } from './shape-schemas.ts';
import { namedShapes, SHAPE_FILES } from './named-shapes.ts';
import { webhookExample } from './outgoing.ts';

const document = openApiDocument('1.2.3');

interface Described {
  readonly operationId: string;
  readonly parameters: readonly JsonSchema[];
  readonly responses: Readonly<Record<string, JsonSchema>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly requestBody?: { readonly required: boolean; readonly content: JsonSchema };
}

function described(id: string): Described {
  const all = Object.values(document.paths).flatMap((item) => Object.values(item)) as Described[];
  const found = all.find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(`${id} is not described`);
  return found;
}

function parameter(id: string, name: string): JsonSchema | undefined {
  return described(id).parameters.find((one) => one['name'] === name);
}

/** What references lead to. */
function resolved(value: JsonSchema): JsonSchema {
  const { $ref } = value;
  if (typeof $ref !== 'string') return value;
  const steps = $ref.slice(2).split('/');
  const target = steps.reduce<unknown>((at, step) => Object(at)[step], document);
  if (!isJsonObject(target)) throw new Error(`${$ref} leads nowhere`);
  return target;
}

describe('the document', () => {
  it('has every operation under its path and method, and no other', () => {
    const places = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const expected = operations.map(({ method, path }) => `${method} ${path.replace('{+', '{')}`);
    expect(places.toSorted()).toEqual(expected.toSorted());
  });

  it('has no reference that leads nowhere, and no component that nothing leads to', () => {
    const used = new Set<string>();
    mapObjects(document, (object) => {
      if (typeof object['$ref'] === 'string') {
        resolved(object);
        used.add(object['$ref']);
      }
      return object;
    });
    const made = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, all]) => Object.keys(all).map((name) => `#/components/${kind}/${name}`));
    expect(made.filter((name) => !used.has(name))).toEqual([]);
  });

  it('is the same each time', () => {
    expect(JSON.stringify(openApiDocument('1.2.3'))).toBe(JSON.stringify(document));
  });

  it('says what each area is about', () => {
    expect(new Set(operations.map(({ area }) => area))).toEqual(new Set(Object.keys(areas)));
  });
});

describe('shapes', () => {
  it('are taken from every file there is', () => {
    const files = readdirSync(join(import.meta.dirname, '../shapes'))
      .map((file) => file.replace(/\.ts$/, ''))
      .filter((file) => file !== 'list' && file !== 'editor');
    expect(Object.keys(SHAPE_FILES).toSorted()).toEqual(files.toSorted());
  });

  it('have names, which stay: generated clients have types of these names', () => {
    expect([...namedShapes().keys()]).toEqual(
      expect.arrayContaining(['ErrorBody', 'NodeObject', 'EndpointDefinition', 'GraphOperation']),
    );
  });

  it('are told apart where what is sent may leave out what is answered', () => {
    const { schemas } = document.components;
    const settings = { SearchSettings: expect.anything(), SearchSettingsInput: expect.anything() };
    expect(schemas).toMatchObject(settings);
    expect(schemas).not.toHaveProperty('NewEndpointInput');
    const { requestBody } = described('putSearchSettings');
    expect(JSON.stringify(requestBody)).toContain('#/components/schemas/SearchSettingsInput');
  });
});

describe('parameters', () => {
  it('are what is meant, although all of them travel as text', () => {
    expect(parameter('listUsers', 'take')).toMatchObject({
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 50 },
    });
    expect(parameter('putSynonyms', 'replace')).toMatchObject({
      schema: { type: 'boolean', default: true },
    });
    expect(parameter('downloadLogs', 'fileNames')).toMatchObject({
      explode: false,
      schema: { type: 'array', items: { type: 'string' } },
    });
    expect(parameter('listSynonyms', 'x-msk-skip')).toMatchObject({ in: 'header' });
    expect(parameter('getEndpoint', 'name')).toMatchObject({ in: 'path', required: true });
    expect(parameter('explainAccess', 'user')).toMatchObject({ required: true });
  });
});

describe('bodies', () => {
  it('are of every media type that is taken', () => {
    const types = (id: string) => Object.keys(described(id).requestBody?.content ?? {});
    expect(types('ingest')).toEqual(['application/json', 'application/x-ndjson']);
    expect(types('putInterface')).toEqual(['application/zip']);
    expect(types('uploadAdminAgentFile')).toEqual(['multipart/form-data']);
    expect(types('consumeSamlResponse')).toEqual(['application/x-www-form-urlencoded']);
    expect(types('getNode')).toEqual([]);
  });

  it('need not be there where the operation does without', () => {
    expect(described('runEndpoint').requestBody?.required).toBe(false);
    expect(described('queryNodes').requestBody?.required).toBe(true);
    expect(described('putInterface').requestBody?.required).toBe(true);
  });
});

describe('answers', () => {
  it.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s: every status of its row, and every code with its status',
    (id, operation) => {
      const { responses } = described(id);
      for (const status of Object.keys(operation.responses))
        expect(responses).toHaveProperty(status);
      for (const code of operation.errors) {
        const { status, retryAfterSeconds }: CatalogueEntry = errorCatalogue[code];
        const answer = resolved(responses[status] ?? {});
        const word = isOAuthPath(operation.path)
          ? oauthErrorOf(code, id === 'registerOAuthClient')
          : code;
        expect(JSON.stringify(answer['content']), code).toContain(`"${word}"`);
        expect(answer['description'], code).toContain(`\`${code}\``);
        if (retryAfterSeconds !== undefined) expect(answer).toHaveProperty('headers.Retry-After');
      }
      expect('303' in responses, 'leads to the primary').toBe(
        operation.onReplica === 'redirect' || '303' in operation.responses,
      );
    },
  );

  it('are of their own media types', () => {
    const types = (id: string, status: string) =>
      Object.keys(Object(resolved(described(id).responses[status] ?? {})['content']));
    expect(types('downloadCsv', '200')).toEqual(['text/csv']);
    expect(types('downloadZip', '200')).toEqual(['application/zip']);
    expect(types('watchJob', '200')).toEqual(['text/event-stream']);
    expect(types('getAvailableStatus', '503')).toEqual(['text/plain', 'application/json']);
    expect(types('sendChatMessage', '200')).toEqual(['application/json', 'text/event-stream']);
    expect(types('deactivateUser', '204')).toEqual([]);
  });

  it('carry their headers', () => {
    expect(described('runEndpoint').responses['202']).toHaveProperty('headers.MSK-ENDPOINT-KEY');
    expect(described('getNode').responses['200']).toHaveProperty('headers.X-MSK-Sequence');
    expect(described('getLoginUrl').responses['200']).toHaveProperty('headers.Set-Cookie');
    expect(resolved(described('getNode').responses['401'] ?? {})).toHaveProperty(
      'headers.WWW-Authenticate',
    );
  });

  it('of the router are errors as the clients of its protocols read them', () => {
    const text = JSON.stringify(resolved(described('createMessage').responses['401'] ?? {}));
    expect(text).toContain('#/components/schemas/RouterErrorBody');
  });
});

describe('who may call', () => {
  it.each<[string, object[]]>([
    ['createLogin', []],
    ['checkLogin', [{ session: [] }]],
    ['listTokens', [{ session: ['admin'] }]],
    ['createToken', [{ session: ['admin-write'] }]],
    ['putSynonyms', [{ session: ['admin-write'] }, { session: ['CanManageSynonyms'] }]],
    ['callMcp', [{ session: [] }, { mcpToken: [] }]],
    ['createMessage', [{ llmAnthropicToken: [] }, { llmAnthropicKey: [] }]],
    [
      'getNode',
      [
        { session: [] },
        { apiToken: ['read'] },
        { connectorToken: ['read'] },
        { automationToken: ['read'] },
      ],
    ],
  ])('%s', (id, security) => {
    expect(described(id).security).toEqual(security);
  });

  it('is told by schemes that are explained', () => {
    const { securitySchemes = {} } = document.components;
    const used = operations.flatMap(({ id }) => described(id).security.flatMap(Object.keys));
    expect(new Set(Object.keys(securitySchemes))).toEqual(new Set(used));
  });
});

describe('what the server sends', () => {
  it('is a request with its headers and its shape, of which the example is one', () => {
    expect(document.webhooks).toMatchObject({
      graphChanged: {
        post: {
          parameters: [
            { name: 'webhook-id', in: 'header' },
            { name: 'webhook-timestamp', in: 'header' },
            { name: 'webhook-signature', in: 'header' },
          ],
          requestBody: {
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/WebhookMessage' } },
            },
          },
        },
      },
    });
    expect(document.components['schemas']).toHaveProperty('WebhookNodeChange');
    expect(webhookMessage.parse(webhookExample)).toEqual(webhookExample);
  });
});
