import type { DefinitionsScene } from './definitions-scene.ts';
import { LIBRARY_SCHEMA } from './workspace.ts';

export const CODE = `export const input = z.object({ word: z.string() });
export default async ({ body }: Scope<typeof input>) => ({ word: body.word });
`;

export const MIGRATION = `export default async ({ log }: Scope) => log.info('moved');\n`;

/** Makes definitions of every kind, as an administrator does. */
export async function defineEverything(at: DefinitionsScene): Promise<void> {
  await at.ok('PUT', '/api/schema', LIBRARY_SCHEMA);
  await at.ok('PUT', '/api/workspace/settings', {
    name: 'Ours',
    fetchAllowList: ['https://api.example.com'],
  });
  const team = await at.ok('PUT', '/api/groups/group', { name: 'Editors' });
  await at.ok('PUT', '/api/access/types', {
    types: {
      Book: { visibleTo: 'restricted', fields: { Pages: { teams: [team.UID] }, Tags: {} } },
    },
  });
  await at.ok('PUT', '/api/search/settings', {
    types: {
      Book: {
        weight: 3,
        language: 'en',
        fields: { Title: { text: { boost: 2 } }, Tags: { facet: true } },
      },
    },
  });
  await at.ok('PUT', '/api/search/settings/llm', { nodeTypes: ['Book'], filters: ['Pages'] });
  const lists = { Synonyms: ['vehicle'], Alternates: ['auto'], Blocked: ['cart'] };
  await at.ok('PUT', '/api/search/synonyms/for?token=car&lang=en', lists);
  await at.ok('PUT', '/api/search/synonyms/for?token=IT&lang=--&ignoreCase=false', {
    Synonyms: ['computing'],
    Alternates: [],
    Blocked: [],
  });
  await at.ok('POST', '/api/endpoints/create', {
    name: 'words/lookup',
    code: CODE,
    isReadOnly: true,
    access: 'users',
    description: 'Looks a word up.',
  });
  await at.ok('POST', '/api/endpoints/create', { name: 'draft', code: 'let x: number = "";\r\n' });
  await at.ok('POST', '/api/chatai/tools', {
    name: 'lookup',
    description: 'Looks a word up.',
    endpoint: 'words/lookup',
    access: 'users',
  });
  const task = { name: 'Every night', cron: '0 3 * * *', endpoint: 'words/lookup' };
  await at.ok('POST', '/api/admin/tasks', { ...task, body: { word: 'night' }, enabled: false });
  await at.ok('POST', '/api/connectors', {
    name: 'Prices',
    source: { kind: 'csv', url: 'https://api.example.com/a.csv', type: 'Price', key: 'Sku' },
    schedule: { cron: '0 6 * * *', timeZone: 'Europe/Berlin' },
    enabled: false,
  });
  await at.ok('POST', '/api/migrations', { name: '001 titles', code: MIGRATION });
  await at.ok('POST', '/api/chatai/agents', {
    name: 'librarian',
    instructions: 'You are a librarian.\n\nAnswer in one sentence.',
    tools: ['lookup'],
    outputSchema: { type: 'object', properties: { z: { type: 'string' }, a: { type: 'number' } } },
  });
  await at.ok('POST', '/api/chatai/deep-research/settings', {
    limits: { steps: 20 },
    researchers: [{ name: 'Reader', instructions: 'Read.' }],
  });
  await at.ok('PUT', '/api/search/golden-sets/titles', {
    description: 'Titles',
    request: { types: ['Book'] },
    queries: [{ query: 'dune', relevant: ['1111111111111111111111'] }],
  });
  await defineGoldenAnswers(at);
}

async function defineGoldenAnswers(at: DefinitionsScene): Promise<void> {
  await at.ok('PUT', '/api/chatai/golden-sets/books', {
    description: 'Books',
    questions: [
      {
        id: 'author',
        question: 'Who wrote Dune?',
        nuggets: [
          { text: 'Herbert', importance: 'vital', uids: ['1111111111111111111111'] },
          { text: 'in 1965', importance: 'okay' },
        ],
        mustNotReveal: ['1111111111111111111111'],
      },
      { id: 'next', question: 'Who writes the next one?', asUser: 'admin', mustRefuse: true },
    ],
  });
}
