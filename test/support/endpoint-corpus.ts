import { wordnetSchema } from '../../samples/wordnet/schema.ts';

/** A small graph, and code of endpoints that looks at every part of the scope over it. */

export const SCHEMA = {
  nodes: [
    ...wordnetSchema.nodes,
    { type: 'Note', fields: { Text: 'String', Big: 'Long', At: 'GeoPoint', Seen: 'Time' } },
  ],
  edges: [...wordnetSchema.edges, { type: 'About', inverse: 'HasNote', fields: {} }],
};
const timestamp = '2026-01-01T00:00:00.000Z';
const word = (key: string) => ({ type: 'Word', key }) as const;
const synset = (key: string) => ({ type: 'Synset', key }) as const;
const note = (key: string) => ({ type: 'Note', key }) as const;
export const NODES = [
  ...['dog', 'cat', 'entity', 'Paris'].map((key) => ({ ...word(key), timestamp })),
  ...['n1', 'n2', 'n00001740'].map((key, i) => ({
    ...synset(key),
    timestamp: `2026-01-0${i + 1}T00:00:00.000Z`,
    fields: { Pos: 'noun', Lemmas: [`of ${key}`], Definition: `the ${key}`, Examples: [] },
  })),
  {
    ...note('a'),
    timestamp,
    fields: { Text: 'x', Big: '9007199254740993', At: { lat: 1, lon: 2 }, Seen: timestamp },
  },
  { ...note('b'), timestamp, fields: { Text: 'y' } },
];
const sense = (from: string, to: string, n: number) => ({
  from: word(from),
  edge: 'HasSense',
  to: synset(to),
  fields: { SenseNumber: n, SenseKey: `${from}%1:05:00::` },
  timestamp,
});
export const EDGES = [
  sense('dog', 'n1', 1),
  sense('dog', 'n2', 2),
  sense('cat', 'n2', 1),
  { from: synset('n1'), edge: 'Hypernym', to: synset('n2'), timestamp },
  { from: synset('n2'), edge: 'Hypernym', to: synset('n00001740'), timestamp },
  { from: note('a'), edge: 'About', to: word('dog'), timestamp },
  { from: note('b'), edge: 'About', to: word('dog'), timestamp },
];
export const RESTRICTION = { node: note('b'), user: 'ben' };

const code = (members: string, body: string, head = '') =>
  `${head}\nexport default async function ({ ${members} }: any) {\n  ${body}\n}\n`;

/** Code that answers the result of a call, or the problem that the call ended with. */
const told = (call: string) => `try { return await ${call}; }
  catch (error: any) { return { code: error.code, message: error.message, hint: error.hint ?? null }; }`;

const INPUT =
  'export const input = z.strictObject({ n: z.int().max(5).default(2), when: z.iso.date().optional() });';

