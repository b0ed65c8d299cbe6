import { valueAt } from './http-client.ts';
import { People } from './people.ts';
import { untilIndexed } from './search-index.ts';

const SCHEMA = {
  nodes: [
    {
      type: 'Note',
      key: 'Name',
      label: 'Title',
      fields: {
        Title: 'String',
        Text: 'String',
        Tags: 'String[]',
        Secret: 'String',
        Code: 'String',
        Near: 'Float[]',
        Inner: 'Double[]',
      },
    },
    { type: 'Place', key: 'Name', label: 'Title', fields: { Title: 'String' } },
    { type: 'Plan', key: 'Name', fields: { Title: 'String', Tags: 'String[]', Far: 'Float[]' } },
  ],
  edges: [
    { type: 'About', inverse: 'Described' },
    { type: 'Described', inverse: 'About' },
  ],
};
const text = { text: { boost: 1 } };
const SETTINGS = {
  types: {
    Note: {
      language: 'en',
      fields: {
        Title: { text: { boost: 3 } },
        Text: text,
        Secret: text,
        Tags: { facet: true },
        Code: { facet: true },
        Near: { vector: {} },
        Inner: { vector: {} },
      },
    },
    Place: { language: 'en', fields: { Title: text } },
    Plan: {
      language: 'en',
      fields: { Title: text, Tags: { facet: true }, Far: { vector: {} } },
    },
  },
};
const FINDER = `export const input = z.strictObject({ text: z.string(), request: z.looseObject({}) });
export default async function ({ q, body, search, searchAsUser }: Scope<typeof input>) {
  const start = (field: 'Title' | 'Text' | 'Secret') =>
    q().asUser().startSearch('Note', field, body.text).nodes(['Title'])
      .catch((error: Problem) => error.code);
  const { hits, total, facets } = await searchAsUser(body.request as SearchRequest);
  return {
    title: await start('Title'), text: await start('Text'), secret: await start('Secret'),
    found: hits.map(({ node }) => node.Id).sort(), total, facets,
  };
}`;

/** Seen by everybody, in both workspaces. */
export const SEEN = [
  ['n1', 'Sailing', 'The harbours of northern islands.', ['sea']],
  ['n2', 'Walking', 'Long walks along the coast of an island.', ['sea', 'land']],
  ['n3', 'Mountains', 'Climbing without ropes is a bad idea.', ['land']],
  ['n4', 'Cooking', 'Fish soup by the sea.', ['food']],
  ['n5', 'Ideas', 'An idea is worth nothing by itself.', []],
] as const;
/**
 * Only in one. Some words are those of the nodes above, some are near to them, some are nowhere
 * else.
 */
const HIDDEN = [
  ['h1', 'Hidden harbour', 'The smugglers cove, and an idea.', ['sea', 'crime']],
  ['h2', 'Harbinger', 'Sea walks, a soupe, a climbing rose on the coast.', ['land', 'crime']],
  ['h3', 'Islander', 'Idea of a saile.', ['secret']],
] as const;

/** `hasHidden`: with all that Bob may not see. Everything is indexed. */
export async function openHiddenNotes(hasHidden: boolean): Promise<People> {
  const people = await People.start();
  const ok = async (method: string, path: string, body: unknown): Promise<void> => {
    const answer = await people.as('admin', method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  };
  await people.add('bob');
  const team = await people.addTeam('Insiders');
  await ok('PUT', '/api/schema', SCHEMA);
  await ok('PUT', '/api/search/settings', SETTINGS);
  const forTeam = { teams: [team] };
  const types = {
    Note: { fields: { Secret: forTeam, Code: forTeam, Inner: forTeam } },
    Plan: { visibleTo: 'restricted' },
  };
  await ok('PUT', '/api/access/types', { types });
  await ok('POST', '/api/endpoints/create', { name: 'finder', code: FINDER, isReadOnly: true });
  const operations: object[] = SEEN.flatMap(([key, Title, Text, Tags], i) => {
    const withheld = { Secret: `harbour smugglers idea ${key}`, Code: key, Inner: [i + 1, 1] };
    const shown = { Title, Text, Tags, ...(i < 4 ? { Near: [i, 1, 2] } : {}) };
    return [
      ...write('Note', key, hasHidden ? { ...shown, ...withheld } : shown, i),
      ...write('Place', `p${i % 2}`, { Title: `Place ${i % 2}` }, 0),
      link(key, `p${i % 2}`),
    ];
  });
  if (hasHidden) {
    for (const [key, Title, Text, Tags] of HIDDEN) {
      const fields = { Title, Text, Tags, Near: [1, 1, 2], Inner: [1, 1] };
      operations.push(...write('Note', key, fields, 9), link(key, 'p0'));
      operations.push({ op: 'restrict', node: { type: 'Note', key }, team: { uid: team } });
    }
    // A place that nobody else sees, of nodes that everybody sees.
    operations.push(...write('Place', 'cove', { Title: 'Place of smugglers' }, 0));
    operations.push(link('n1', 'cove'), link('n2', 'cove'));
    operations.push({
      op: 'restrict',
      node: { type: 'Place', key: 'cove' },
      team: { uid: team },
    });
    const fields = { Title: 'Harbour idea smugglers', Tags: ['plan'], Far: [1, 2, 3, 4] };
    operations.push(...write('Plan', 'x', fields, 9));
  }
  await ok('POST', '/api/ingest', { operations });
  await untilIndexed(people.workspace.http, people.token('admin'));
  return people;
}

function write(type: string, key: string, fields: object, month: number): object[] {
  return [{ op: 'addOrUpdate', type, key, fields, timestamp: Date.UTC(2026, month, 1) }];
}

function link(from: string, to: string): object {
  return {
    op: 'link',
    from: { type: 'Note', key: from },
    edge: 'About',
    to: { type: 'Place', key: to },
  };
}

/**
 * As Bob sees it: UIDs differ from one workspace to another. Hits come in the order of their keys.
 */
export async function asked(people: People, path: string, body: object): Promise<unknown> {
  const { status, json } = await people.as('bob', 'POST', path, body);
  return [status, neutral(json)];
}

const DIFFERENT = new Set(['UID', 'tookMs', 'traceId']);

function neutral(value: unknown): unknown {
  if (Array.isArray(value)) {
    const list = value.map(neutral);
    const isOfHits = list.some((one) => valueAt(one, 'node') !== undefined);
    return isOfHits ? list.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) : list;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !DIFFERENT.has(name));
  // A related node is counted by its UID, and labelled by its title.
  const isCounted = 'label' in value && 'count' in value;
  return Object.fromEntries(
    members.map(([name, one]) => [name, isCounted && name === 'value' ? '' : neutral(one)]),
  );
}

const keyOf = (hit: unknown): string => String(valueAt(hit, 'node', 'Id'));
