import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatUid, keyedUid } from '#base/uid.ts';
import { INGEST_COMMIT_OPERATIONS_MAX } from '@trellis/contract/limits.ts';
import { openTestEndpoints, USER } from './testing/test-endpoints.ts';
import type { TestEndpoints } from './testing/test-endpoints.ts';

let endpoints: TestEndpoints;
beforeAll(async () => {
  endpoints = await openTestEndpoints();
  await endpoints.graph.write(
    { op: 'addOrUpdate', type: 'Book', key: 'b1' },
    { op: 'addOrUpdate', type: 'Author', key: 'Ada' },
  );
});
afterAll(() => endpoints[Symbol.asyncDispose]());

let count = 0;
/** The value of code that has the whole scope. */
async function evaluate(body: string): Promise<unknown> {
  const name = `evaluate/${++count}`;
  await endpoints.define(name, '{ graph, q, run }: Scope', body);
  return endpoints.value(name);
}

describe('writes', () => {
  it('show in what the same call reads next, in queries after a commit', async () => {
    const seen = await evaluate(`
      const seen: unknown[] = [];
      for (let i = 0; i < 20; i++) {
        const { UID, changed } = await graph.addOrUpdate('Book', 'own', { Pages: i });
        const read = await graph.get('Book', 'own');
        seen.push(changed && UID === read.UID && read.Pages === i);
      }
      await graph.link({ type: 'Book', key: 'own' }, 'WrittenBy', { type: 'Author', key: 'Ada' });
      seen.push(await q().startAt('Book', 'own').out('Author', 'WrittenBy').count());
      await graph.commit();
      seen.push(await q().startAt('Book', 'own').out('Author', 'WrittenBy').count());
      await graph.unlink({ from: { type: 'Book', key: 'own' }, edge: 'WrittenBy', to: { type: 'Author', key: 'Ada' } });
      await graph.commit();
      seen.push(await q().startAt('Book', 'own').out('Author', 'WrittenBy').count());
      await graph.delete('Book', 'own');
      seen.push(await graph.tryGet('Book', 'own'));
      return seen;`);
    expect(seen).toEqual([...Array.from({ length: 20 }, () => true), 0, 1, 0, null]);
  });

  it('of another endpoint show after it has run', async () => {
    await endpoints.define(
      'writes-for',
      '{ graph, body }: Scope<number>',
      "await graph.addOrUpdate('Book', 'for', { Pages: body });",
    );
    const code = `
      const seen: unknown[] = [];
      for (let i = 0; i < 10; i++) {
        await run('writes-for', i);
        seen.push((await graph.get('Book', 'for')).Pages === i);
      }
      return seen;`;
    expect(await evaluate(code)).toEqual(Array.from({ length: 10 }, () => true));
  });

  it('take every form of an operation', async () => {
    const done = await evaluate(`
      const made = await graph.addOrUpdate({ type: 'Book', fields: { Title: 'no key' } });
      const uid = made.UID ?? '';
      const changes = [
        await graph.update({ uid, fields: { Pages: 5 } }),
        await graph.tryAdd('Book', 'tried', { Pages: 1 }, { timestamp: 5 }),
        await graph.tryAdd({ type: 'Book', key: 'tried', fields: { Pages: 2 } }),
        await graph.update('Book', 'tried', { Pages: null }, { ifVersion: 1 }),
        await graph.link({ from: uid, edge: 'WrittenBy', to: { type: 'Author', key: 'Ada' }, timestamp: 7 }),
        await graph.unlink(uid, 'WrittenBy', { type: 'Author', key: 'Ada' }),
        await graph.delete(uid),
        await graph.delete({ type: 'Book', key: 'tried' }),
      ];
      return changes.map(({ changed }) => changed);`);
    expect(done).toEqual([true, true, false, true, true, true, true, true]);
  });

  it('and deletes take the version that the node must be at', async () => {
    const seen = await evaluate(`
      const book = { type: 'Book', key: 'versions' } as const;
      const seen: unknown[] = [await graph.version(book)];
      const { UID } = await graph.addOrUpdate('Book', 'versions', { Pages: 1 }, { ifVersion: 0 });
      await graph.update('Book', 'versions', { Pages: 2 });
      seen.push(await graph.version('Book', 'versions'), await graph.version(UID ?? ''));
      for (const remove of [
        () => graph.delete('Book', 'versions', { ifVersion: 1 }),
        () => graph.delete(book, { ifVersion: 1 }),
        () => graph.delete(book, { ifVersion: 2 }),
      ]) {
        seen.push(await remove().then(() => 'deleted', (error: Problem) => error.code));
      }
      return [...seen, await graph.version(book)];`);
    expect(seen).toEqual([0, 2, 2, 'version_conflict', 'version_conflict', 'deleted', 0]);
  });

  it.each([
    ["graph.update('Book', 'none', {})", 'invalid_operation'],
    ["graph.addOrUpdate('Book', 'b1', {}, { ifVersion: 99 })", 'version_conflict'],
    [
      "graph.link({ type: 'Book', key: 'none' }, 'WrittenBy', { type: 'Author', key: 'Ada' })",
      'invalid_operation',
    ],
    ['graph.addOrUpdate(JSON.parse(\'{"type":"_User","fields":{}}\'))', 'invalid_operation'],
    ['graph.addOrUpdate(JSON.parse(\'{"type":"Book","system":true}\'))', 'invalid_operation'],
  ])('%s is refused with %s', async (write, code) => {
    const before = endpoints.graph.reader.refresh();
    const text = `try { await ${write}; return 'written'; } catch (error) { return (error as Problem).code; }`;
    const name = `refused/${++count}`;
    await endpoints.define(name, '{ graph }: Scope', text);
    const defined = endpoints.graph.reader.refresh();
    expect(await endpoints.value(name)).toBe(code);
    expect(endpoints.graph.reader.refresh()).toBe(defined);
    expect(defined).toBeGreaterThan(before);
  });

  it('say where in the code they were refused', async () => {
    await endpoints.define(
      'refused-there',
      '{ graph }: Scope',
      "\n  await graph.update('Book', 'none', {});",
    );
    expect(await endpoints.problem('refused-there')).toMatchObject({ details: { line: 3 } });
  });
});

