import { z } from 'zod';
import { type Area, bodyBytesMaxOf, type Operation, responseHeaders } from '../operation.ts';
import { operations } from '../operations.ts';
import { requestExample, withExample } from './examples/examples.ts';
import { outgoingRequests } from './outgoing.ts';
import { parametersOf, sharedParameters } from './parameters.ts';
import { PRIMARY_REDIRECT, PRIMARY_REDIRECT_NAME, Responses } from './responses.ts';
import { securityOf, securitySchemes } from './security.ts';
import { type JsonSchema, ShapeSchemas } from './shape-schemas.ts';

/** What the groups of operations are about, in the order of a reader. */
export const areas: Readonly<Record<Area, string>> = {
  login: 'Sign in and out, and passwords.',
  sso: 'Sign-in at identity providers: OpenID Connect and SAML.',
  oauth: 'Access that users give to MCP clients: OAuth 2.1.',
  users: 'People: their names, roles and preferences; making, changing and deactivating them.',
  teams: 'Teams: their members, which may be teams, too, and who administers them.',
  scim: 'Users and teams, as identity providers keep them: SCIM 2.0.',
  tokens: 'Tokens for programs: what each may do, until when, and taking it back.',
  access: 'Who may see and write what: rules for types and fields, for single nodes, and why.',
  audit: 'Who did what, when, and from where; refused attempts, too.',
  workspace: 'Settings of the workspace, and custom interfaces.',
  schema: 'Types of nodes and edges, their fields, and the indexes over these.',
  ingest: 'Many changes at once, by programs: create, change, delete, link and restrict nodes.',
  nodes: 'Read nodes, write them one by one, and download them.',
  duplicates: 'Nodes that may be one thing: find, merge and split them.',
  documents: 'Nodes and edges that are read out of files and texts: propose and approve them.',
  files: 'Files of nodes, and their text.',
  search: 'Settings of search, synonyms, what is similar, and how good search is.',
  endpoints: 'Custom endpoints: make them, run them.',
  modules: 'Code that endpoints, migrations and other modules import.',
  build: 'All code of the workspace: what compiles, and its types.',
  'code-history':
    'Versions of endpoints, modules and migrations: who changed what, and the way back.',
  assistant: 'Chat, agents, tools, deep research and the admin agent.',
  llm: "The LLM router, in OpenAI's and Anthropic's protocols.",
  jobs: 'Long pieces of work: how far they are, how they ended, and cancelling them.',
  backups: 'Backups of the workspace: make, list, verify and delete them.',
  tasks: 'What the server runs by itself, when, and how it went.',
  triggers: 'Endpoints that changes of nodes run, and the changes for which they failed.',
  webhooks: 'Addresses that are told what changes, and what was delivered to them.',
  connectors: 'Sources that the server brings into the workspace: set up, test, run, see changes.',
  migrations: 'Code that changes the data once: try it, run it, and see how it went.',
  stats: 'Counts of nodes and calls, the log, and the load of the server.',
  replicas: 'Replicas, and whether they hold the same.',
  status: 'Whether the server is up, ready and well.',
};

/** The tag of custom endpoints, each an operation of its own. */
export const ENDPOINTS_TAG = 'custom endpoints';

