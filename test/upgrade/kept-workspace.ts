import { nodeUid } from '@trellis/client/uid.ts';
import type { Call, HttpClient } from '../support/http-client.ts';

/** A request that an older version may not know. */
interface Step extends Pick<Call, 'method' | 'path' | 'body' | 'headers'> {
  readonly name: string;
}

const NODES = [
  { type: 'Author', key: 'Jane Austen', fields: { Born: 1775 } },
  {
    type: 'Book',
    key: 'b1',
    fields: {
      Title: 'Emma “ünïcode” 本 \u{1F4D6}',
      Pages: 474,
      Rating: 4.25,
      IsPrinted: true,
      Published: '1815-12-23T00:00:00.000Z',
      Tags: ['novel', '', 'comedy'],
    },
    aliases: ['the matchmaker'],
  },
  { type: 'Book', key: 'b2', fields: { Title: 'Sanditon' } },
  { type: 'Book', key: 'secret', fields: { Title: 'Letters' } },
];
const ref = (type: string, key: string) => ({ type, key });
const AUSTEN = ref('Author', 'Jane Austen');
const OPERATIONS = [
  ...NODES.map((node) => ({ op: 'addOrUpdate', ...node })),
  ...['b1', 'b2', 'secret'].map((key) => ({
    op: 'link',
    from: ref('Book', key),
    edge: 'WrittenBy',
    inverse: 'Wrote',
    to: AUSTEN,
  })),
  { op: 'update', type: 'Book', key: 'b2', fields: { Pages: 100 } },
  { op: 'delete', type: 'Book', key: 'never-there' },
];
const BY_AUTHOR = `export default async ({ body, q }: Scope<{ author: string }>) =>
  (await q().startAt('Author', body.author).out('Book', 'Wrote').nodes()).map(({ Title }) => Title).toSorted();
`;
const AS_ADMIN = { userName: 'ada', email: 'ada@example.org', password: 'correct horse battery' };

/** What fills a workspace, as far as the version that does it knows how. */
const WRITES: readonly Step[] = [
  {
    name: 'schema',
    method: 'PUT',
    path: '/api/schema',
    body: {
      nodes: [
        {
          type: 'Book',
          key: 'Isbn',
          label: 'Title',
          fields: {
            Title: 'String',
            Pages: 'Int',
            Rating: 'Float',
            IsPrinted: 'Bool',
            Published: 'Time',
            Tags: 'String[]',
          },
        },
        { type: 'Author', key: 'Name', fields: { Born: 'Int' } },
      ],
      edges: [
        { type: 'WrittenBy', inverse: 'Wrote' },
        { type: 'Wrote', inverse: 'WrittenBy' },
      ],
    },
  },
  { name: 'ingest', method: 'POST', path: '/api/ingest', body: { operations: OPERATIONS } },
  {
    name: 'endpoint',
    method: 'POST',
    path: '/api/endpoints/create',
    body: { name: 'books/by-author', code: BY_AUTHOR, isReadOnly: true },
  },
  { name: 'user', method: 'POST', path: '/api/users', body: AS_ADMIN },
  { name: 'team', method: 'PUT', path: '/api/groups/group', body: { name: 'Readers' } },
  {
    name: 'search settings',
    method: 'PUT',
    path: '/api/search/settings',
    body: { types: { Book: { language: 'en', fields: { Title: { text: {} } } } } },
  },
  {
    name: 'task',
    method: 'POST',
    path: '/api/admin/tasks',
    body: { name: 'yearly', cron: '@yearly', endpoint: 'books/by-author' },
  },
  {
    name: 'migration',
    method: 'POST',
    path: '/api/migrations',
    body: { name: '001', code: 'export default async () => 1;\n' },
  },
  {
    name: 'upload',
    method: 'POST',
    path: `/api/node/${nodeUid('Book', 'b1')}/uploads`,
    body: { name: 'emma.txt', size: 5, contentType: 'text/plain' },
  },
];

/**
 * What is read of it then, and must be read of it by every later version: it may say more, and
 * nothing else.
 */
const READS: readonly Step[] = [
  { name: 'schema', method: 'GET', path: '/api/schema' },
  { name: 'books', method: 'POST', path: '/api/node/query', body: { type: 'Book' } },
  { name: 'authors', method: 'POST', path: '/api/node/query', body: { type: 'Author' } },
  { name: 'node', method: 'GET', path: `/api/node/${nodeUid('Book', 'b1')}` },
  {
    name: 'endpoint runs',
    method: 'POST',
    path: '/api/endpoints/run/books/by-author',
    body: { author: 'Jane Austen' },
  },
  { name: 'users', method: 'GET', path: '/api/users?take=100' },
  { name: 'search settings', method: 'GET', path: '/api/search/settings' },
  { name: 'task', method: 'GET', path: '/api/admin/tasks/yearly' },
  { name: 'migration', method: 'GET', path: '/api/migrations/001' },
];

/** What a version answered: by the names of reads. */
export type Recorded = Readonly<Record<string, unknown>>;

/** Gives what was refused, by name and status. */
export async function fillWorkspace(http: HttpClient, token: string): Promise<string[]> {
  const refused: string[] = [];
  for (const { name, ...call } of WRITES) {
    const { status } = await http.send({ ...call, token });
    if (status >= 300) refused.push(`${name}: ${status}`);
  }
  return refused;
}

/** Leaves out what is not answered with 200. */
export async function readWorkspace(http: HttpClient, token: string): Promise<Recorded> {
  const answers: Record<string, unknown> = {};
  for (const { name, ...call } of READS) {
    const { status, json } = await http.send({ ...call, token });
    if (status === 200) answers[name] = json;
  }
  return answers;
}