/** Its name, its code, and the bodies that it is called with. */
export const CORPUS: readonly (readonly [string, string, readonly unknown[]])[] = [
  ['echo', code('body', 'return body;'), [undefined, null, 'é', [1, { a: null }], { b: '\u2028' }]],
  ['headers', code('headers', "return [headers['x-mine'], headers.authorization];"), [undefined]],
  ['input', code('body', 'return body;', INPUT), [{}, { n: 9, x: 1 }, { when: 'no' }, 'text']],
  [
    'json',
    code('', 'return { at: new Date(0), no: undefined, nan: NaN, list: [undefined, () => 1] };'),
    [undefined],
  ],
  ['nothing', code('', ''), [undefined]],
  ['status', code('status, body', 'return status(body, { a: 1 });'), [201, 204, 304, 418]],
  [
    'refuse',
    code(
      'body, notFound, badRequest, forbidden, unauthorized',
      'return [notFound(), badRequest("so"), forbidden({ a: 1 }), unauthorized("who")][body];',
    ),
    [0, 1, 2, 3],
  ],
  ['throws-reply', code('notFound', "throw notFound('gone');"), [undefined]],
  ['redirect', code('redirect', "return redirect('/a?b=c', 303);"), [undefined]],
  ['get', code('body, graph', told('graph.get(body)')), [note('a'), note('none'), 'nonsense', {}]],
  ['get-many', code('graph', "return graph.getMany('Word', ['dog', 'none', 'cat']);"), [undefined]],
  [
    'ends',
    code(
      'q',
      "const all = q().startAt('Word'); return [await all.count(), await all.summary(), await all.neighborsSummary(), await all.out().groupBy('Pos'), await all.scored(), await q().startAt('Note').edges('About')];",
    ),
    [undefined],
  ],
  [
    'steps',
    code(
      'q',
      "return q().startAt('Word', ['dog', 'cat']).out('Synset').sortBy('Definition', 'desc').skip(1).take(5).nodes(['Pos', 'Definition']);",
    ),
    [undefined],
  ],
  [
    'sets',
    code(
      'q',
      "const of = (w: string) => q().startAt('Word', w).out('Synset'); return [await of('dog').except(of('cat')).uids(), await of('dog').intersect(of('cat')).uids(), await of('dog').union(of('cat')).count()];",
    ),
    [undefined],
  ],
  [
    'filter',
    code('q', "return q().startAt('Word').where((node: any) => node.Id.includes('t')).nodes();"),
    [undefined],
  ],
  [
    'iterate',
    code(
      'q',
      "const ids = []; for await (const node of q().startAt('Synset')) ids.push(node.Id); return ids;",
    ),
    [undefined],
  ],
  [
    'where',
    code('q, body', told("q().startWhere('Note', ...body).uids()")),
    [
      ['Text', '=', 'x'],
      ['Text', 'exists'],
      ['Big', '>', 3],
      ['Txt', '=', 1],
      ['Text', '~', 1],
    ],
  ],
  [
    'near',
    code('q', "return q().startNear('Note', 'At', { lat: 1, lon: 2 }, 5).uids();"),
    [undefined],
  ],
  [
    'paths',
    code(
      'q, graph',
      "const to = await graph.get('Word', 'cat'); const from = q().startAt('Word', 'dog'); return [await from.shortestPath(to), await from.shortestPaths(to, { take: 2 }), await from.outMany(3).count()];",
    ),
    [undefined],
  ],
  ['as-user', code('q', told("q().startAt('Note').asUser().nodes()")), [undefined]],
  [
    'who',
    code(
      'CurrentUser',
      'return CurrentUser && [CurrentUser.UID, CurrentUser.UserName, CurrentUser.FullName, CurrentUser.Id];',
    ),
    [undefined],
  ],
  [
    'runs',
    code('run, body', told('run(body, [1])')),
    ['echo', 'refuse', 'throws-reply', 'redirect', 'none', 'fails', 'runs'],
  ],
  ['run-on-primary', code('runOnPrimary', "return runOnPrimary('echo', 'x');"), [undefined]],
  [
    'fetch',
    code('fetch, body', told('fetch(body)')),
    ['https://api.example.com/', 'file:///etc/hostname'],
  ],
  ['fails', code('', "throw new TypeError('on purpose');"), []],
  [
    'read-only',
    code('graph, run', `${told("run('writes')")}`, '// trellis: readOnly'),
    [undefined],
  ],
  [
    'writes',
    code(
      'graph',
      "const { UID, changed } = await graph.addOrUpdate('Word', 'new', { Lemma: 'new' }); const again = await graph.tryAdd('Word', 'new'); await graph.link(UID, 'HasSense', { type: 'Synset', key: 'n1' }); const node = await graph.get('Word', 'new'); await graph.delete(UID); return [UID, changed, again, Object.keys(node), await graph.tryGet(UID)];",
    ),
    [undefined, undefined],
  ],
  [
    'transaction',
    code(
      'graph, body',
      told(
        "graph.transaction(async (t: any) => { t.addOrUpdate('Word', 'one'); t.addOrUpdate(body, 'two'); })",
      ) + "\n  finally { await graph.delete('Word', 'one'); }",
    ),
    ['Word', '_User'],
  ],
  ['after', code('q', "return q().startAt('Word').count();"), [undefined]],
  [
    'restricts',
    code(
      'graph, q',
      "const node = { type: 'Note', key: 'a' }; await graph.restrict(node, { user: { type: '_User', key: 'ben' } }); const uids = await q().startAt('Note').asUser().uids(); await graph.unrestrict(node); return uids;",
    ),
    [undefined],
  ],
];
