import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEndpoints, USER } from './testing/test-endpoints.ts';
import type { TestEndpoints } from './testing/test-endpoints.ts';

let endpoints: TestEndpoints;
beforeAll(async () => {
  endpoints = await openTestEndpoints();
  const { graph } = endpoints;
  await graph.write(
    ...Array.from({ length: 60 }, (_, i) => ({
      op: 'addOrUpdate' as const,
      type: 'Book',
      key: `b${i}`,
      fields: { Title: `Title ${i}`, Pages: i, Tags: i % 2 === 0 ? ['even'] : ['odd'] },
      timestamp: i,
    })),
    { op: 'addOrUpdate', type: 'Author', key: 'Ada' },
    ...[1, 2, 3].map((i) => ({
      op: 'link' as const,
      from: { type: 'Book', key: `b${i}` },
      edge: 'WrittenBy',
      to: { type: 'Author', key: 'Ada' },
    })),
  );
});
afterAll(() => endpoints[Symbol.asyncDispose]());

let count = 0;
/** The value of code that has the whole scope. */
async function evaluate(body: string, caller = USER): Promise<unknown> {
  const name = `evaluate/${++count}`;
  await endpoints.define(name, '{ graph, q, CurrentUser, run }: Scope', body);
  return JSON.parse((await endpoints.run(name, { caller })).body ?? 'null');
}

describe('graph', () => {
  it('gives a node by type and key, by UID, by a reference', async () => {
    const found = await evaluate(`
      const one = await graph.get('Book', 'b1');
      const same = [await graph.get(one.UID), await graph.get(one), await graph.tryGet({ type: 'Book', key: 'b1' })];
      return [one, ...same].map((node) => [node?.Type, node?.Id, node?.UID === one.UID]);`);
    expect(found).toEqual(Array.from({ length: 4 }, () => ['Book', 'b1', true]));
  });

  it('says that there is none', async () => {
    const found = await evaluate(`
      const missing = await graph.tryGet('Book', 'none');
      try { await graph.get('Book', 'none'); } catch (error) {
        const { code, message } = error as Problem;
        return { missing, code, message };
      }`);
    expect(found).toEqual({
      missing: null,
      code: 'node_not_found',
      message: 'There is no node Book "none"',
    });
  });

  it('gives many, in order', async () => {
    const found = await evaluate(
      "return (await graph.getMany('Book', ['b3', 'none', 'b1'])).map((book) => book?.Pages ?? null);",
    );
    expect(found).toEqual([3, null, 1]);
  });

  it('answers fifty reads in a row, and as many at once', async () => {
    const found = await evaluate(`
      let pages = 0;
      for (let i = 0; i < 50; i++) pages += (await graph.get('Book', 'b' + i)).Pages ?? 0;
      const all = await Promise.all(Array.from({ length: 50 }, (_, i) => graph.get('Book', 'b' + i)));
      return [pages, all.reduce((sum, book) => sum + (book.Pages ?? 0), 0)];`);
    expect(found).toEqual([1225, 1225]);
  });

  it('refuses what names no node', async () => {
    expect(
      await evaluate(
        "try { await graph.get(JSON.parse('{}')); } catch (error) { return String(error); }",
      ),
    ).toBe('TypeError: a node is named by its UID, by itself, or by its type and key');
  });
});

