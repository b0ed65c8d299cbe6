import { HttpClient } from '../support/http-client.ts';
import { searchAnswer, untilIndexed } from '../support/search-index.ts';
import { TrellisProcess } from '../support/trellis-process.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const WORDS = ['harbour', 'harbours', 'lantern', 'compass', 'sextant', 'sails', 'the', 'anchor'];
const FACETS = { facets: ['Type', 'Tags', { time: 'day' }], take: 1_000 };
const REQUESTS = [
  { query: '' },
  { query: 'harbour' },
  { query: 'lantern compass sextant' },
  { query: '"the harbour"' },
  { query: 'sa*' },
  { query: 'sextnat anchor' },
  { query: 'anchor -lantern', filters: { Tags: 'b' }, types: ['Book'] },
].map((request) => ({ ...FACETS, ...request }));

const SETTINGS = {
  types: {
    Book: { language: 'en', fields: { Title: { text: { boost: 2 } }, Tags: { facet: true } } },
  },
};

export async function prepareLibrary(http: HttpClient, token: string): Promise<void> {
  await http.send({ method: 'PUT', path: '/api/schema', token, body: LIBRARY_SCHEMA });
  await http.send({ method: 'PUT', path: '/api/search/settings', token, body: SETTINGS });
}

/**
 * Books with words in their titles: some are new, some take the place of others, some are deleted.
 */
export function bookChanges(
  count: number,
  random: () => number,
  { words } = { words: 12 },
): object[] {
  const pick = (length: number): number => Math.floor(random() * length);
  const keys = new Set(Array.from({ length: count }, () => `b${pick(4 * count)}`));
  return [...keys].map((key) => {
    const fields = {
      Title: Array.from({ length: 1 + pick(words) }, () => WORDS[pick(WORDS.length)]).join(' '),
      Tags: ['a', 'b', 'c'].slice(pick(3)),
    };
    const timestamp = Date.UTC(2026, 0, 1 + pick(28));
    // What is deleted must be there: it is written without a title instead, which leaves as little
    // to be found.
    if (pick(5) === 0) return { op: 'addOrUpdate', type: 'Book', key, fields: { Title: null } };
    return { op: 'addOrUpdate', type: 'Book', key, fields, timestamp };
  });
}

/**
 * What the server of a storage folder answers to the same searches. It is stopped in good order
 * afterwards.
 */
export async function answersOf(
  storage: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly answers: readonly unknown[]; readonly log: string }> {
  await using server = await TrellisProcess.start({ storage, env });
  const http = new HttpClient(server.url);
  const token = await http.signIn();
  const answers = await searchesOn(http, token);
  await server.stop();
  return { answers, log: server.stderr };
}

export async function searchesOn(http: HttpClient, token: string): Promise<readonly unknown[]> {
  await untilIndexed(http, token);
  const answers: unknown[] = [];
  for (const request of REQUESTS) answers.push(await searchAnswer(http, token, request));
  return answers;
}
