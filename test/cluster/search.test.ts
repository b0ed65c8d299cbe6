import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer, HttpClient } from '../support/http-client.ts';
import { untilIndexed } from '../support/search-index.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { Cluster, type ClusterNode } from './cluster.ts';
import type { Link } from './link.ts';
import { sequenceOf } from './workload.ts';

/** Six thousand searches, while other tests run. */
const TIMEOUT_MS = 600_000;
const QUERIES = 1_000;
const QUERIES_OF_CALL = 250;
const COMMITS = 12;
const CHANGES = 150;
const SCHEMA = {
  nodes: [
    {
      type: 'Note',
      key: 'Name',
      label: 'Title',
      fields: { Title: 'String', Text: 'String', Tags: 'String[]', Place: 'Float[]' },
    },
    { type: 'Place', key: 'Name', fields: {} },
  ],
  edges: [
    { type: 'About', inverse: 'Described' },
    { type: 'Described', inverse: 'About' },
  ],
};
const SEARCHES = `export default async function ({ body, search }: Scope<typeof input>) {
  const answers = [];
  for (const request of body.requests) {
    const { tookMs, ...answer } = await search(request as SearchRequest);
    answers.push(answer);
  }
  return answers;
}
export const input = z.strictObject({ requests: z.array(z.looseObject({})) });
`;

const random = seededRandom(1);
const pick = (length: number): number => Math.floor(random() * length);
const SYLLABLES = ['ha', 'lan', 'com', 'sex', 'bour', 'tern', 'pass', 'tant', 'an', 'chor'];
const WORDS = Array.from({ length: 150 }, () =>
  Array.from({ length: 2 + pick(3) }, () => SYLLABLES[pick(SYLLABLES.length)]).join(''),
);
/** The first words come the most often. */
const word = (): string => WORDS[Math.floor(WORDS.length * random() ** 3)] ?? '';
const place = (): number[] => Array.from({ length: 16 }, () => random() - 0.4);
const text = (length: number): string => Array.from({ length: 1 + pick(length) }, word).join(' ');

let cluster: Cluster;
let primary: ClusterNode;
let replica: ClusterNode;
let link: Link;
let token: string;
let sequence = 0;

beforeAll(async () => {
  cluster = await Cluster.create();
  primary = await cluster.node('primary');
  await primary.startPrimary();
  token = await primary.http.signIn();
  await change('PUT', '/api/schema', SCHEMA);
  await change('PUT', '/api/search/settings', settings(3));
  await change('POST', '/api/endpoints/create', {
    name: 'searches',
    code: SEARCHES,
    isReadOnly: true,
  });
  link = await cluster.link(primary);
  replica = await cluster.node('replica');
  await replica.startReplica(link);
  for (let i = 0; i < COMMITS; i++) await change('POST', '/api/ingest', { operations: changes() });
});
afterAll(() => cluster[Symbol.asyncDispose]());

async function change(method: string, path: string, body: unknown): Promise<void> {
  const answer: Answer = await primary.http.send({ method, path, token, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  sequence = Math.max(sequence, sequenceOf(answer));
}

function settings(boost: number): object {
  const fields = {
    Title: { text: { boost } },
    Text: { text: { boost: 1 } },
    Tags: { facet: true },
    Place: { vector: {} },
  };
  return { types: { Note: { language: 'en', fields } } };
}

/** Notes that are new or take the place of others, each about a place. */
function changes(): object[] {
  const keys = new Set(Array.from({ length: CHANGES }, () => `n${pick(600)}`));
  return [...keys].flatMap((key) => [
    {
      op: 'addOrUpdate',
      type: 'Note',
      key,
      fields: {
        Title: text(4),
        Text: text(40),
        Tags: ['a', 'b', 'c', 'd'].slice(pick(4)),
        Place: place(),
      },
      timestamp: Date.UTC(2026, pick(12), 1 + pick(28)),
    },
    { op: 'addOrUpdate', type: 'Place', key: `p${pick(9)}` },
  ]);
}

const QUERY_KINDS: readonly (() => object)[] = [
  () => ({ query: word() }),
  () => ({ query: `${word()} ${word()}` }),
  () => ({ query: `${word()} ${word()} ${word()} ${word()}` }),
  () => ({ query: `${word()} OR ${word()} OR ${word()}` }),
  () => ({ query: `"${word()} ${word()}"` }),
  () => ({ query: `${word().slice(0, 4)}*` }),
  () => ({ query: `${word().slice(1)} ${word()}x`, fuzziness: pick(3) }),
  () => ({ query: `Title:${word()} -${word()}` }),
  () => ({ query: word(), filters: { Tags: 'd' }, types: ['Note'] }),
  () => ({ query: word(), sort: pick(2) === 0 ? 'recent' : 'oldest', skip: pick(5) }),
  () => ({ query: '', sort: 'oldest', skip: pick(300) }),
  () => ({ vector: place(), mode: 'vector', similarityMin: random() / 2 }),
  () => ({ query: `${word()} ${word()}`, vector: place(), mode: 'hybrid', weight: random() }),
  () => ({ query: word(), vector: place(), mode: 'hybrid', ranking: 'rrf', skip: pick(20) }),
];

const REQUESTS = Array.from({ length: QUERIES }, (_, i) => ({
  ...QUERY_KINDS[i % QUERY_KINDS.length]?.(),
  facets: i % 3 === 0 ? ['Type', 'Tags', { time: 'month' }] : [],
  explain: i % 7 === 0,
}));

async function answersOf(http: HttpClient): Promise<readonly unknown[]> {
  await untilIndexed(http, token, sequence);
  const answers: unknown[] = [];
  for (let i = 0; i < QUERIES; i += QUERIES_OF_CALL) {
    const body = { requests: REQUESTS.slice(i, i + QUERIES_OF_CALL) };
    const answer = await http.send({ path: '/api/endpoints/run/searches', token, body });
    expect(answer.status, answer.text).toBe(200);
    answers.push(...(answer.json as unknown[]));
  }
  return answers;
}

async function expectSameAnswers(): Promise<readonly unknown[]> {
  const there = await answersOf(primary.http);
  const here = await answersOf(replica.http);
  for (const [i, request] of REQUESTS.entries()) {
    expect(here[i], JSON.stringify(request)).toEqual(there[i]);
  }
  return there;
}

test(
  'a replica finds what the primary finds, in the same order and with the same scores',
  async () => {
    const before = await expectSameAnswers();
    const found = before.filter((answer) => Object(answer).total > 0);
    expect(found.length).toBeGreaterThan(QUERIES / 2);
    // The settings are data: each node builds its index again from them.
    await change('PUT', '/api/search/settings', settings(9));
    // The line that follows the notice `LoadNewIndexOnReplica` (specification, section 3.1).
    await replica.process.waitForLine(/the search index builds what is new to be searched: Note/);
    expect(await expectSameAnswers()).not.toEqual(before);
    // It goes on from the index that it has kept.
    expect(await replica.process.stop()).toMatchObject({ code: 0 });
    await change('POST', '/api/ingest', { operations: changes() });
    await replica.startReplica(link);
    await expectSameAnswers();
    expect(replica.process.log).not.toContain('the search index is built anew');
  },
  TIMEOUT_MS,
);