/** An OpenAPI document, version 3.1. */
export interface OpenApiDocument extends JsonSchema {
  readonly openapi: string;
  readonly info: object;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  /** What the server sends to others, by name. */
  readonly webhooks: Readonly<Record<string, object>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

const DESCRIPTION = `\
The REST API of a Trellis workspace. Every answer of JSON carries \`X-MSK-Sequence\`, every error the same body with a stable \`code\`. \
Lists take \`skip\` and \`take\`: go on until a page has fewer than \`take\` items. On a replica what only the primary does answers 303.

The WebSocket at \`/api/ws\` is beside this document: it tells signed-in browsers of changes.`;

/**
 * Makes the document of the whole table of operations. It takes a tenth of a second, so that it
 * gives way after each operation: whoever has other things to do goes on later.
 */
export function* makeDocument(version: string): Generator<void, OpenApiDocument> {
  const schemas = new ShapeSchemas();
  const responses = new Responses(schemas);
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = pathOf(operation);
    paths[path] ??= {};
    paths[path][operation.method.toLowerCase()] = describe(operation, schemas, responses);
    yield;
  }
  const webhooks = outgoingRequests(schemas);
  const made = { paths, webhooks, responses: responses.components };
  const { whole, components } = schemas.settle(made);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trellis',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(areas).map(([name, description]) => ({ name, description })),
    paths: whole.paths,
    webhooks: whole.webhooks,
    components: {
      schemas: components,
      parameters: sharedParameters,
      headers: headerComponents(),
      responses: { ...whole.responses, [PRIMARY_REDIRECT_NAME]: PRIMARY_REDIRECT },
      securitySchemes: securitySchemes(),
    },
  };
}

/** The same at once. */
export function openApiDocument(version: string): OpenApiDocument {
  const steps = makeDocument(version);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * OpenAPI knows parameters of one segment only: the rest of a path is one, with its slashes encoded
 * where they must be.
 */
function pathOf({ path }: Operation): string {
  return path.replace('{+', '{');
}

function describe(
  operation: (typeof operations)[number],
  schemas: ShapeSchemas,
  responses: Responses,
): object {
  const { id, area, summary } = operation;
  const body = requestBody(operation, schemas);
  return {
    operationId: id,
    tags: [area],
    summary,
    ...(operation.onReplica === 'serve' ? {} : { description: 'Only the primary does it.' }),
    parameters: parametersOf(operation, schemas),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responses.of(operation),
    security: securityOf(operation),
  };
}

function requestBody(operation: Operation, schemas: ShapeSchemas): object | undefined {
  const { body, documentedBody = body, consumes = ['application/json'] } = operation;
  if (body === undefined || documentedBody === undefined) return undefined;
  // Generators take the first; a form is what they send files with.
  const isForm = (type: string): boolean => type === 'multipart/form-data';
  const ordered = consumes.toSorted((a, b) => Number(isForm(b)) - Number(isForm(a)));
  const contents = ordered.map((type) => {
    if (type === 'application/zip') return [type, { schema: BYTES }] as const;
    if (type === 'multipart/form-data') return [type, FORM_OF_ONE_FILE] as const;
    if (type === 'application/x-ndjson') return [type, LINES] as const;
    return [type, { schema: schemas.of(documentedBody, 'input') }] as const;
  });
  const isOptional = !(body instanceof z.ZodFile) && body.safeParse(undefined).success;
  return {
    required: !isOptional,
    content: withExample(Object.fromEntries(contents), requestExample(operation)?.body),
    // Only a body that is taken as a whole has this limit.
    ...(WHOLE.some((type) => consumes.includes(type))
      ? { 'x-max-bytes': bodyBytesMaxOf(operation) }
      : {}),
  };
}

const WHOLE = ['application/json', 'application/x-www-form-urlencoded'] as const;

const BYTES = { type: 'string', format: 'binary' };

const FORM_OF_ONE_FILE = {
  schema: {
    type: 'object',
    properties: { file: { description: 'The file, with its name; nothing else.', ...BYTES } },
    required: ['file'],
    additionalProperties: false,
  },
};

const LINES = {
  schema: {
    type: 'string',
    description: 'A `GraphOperation` on each line. Each 10,000 lines are a commit.',
  },
};

function headerComponents(): Record<string, object> {
  const numbers = ['X-MSK-Sequence', 'Retry-After', 'Age'];
  return Object.fromEntries(
    Object.entries(responseHeaders).map(([name, description]) => [
      name,
      {
        description,
        schema: numbers.includes(name) ? { type: 'integer', minimum: 0 } : { type: 'string' },
      },
    ]),
  );
}
