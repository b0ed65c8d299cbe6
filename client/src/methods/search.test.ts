import { describe, expect, it } from 'vitest';
import { scripted } from '../testing/scripted-server.ts';

const LISTS = { Synonyms: ['automobile'], Alternates: [], Blocked: [] };

describe('synonyms', () => {
  it('are listed by pages that headers ask for', async () => {
    const page = { Results: [['car', 'automobile']], TotalCount: 1 };
    const { client, seen } = await scripted([{ body: page }, { body: page }]);
    const request = { lang: 'en', query: 'c', includeSynonyms: true, skip: 5, take: 10 };
    expect(await client.synonyms.list(request)).toEqual(page);
    await client.synonyms.list({ lang: '--' });
    const asked = seen.map(({ url, headers }) => [
      url,
      headers['x-msk-skip'],
      headers['x-msk-limit'],
    ]);
    expect(asked).toEqual([
      ['/api/search/synonyms/list/for?lang=en&query=c&includeSynonyms=1', '5', '10'],
      ['/api/search/synonyms/list/for?lang=--', undefined, undefined],
    ]);
  });

  it('are read and stored for one term', async () => {
    const record = { Token: 'a b', Language: 'en', ...LISTS, Suggestions: [] };
    const { client, seen } = await scripted([{ body: record }, { body: {} }, { body: {} }]);
    const term = { token: 'a b', lang: 'en' };
    expect(await client.synonyms.get({ ...term, tolerance: 0.9 })).toEqual(record);
    await client.synonyms.put(LISTS, term);
    await client.synonyms.put(LISTS, { ...term, ignoreCase: true, replace: false });
    expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/api/search/synonyms/for?token=a+b&lang=en&tolerance=0.9', ''],
      ['PUT', '/api/search/synonyms/for?token=a+b&lang=en', JSON.stringify(LISTS)],
      [
        'PUT',
        '/api/search/synonyms/for?token=a+b&lang=en&ignoreCase=true&replace=false',
        JSON.stringify(LISTS),
      ],
    ]);
  });
});