describe('restrictions', () => {
  beforeAll(async () => {
    const { writer, reader } = endpoints.graph;
    const team = { op: 'addOrUpdate', type: '_AccessGroup', key: 'readers' } as const;
    const user = { op: 'addOrUpdate', type: '_User', key: 'eve' } as const;
    const book = { op: 'addOrUpdate', type: 'Book', key: 'secret' } as const;
    await writer.commit({ operations: [team, user, book], system: true });
    reader.refresh();
  });

  const BOOK = "{ type: 'Book', key: 'secret' }";
  const TEAM = "{ type: '_AccessGroup', key: 'readers' }";
  const EVE = "{ type: '_User', key: 'eve' }";

  it('and edges take the version that the node must be at', async () => {
    const seen = await evaluate(`
      const author = { type: 'Author', key: 'Ada' } as const;
      const book = { type: 'Book', key: 'edges' } as const;
      await graph.addOrUpdate('Book', 'edges', { Pages: 1 });
      await graph.update('Book', 'edges', { Pages: 2 });
      const seen: unknown[] = [];
      for (const ifVersion of [1, 2]) {
        for (const write of [
          () => graph.link(book, 'WrittenBy', author, { ifVersion }),
          () => graph.link({ from: book, edge: 'WrittenBy', to: author, ifVersion }),
          () => graph.unlink(book, 'WrittenBy', author, { ifVersion }),
          () => graph.restrict(book, { user: ${EVE} }, { ifVersion }),
          () => graph.unrestrict(book, undefined, { ifVersion }),
        ]) {
          seen.push(await write().then(({ changed }) => changed, (error: Problem) => error.code));
        }
      }
      return seen;`);
    const refused = Array.from({ length: 5 }, () => 'version_conflict');
    expect(seen).toEqual([...refused, true, false, true, true, true]);
  });

  it('are put and lifted, alone and in a transaction', async () => {
    const changed = await evaluate(`
      const book = await graph.get('Book', 'secret');
      const done = [
        await graph.restrict(book, { team: ${TEAM} }),
        await graph.restrict(${BOOK}, { team: ${TEAM}, user: await graph.get('_User', 'eve') }),
        await graph.restrict(book.UID, { user: ${EVE} }),
        await graph.unrestrict(book, { team: ${TEAM} }),
        await graph.unrestrict(book),
        await graph.unrestrict(book),
      ];
      await graph.transaction((tx) => {
        tx.restrict(book, { user: ${EVE} });
        tx.restrict(book, { team: ${TEAM} });
        tx.unrestrict(book, { user: ${EVE} });
      });
      return done.map(({ changed }) => changed);`);
    expect(changed).toEqual([true, true, false, true, true, false]);
    const { reader } = endpoints.graph;
    reader.refresh();
    const edges = reader.edges(reader.id({ type: 'Book', key: 'secret' }) ?? 0, 'out');
    expect(edges.map(({ type }) => type)).toEqual(['RestrictAccessToTeam']);
  });

  it('show in what the next query as that user sees', async () => {
    const caller = { ...USER, userUid: formatUid(keyedUid('_User', 'eve')) };
    const name = 'seen-by-eve';
    await endpoints.define(
      name,
      '{ graph, q }: Scope',
      `
      const book = await graph.get('Book', 'secret');
      const count = () => q().asUser().startAt('Book', 'secret').count();
      await graph.unrestrict(book);
      await graph.commit();
      const seen = [await count()];
      await graph.restrict(book, { team: ${TEAM} });
      await graph.commit();
      seen.push(await count(), await q().startAt('Book', 'secret').count());
      await graph.restrict(book, { user: ${EVE} });
      await graph.commit();
      seen.push(await count());
      return seen;`,
    );
    expect(JSON.parse((await endpoints.run(name, { caller })).body ?? '')).toEqual([1, 0, 1, 1]);
  });
});

