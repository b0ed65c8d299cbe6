import type { SynonymLists } from '@trellis/contract/shapes/search.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '#access/caller.ts';
import type { AuditEvent } from '#access/audit-event.ts';
import { auditInMemory } from '#access/testing/audit-in-memory.ts';
import { SYSTEM_SCHEMA } from '#graph/system-schema.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { NO_LISTS, SynonymSource } from './synonym-records.ts';
import { SynonymService } from './synonym-service.ts';
import { Analyzers } from '../analysis/language-analyzer.ts';

const CALLER: Caller = {
  kind: 'session',
  userUid: '1'.repeat(22),
  userName: 'ann',
  isAdmin: false,
  isReadOnlyAdmin: false,
  isGuest: false,
  roles: ['CanManageSynonyms'],
  scopes: [],
  endpointPath: null,
  tokenId: 't',
};
const analyzers = new Analyzers();
const events: AuditEvent[] = [];

let graph: TestGraph;
let service: SynonymService;
let source: SynonymSource;
beforeAll(async () => {
  graph = await openTestGraph();
  await graph.writer.commit({ system: true, operations: [], schema: SYSTEM_SCHEMA });
  const { reader, writer: commits } = graph;
  const words = { similarTo: () => [] };
  service = new SynonymService({ reader, commits, audit: auditInMemory(events), words });
  source = new SynonymSource(reader);
});
afterAll(() => graph[Symbol.asyncDispose]());

async function put(
  language: string,
  token: string,
  lists: Partial<SynonymLists>,
  ignoreCase = true,
) {
  const change = { ignoreCase, replace: true, address: '127.0.0.1' };
  await service.put(CALLER, { language, token }, { ...NO_LISTS, ...lists }, change);
  graph.reader.refresh();
}

function of(asked: string, language = 'en') {
  const analyzer = analyzers.for(language);
  const word = analyzer.analyze(asked).map(({ surface }) => surface);
  const { synonyms, blocked } = source.synonymsOf(word.join(' '), analyzer, asked);
  return [...synonyms.map(({ term, weight }) => `${term}^${weight}`), ...blocked].join(' ');
}

test('synonyms count for less than what was asked for, alternates for as much', async () => {
  expect(of('car')).toBe('');
  await put('en', 'car', { Synonyms: ['automobile'], Alternates: ['motorcar'] });
  expect([of('car'), of('CAR'), of('cars')]).toEqual([
    'motorcar^1 automobile^0.7',
    'motorcar^1 automobile^0.7',
    '',
  ]);
  expect([of('automobile'), of('car', 'de'), of('car', '--')]).toEqual(['', '', '']);
});

test('those of any language hold beside those of one, and what one blocks the other has not either', async () => {
  await put('--', 'car', { Synonyms: ['vehicle', 'cart'] });
  expect(of('car')).toBe('motorcar^1 vehicle^0.7 cart^0.7 automobile^0.7');
  expect(of('car', 'de')).toBe('vehicle^0.7 cart^0.7');
  await put('en', 'car', { Blocked: ['Cart', 'cat'] });
  expect(of('car')).toBe('vehicle^0.7 cart cat');
  expect(of('car', 'de')).toBe('vehicle^0.7 cart^0.7');
});

test('a term is compared as the words of a query are, one with capitals as it is written', async () => {
  await put('de', 'Straße', { Synonyms: ['Weg'] });
  expect([of('strasse', 'de'), of('STRASSE', 'de')]).toEqual(['Weg^0.7', 'Weg^0.7']);
  await put('en', 'IT', { Synonyms: ['information technology'] }, false);
  expect([of('IT'), of('it'), of('It')]).toEqual(['information technology^0.7', '', '']);
  await put('en', 'wi-fi', { Alternates: ['wireless'] });
  expect([of('wi-fi'), of('Wi Fi')]).toEqual(['wireless^1', 'wireless^1']);
});

test('a change of nothing is no commit; nothing is kept of a term without words', async () => {
  const { sequence } = graph.reader;
  await put('en', 'nothing', {});
  expect(graph.reader.sequence).toBe(sequence);
  await put('en', 'IT', {}, false);
  expect(of('IT')).toBe('');
  expect(graph.reader.id({ type: '_Synonyms', key: 'en:IT' })).toBeUndefined();
  expect(events.at(-1)).toMatchObject({
    action: 'search.synonyms-changed',
    actor: { name: 'ann' },
    target: { kind: 'synonyms', id: 'en:IT' },
    details: NO_LISTS,
  });
});
