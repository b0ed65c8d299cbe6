import { describe, expect, it } from 'vitest';
import { operations } from '../../operations.ts';
import { openApiDocument } from '../document.ts';
import { events } from '../events.ts';
import { isJsonObject, type JsonSchema, mapObjects } from '../shape-schemas.ts';
import { ALL_TEXTS } from './all-texts.ts';
import { ANYWHERE } from './anywhere.ts';

const document = openApiDocument('1.2.3');

interface Told {
  readonly at: string;
  readonly text: unknown;
}

/** Every property of every schema, and every parameter, with what is said of it. */
function everything(value: unknown, at: string): Told[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => everything(item, `${at}/${index}`));
  if (!isJsonObject(value)) return [];
  const { properties, name, in: place } = value;
  const own = isJsonObject(properties)
    ? Object.entries(properties).map(([key, schema]) => told(`${at}.${key}`, schema))
    : [];
  const parameter =
    typeof name === 'string' && place !== undefined ? [told(`${at} ${name}`, value)] : [];
  return [
    ...own,
    ...parameter,
    ...Object.entries(value)
      .filter(([key]) => key !== 'example')
      .flatMap(([key, inner]) => everything(inner, `${at}/${key}`)),
  ];
}

function told(at: string, schema: unknown): Told {
  return { at, text: isJsonObject(schema) ? schema['description'] : undefined };
}

const { securitySchemes: _schemes, ...components } = document.components;
const { paths, webhooks } = document;
const all = everything({ ...components, paths, webhooks }, '');

describe('properties and parameters', () => {
  it('are all described: give a new one its text in contract/src/openapi/texts', () => {
    expect(all.length).toBeGreaterThan(2_000);
    expect(all.filter(({ text }) => typeof text !== 'string' || text === '')).toEqual([]);
  });

  it.each([
    ['a sentence', /^[A-Z`0-9][^]*[.]$/],
    ['more than a word', /\S+\s+\S+\s+\S+/],
    ['short', /^[^]{1,300}$/],
  ])('are described by %s', (_, form) => {
    const bad = all.filter(({ text }) => typeof text === 'string' && !form.test(text));
    expect(bad).toEqual([]);
  });

  it('are not described by their own name', () => {
    const words = (text: string) => text.toLowerCase().replaceAll(/\bthe\b|[^a-z]/g, '');
    const empty = all.filter(({ at, text }) => {
      const name = at.split(/[. ]/).at(-1) ?? '';
      return typeof text === 'string' && words(text) === words(name);
    });
    expect(empty).toEqual([]);
  });
});

describe('texts', () => {
  const used = new Set(all.map(({ text }) => text));

  it('are used, each of them', () => {
    const unused = [...ALL_TEXTS.map(({ text }) => text), ...Object.values(ANYWHERE)].filter(
      (text) => !used.has(text),
    );
    const inPaths = JSON.stringify(document.paths);
    expect(unused.filter((text) => !inPaths.includes(JSON.stringify(text).slice(1, -1)))).toEqual(
      [],
    );
  });

  it('leave no mark of how they came into the document', () => {
    expect(JSON.stringify(document)).not.toContain('x-texts');
  });
});

describe('streams of events', () => {
  /** What other protocols say. */
  const FOREIGN = ['createChatCompletion', 'createResponse', 'createMessage', 'callMcp'];

  it('are described, each of them and nothing else', () => {
    const streaming = operations
      .filter(({ responses }) =>
        Object.values(responses).some(
          ({ contentType, orEvents }) => contentType === 'text/event-stream' || orEvents === true,
        ),
      )
      .map(({ id }) => id as string);
    const expected = streaming.filter((id) => !FOREIGN.includes(id));
    expect(Object.keys(events).toSorted()).toEqual(expected.toSorted());
  });

  it('say what data their events have', () => {
    const found: JsonSchema[] = [];
    mapObjects(document.paths, (object) => {
      if (isJsonObject(object['x-events'])) found.push(object['x-events']);
      return object;
    });
    expect(found).toHaveLength(Object.keys(events).length);
    expect(found).toContainEqual(
      expect.objectContaining({
        job: expect.objectContaining({ schema: { $ref: '#/components/schemas/Job' } }),
      }),
    );
  });
});
