import { nodeUid } from '@trellis/client/uid.ts';
import { People } from './people.ts';
import { untilIndexed } from './search-index.ts';

const TEXT = { text: { boost: 1 } };
const SCHEMA = {
  nodes: [
    {
      type: 'Article',
      key: 'Name',
      label: 'Title',
      fields: {
        Title: 'String',
        Text: 'String',
        Tags: 'String[]',
        Section: 'String',
        IsOpen: 'Bool',
        Near: 'Float[]',
      },
    },
    { type: 'Person', key: 'Name', label: 'FullName', fields: { FullName: 'String' } },
    {
      type: 'Specimen',
      key: 'Name',
      fields: {
        Flag: 'Bool',
        Count: 'Int',
        Large: 'Long',
        Share: 'Double',
        Price: 'Decimal',
        SeenAt: 'Time',
        Where: 'GeoPoint',
        About: 'UID',
        Raw: 'Bytes',
        Shape: 'Json',
        Words: 'String[]',
        Numbers: 'Int[]',
        Site: 'String',
        Blank: 'String',
        None: 'String[]',
        Story: 'String',
      },
    },
  ],
  edges: [
    { type: 'WrittenBy', inverse: 'Wrote' },
    { type: 'Wrote', inverse: 'WrittenBy' },
    { type: 'Cites', fields: { Reason: 'String' } },
  ],
};
const SETTINGS = {
  types: {
    Article: {
      language: 'en',
      fields: {
        Title: { text: { boost: 3 } },
        Text: TEXT,
        Tags: { facet: true },
        Section: { facet: true },
        IsOpen: { facet: true },
        Near: { vector: {} },
      },
    },
    Person: { language: 'en', fields: { FullName: TEXT } },
    Specimen: { language: 'en', fields: { Story: TEXT } },
  },
};

/**
 * Two a month from January 2016 on, written by one of three people in turn; of three sections in
 * turn.
 */
export const ARTICLES = 240;
/** Only for a team that nobody else is in; their words are nowhere else. */
export const HIDDEN_ARTICLES = 5;
const AUTHORS = ['Ada Lovelace', 'Grace Hopper', 'Emmy Noether'];
const SECTIONS = ['Harbours', 'Mountains', 'Kitchens'];

/** Texts that pages have to bear; each is the title of an article in the section "Odd". */
export const ODD_TITLES = {
  quotes: `Quotes " and ' and \` and &amp; <b>bold</b>`,
  script: '<script>globalThis.wasRun = true</script><img src=x onerror="globalThis.wasRun = true">',
  rightToLeft: 'ספינה בנמל ‏(harbour)‏',
  long: `Long ${'verylongword'.repeat(833)}`,
} as const;

/**
 * A server with articles and people that can be searched, some of them hidden from Bob, an ordinary
 * user.
 */
export async function openExploredArticles(): Promise<People> {
  const people = await People.start();
  const ok = async (method: string, path: string, body: unknown): Promise<void> => {
    const answer = await people.as('admin', method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  };
  await people.add('bob', { firstName: 'Bob', lastName: 'Reader' });
  const team = await people.addTeam('Insiders');
  await ok('PUT', '/api/schema', SCHEMA);
  await ok('PUT', '/api/search/settings', SETTINGS);
  await ok('POST', '/api/ingest', {
    operations: [
      ...AUTHORS.map((FullName, i) => write('Person', `author-${i}`, { FullName })),
      ...Array.from({ length: ARTICLES }, (_, i) => article(i)).flat(),
      ...Array.from({ length: HIDDEN_ARTICLES }, (_, i) => hiddenArticle(i, team)).flat(),
      ...Object.entries(ODD_TITLES).map(([key, Title]) =>
        write('Article', `odd-${key}`, { Title, Text: 'Odd as it is.', Section: 'Odd' }),
      ),
      link('article-1', 'Cites', ['Article', 'article-2'], { Reason: 'It says the same' }),
      write('Specimen', 'all-types', OF_ALL_TYPES),
    ],
  });
  await untilIndexed(people.workspace.http, people.token('admin'));
  return people;
}

export const articleUid = (key: string): string => nodeUid('Article', key);
export const personUid = (key: string): string => nodeUid('Person', key);
export const specimenUid = (): string => nodeUid('Specimen', 'all-types');

const OF_ALL_TYPES = {
  Flag: true,
  Count: 42,
  Large: '9007199254740993',
  Share: 0.25,
  Price: '19.90',
  SeenAt: '2025-03-04T05:06:07.000Z',
  Where: { lat: 48.2, lon: -16.37 },
  About: nodeUid('Person', 'author-0'),
  Raw: Buffer.alloc(1_500, 'trellis').toString('base64'),
  Shape: { sides: 4, names: ['a', 'b'] },
  Words: ['one', 'two'],
  Numbers: [1, 2, 3],
  Site: 'https://example.com/page?q=1',
  Blank: '',
  None: [],
  Story: `First line.\nSecond line. ${'And so on. '.repeat(200)}The end.`,
};

/** Its own word is `number{i}`. */
function article(i: number): object[] {
  const key = `article-${i}`;
  const section = SECTIONS[i % SECTIONS.length] ?? '';
  const fields = {
    Title: `${section} of the north, part ${i}`,
    Text: `How boats find a harbour. This is piece number${i} of many.`,
    Tags: i % 4 === 0 ? ['sea', 'boats'] : ['land'],
    Section: section,
    IsOpen: i % 2 === 0,
    Near: [1, i / ARTICLES, 1],
  };
  const writtenAt = Date.UTC(2016, Math.floor(i / 2), 1 + (i % 2) * 14, 12);
  return [
    write('Article', key, fields, writtenAt),
    link(key, 'WrittenBy', ['Person', `author-${i % AUTHORS.length}`]),
  ];
}

function hiddenArticle(i: number, team: string): object[] {
  const key = `hidden-${i}`;
  const fields = {
    Title: 'Smugglers in the harbour',
    Text: 'Their cove is a secret.',
    Tags: ['contraband'],
    Section: 'Secrets',
  };
  return [
    write('Article', key, fields, Date.UTC(2030, 0, 1)),
    link(key, 'WrittenBy', ['Person', 'author-0']),
    { op: 'restrict', node: { type: 'Article', key }, team: { uid: team } },
  ];
}

function write(type: string, key: string, fields: object, timestamp = Date.UTC(2026, 0, 1)) {
  return { op: 'addOrUpdate', type, key, fields, timestamp };
}

function link(from: string, edge: string, [type, key]: readonly [string, string], fields?: object) {
  const ends = { from: { type: 'Article', key: from }, to: { type, key } };
  return { op: 'link', ...ends, edge, ...(fields && { fields }) };
}
