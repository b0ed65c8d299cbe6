import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changesIn, DefinitionsScene, type Files } from '../support/definitions-scene.ts';
import { scale, seed } from '../support/scale.ts';

const FIELD_TYPES = ['String', 'Int', 'Time', 'String[]', 'Json'] as const;

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const words = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), {
  maxLength: 3,
});
const typeName = fc.constantFrom('Alpha', 'Beta', 'Gamma', 'delta');
const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,6}$/);
const path = fc.stringMatching(/^[a-z][a-z0-9.]{0,4}(?:\/[A-Z0-9][a-z-]{0,4}){0,2}$/);
const isTaken = /^(?:create|check|logs|logs\/.*|metrics|run|token|system)$/;

/**
 * Fields of a type are always of the same kind, so that what was imported before is no conflict.
 */
const nodeType = fc
  .tuple(typeName, fc.uniqueArray(fc.constantFrom(...FIELD_TYPES), { minLength: 1 }))
  .map(([type, kinds]) => ({
    type,
    key: 'Key',
    fields: Object.fromEntries(kinds.map((kind) => [`F${kind.replace('[]', 's')}`, kind])),
  }));

const endpoint = fc.record({
  /** Most compile. */
  code: fc.oneof(
    text.map((one) => `export default () => ${JSON.stringify(one)};\n`),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
  ),
  settings: fc.record(
    {
      mode: fc.constantFrom('sync', 'pooling'),
      access: fc.constantFrom('users', 'admins'),
      cacheSeconds: fc.nat({ max: 100 }),
      runAsAdmin: fc.boolean(),
      timeoutMs: fc.integer({ min: 1, max: 30_000 }),
      description: text,
    },
    { requiredKeys: [] },
  ),
});

const agent = fc.record({
  instructions: text.filter((one) => one.trim() !== ''),
  settings: fc.record(
    {
      description: text,
      tools: fc.array(name, { maxLength: 3 }),
      outputSchema: fc.constantFrom(null, { type: 'object', properties: { b: {}, a: {} } }),
      access: fc.constantFrom('users', 'admins'),
      limits: fc.record({ steps: fc.integer({ min: 1, max: 9 }) }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  ),
});

const lists = fc.record({ Synonyms: words, Alternates: words, Blocked: words });
const terms = fc.dictionary(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((one) => one.trim() !== ''),
  lists,
  { maxKeys: 4, noNullPrototype: true },
);

const definitions = fc.record({
  nodes: fc.uniqueArray(nodeType, { selector: ({ type }) => type, maxLength: 3 }),
  endpoints: fc.dictionary(
    path.filter((one) => !isTaken.test(one) && !/^(?:run|token|system)\//.test(one)),
    endpoint,
    { maxKeys: 4, noNullPrototype: true },
  ),
  agents: fc.dictionary(name, agent, { maxKeys: 3, noNullPrototype: true }),
  en: terms,
  any: terms,
  minutes: fc.integer({ min: 1, max: 9 }),
  teamsEnabled: fc.boolean(),
});

type Drawn = typeof definitions extends fc.Arbitrary<infer T> ? T : never;

function filesOf(drawn: Drawn): Files {
  const files: Record<string, string> = {
    'schema.json': JSON.stringify({ nodes: drawn.nodes }),
    'synonyms/en.json': JSON.stringify(drawn.en),
    'synonyms/any.json': JSON.stringify(drawn.any),
    'research-settings.json': JSON.stringify({ limits: { minutes: drawn.minutes } }),
    'workspace-settings.json': JSON.stringify({ teamsEnabled: drawn.teamsEnabled }),
    'search-settings.json': JSON.stringify({
      types: Object.fromEntries(
        drawn.nodes
          .filter(({ fields }) => 'FString' in fields)
          .map(({ type }) => [type, { fields: { FString: { text: { boost: 2 } } } }]),
      ),
    }),
  };
  for (const [place, { code, settings }] of Object.entries(drawn.endpoints)) {
    files[`endpoints/${place}.ts`] = code;
    files[`endpoints/${place}.json`] = JSON.stringify(settings);
    files[`tools/${place.replaceAll(/\W/g, '_')}.json`] = JSON.stringify({
      description: 'd',
      endpoint: place,
    });
  }
  for (const [of, { instructions, settings }] of Object.entries(drawn.agents)) {
    files[`agents/${of}.md`] = instructions;
    files[`agents/${of}.json`] = JSON.stringify(settings);
  }
  return files;
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(Buffer.from(b));

test('what was exported makes the same workspace, and changes nothing where it comes from', async () => {
  await using source = await DefinitionsScene.start();
  await using mirror = await DefinitionsScene.start();
  await fc.assert(
    fc.asyncProperty(definitions, async (drawn) => {
      const files = filesOf(drawn);
      const drawing = await source.import(files, '?mirror=true&drafts=true');
      // A tool needs an endpoint that compiles and takes an object.
      const failed = drawing.items.filter(({ action }) => action === 'failed');
      expect(failed.filter(({ kind }) => kind !== 'tool')).toEqual([]);
      const wrong = failed.map(({ file }) => file);
      const good = Object.entries(files).filter(([file]) => !wrong.includes(file));
      const made = await source.import(Object.fromEntries(good), '?mirror=true&drafts=true');
      expect(made.applied).toBe(true);
      const zip = await source.exported();
      for (const query of ['?dryRun=true', '?mirror=true', '']) {
        expect(changesIn(await source.import(zip, query))).toEqual([]);
      }
      expect(isSame(await source.exported(), zip)).toBe(true);
      const { totals } = await mirror.import(zip, '?mirror=true&drafts=true');
      expect(totals.failed).toBe(0);
      expect(await mirror.exportedFiles()).toEqual(await source.exportedFiles());
      expect(isSame(await mirror.exported(), zip)).toBe(true);
    }),
    { numRuns: scale({ sample: 12, soak: 300 }), seed: seed() },
  );
  await using empty = await DefinitionsScene.start();
  const zip = await source.exported();
  expect((await empty.import(zip, '?drafts=true')).totals.failed).toBe(0);
  expect(isSame(await empty.exported(), zip)).toBe(true);
});