describe('q()', () => {
  it.each([
    ["q().startAt('Book').count()", 60],
    ["q().startAt('Book', 'b1').count()", 1],
    ["q().startAt('Book', ['b1', 'b2', 'none']).count()", 2],
    ["q().startWhere('Book', 'Pages', '<', 3).count()", 3],
    ["q().startAt('Book').where('Tags', 'contains', 'odd').count()", 30],
    ["q().startAt('Author').in('Book', 'WrittenBy').count()", 3],
    ["q().startAt('Book').out('Author').count()", 1],
    [
      "q().startAt('Book').sortBy('Pages', 'desc').take(2).nodes().then((books) => books.map((b) => b.Pages))",
      [59, 58],
    ],
    [
      "q().startAt('Book').where((book) => (book.Pages ?? 0) % 20 === 0).sortBy('Pages').nodes().then((books) => books.map((b) => b.Pages))",
      [0, 20, 40],
    ],
    [
      "q().startAt('Book').sortBy('Pages').where((book) => (book.Pages ?? 0) > 10).skip(2).take(2).nodes().then((books) => books.map((b) => b.Pages))",
      [13, 14],
    ],
    ["q().startAt('Book').where((book) => book.Pages === 1).out('Author').count()", 1],
    ["q().startAt('Book', 'b1').union(q().startAt('Author').in('Book', 'WrittenBy')).count()", 3],
    [
      "q().startAt('Book').except(q().startAt('Book').where((book) => (book.Pages ?? 0) > 4)).count()",
      5,
    ],
    ["q().startAt('Book').intersect(q().startWhere('Book', 'Pages', '>=', 55)).count()", 5],
    [
      "q().startAt('Author').edges('Wrote').then((edges) => edges.map((edge) => edge.type))",
      ['Wrote', 'Wrote', 'Wrote'],
    ],
    ["q().startAt('Book').summary()", { Book: 60 }],
    ["q().startAt('Book').neighborsSummary()", { WrittenBy: 3 }],
    ["q().startAt('Book').whereTime(null, 2).count()", 3],
    ["q().startAt('Book').groupBy('Title').then((groups) => groups.length)", 60],
    ["q().startAt('Book').scored().then((scored) => scored[0]?.score)", 1],
    [
      "q().startAt('Book', 'b1').shortestPath((await graph.get('Book', 'b2')).UID).then((path) => path?.nodes.length)",
      3,
    ],
    [
      "q().startAtUids((await graph.get('Book', 'b7')).UID).nodes(['Pages']).then((books) => Object.keys(books[0] ?? {}).includes('Title'))",
      false,
    ],
  ])('%s', async (query, value) => {
    expect(await evaluate(`return ${query};`)).toEqual(value);
  });

  it('is walked through a node at a time', async () => {
    const code =
      "let pages = 0; for await (const book of q().startAt('Book').sortBy('Pages').take(5)) pages += book.Pages ?? 0; return pages;";
    expect(await evaluate(code)).toBe(10);
  });

  it('says what is wrong with it', async () => {
    const wrong = JSON.stringify("q().startAt('Book').take(-1)");
    const code = `try { await q().startAt('Book').take(-1).count(); } catch (error) { return (error as Problem).code; } return ${wrong};`;
    expect(await evaluate(code)).toBe('invalid_query');
  });

  it('is limited to what the user may see by asUser(), wherever it stands', async () => {
    const { outcomes } = await endpoints.graph.writer.commit({
      operations: [
        { op: 'addOrUpdate', type: '_User', fields: { UserName: 'eve', Email: 'eve@x' } },
      ],
      system: true,
    });
    const user = { ...USER, userUid: outcomes[0]?.uid ?? null };
    const code = `return [
      await q().startAt('_Endpoint').count() > 0,
      await q().asUser().startAt('_Endpoint').count(),
      await q().startAt('_Endpoint').asUser().count(),
      await q().asUser().startAt('_Endpoint').where(() => true).count(),
      await q().startAt('_Endpoint').where(() => true).asUser().count(),
      await q().asUser().startAt('Book').count(),
    ];`;
    expect(await evaluate(code, user)).toEqual([true, 0, 0, 0, 0, 60]);
  });

  it('sees with runAsAdmin what an administrator sees', async () => {
    const code = "return (await q().asUser().startAt('_Endpoint').count()) > 0;";
    await endpoints.define('as-admin', '{ q }: Scope', code, { runAsAdmin: true });
    expect((await endpoints.run('as-admin', { caller: USER })).body).toBe('true');
  });
});