describe('a transaction', () => {
  it('is one commit', async () => {
    const before = endpoints.graph.reader.refresh();
    const value = await evaluate(`
      return graph.transaction(async (tx) => {
        const shared: { Pages?: number } = {};
        for (let i = 0; i < 3; i++) { shared.Pages = i; tx.addOrUpdate('Book', 't' + i, shared); }
        tx.link({ type: 'Book', key: 't0' }, 'WrittenBy', { type: 'Author', key: 'Ada' });
        return (await graph.tryGet('Book', 't0')) === null;
      });`);
    expect(value).toBe(true);
    const { reader } = endpoints.graph;
    expect(reader.refresh()).toBeGreaterThan(before);
    const pages = [0, 1, 2].map((i) =>
      reader.field(reader.id({ type: 'Book', key: `t${i}` }) ?? 0, 'Pages'),
    );
    expect(pages).toEqual([0, 1, 2]);
  });

  it.each([
    [
      'one of its writes is refused',
      "tx.addOrUpdate('Book', 'nothing'); tx.update('Book', 'none', {});",
    ],
    ['its function throws', "tx.addOrUpdate('Book', 'nothing'); throw new Error('no');"],
    [
      'it is too large',
      `for (let i = 0; i <= ${INGEST_COMMIT_OPERATIONS_MAX}; i++) tx.addOrUpdate('Book', 'nothing' + i);`,
    ],
  ])('does nothing when %s', async (_case, writes) => {
    const name = `nothing/${++count}`;
    await endpoints.define(
      name,
      '{ graph }: Scope',
      `await graph.transaction((tx) => { ${writes} });`,
    );
    const before = endpoints.graph.reader.refresh();
    expect(await endpoints.problem(name)).toMatchObject({ code: 'endpoint_failed' });
    expect(endpoints.graph.reader.refresh()).toBe(before);
  });

  it('is over when its function has returned', async () => {
    const code = `
      let kept: Transaction | undefined;
      await graph.transaction((tx) => { kept = tx; });
      try { kept?.addOrUpdate('Book', 'late'); } catch (error) { return String(error); }`;
    expect(await evaluate(code)).toBe(
      'Error: the transaction is over: write before its function returns',
    );
  });
});
