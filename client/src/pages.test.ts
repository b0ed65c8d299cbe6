import { describe, expect, it } from 'vitest';
import { eachItem } from './pages.ts';
import { listen } from './testing/scripted-server.ts';
import { TrellisClient } from './trellis-client.ts';

describe('eachItem', () => {
  it.each([0, 1, 4, 5, 6, 10])('gives all of %i items', async (total) => {
    const names = Array.from({ length: total }, (_, i) => `e${i}`);
    const baseUrl = await listen((request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://x');
      const skip = Number(searchParams.get('skip'));
      const take = Number(searchParams.get('take'));
      const items = names.slice(skip, skip + take).map((name) => ({ name }));
      response.end(JSON.stringify({ items, total, skip, take }));
    });
    const client = new TrellisClient({ baseUrl });
    const found: string[] = [];
    for await (const { name } of eachItem((page) => client.endpoints.list(page), 5))
      found.push(name);
    expect(found).toEqual(names);
  });
});
