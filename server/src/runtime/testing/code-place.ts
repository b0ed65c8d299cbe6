import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { CodePlace } from '../compile/endpoint-compiler.ts';

export const WORDS: SchemaDocument = {
  nodes: [
    { type: 'Word', key: 'Lemma', fields: { Count: 'Int', Pos: 'String' } },
    { type: 'Synset', fields: { Gloss: 'String' } },
  ],
  edges: [{ type: 'HasSense', inverse: 'SenseOf' }],
};

/** The place of `|` in the code, which is cut out. */
export function placeIn(marked: string, isReadOnly = false): CodePlace {
  const offset = marked.indexOf('|');
  const before = marked.slice(0, offset).split('\n');
  const code = marked.slice(0, offset) + marked.slice(offset + 1);
  return { code, isReadOnly, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Statements in an endpoint function, which begin in its second line. */
export function inEndpoint(statements: string, isReadOnly = false): CodePlace {
  const scope = '{ body, graph, q, log }: Scope<{ word: string }>';
  return placeIn(`export default async function (${scope}) {\n${statements}\n}\n`, isReadOnly);
}
